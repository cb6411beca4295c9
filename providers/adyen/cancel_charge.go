package adyen

import (
	"context"
	"net/url"

	"perennial/providers"
)

// CancelCharge asks Adyen to cancel a payment, by its pspReference or by our reference: where a second payment may have
// asked the payer, it tries both references, of which at most one can be canceled. Adyen only accepts the request: the
// Result is Pending, and a CANCELLATION or TECHNICAL_CANCEL webhook has the outcome. It has no idempotency key: a
// second cancel of a canceled payment changes nothing, and a stored refusal of the first would block it. Error:
// `provider_request_invalid` (fault.Invalid).
func (a *Adyen) CancelCharge(ctx context.Context, in providers.LookupRequest) (providers.Result, error) {
	if err := checkIdentity(in.TransactionID, in.Key); err != nil {
		return providers.Result{}, err
	}
	request := modificationRequest{
		MerchantAccount: a.merchantAccount,
		Reference:       newReference(in.TransactionID, opCancel, in.Key).String(),
	}
	if in.Ref != "" {
		return a.cancel(ctx, "/payments/"+url.PathEscape(in.Ref)+"/cancels", request, in.Ref), nil
	}
	if in.AskedApart {
		request.PaymentReference = newReference(in.TransactionID, opUnattended, in.Key).String()
		if res := a.cancel(ctx, "/cancels", request, ""); res.Outcome != providers.Pending {
			return res, nil
		}
	}
	request.PaymentReference = newReference(in.TransactionID, opCharge, in.Key).String()
	return a.cancel(ctx, "/cancels", request, ""), nil
}

func (a *Adyen) cancel(ctx context.Context, path string, request modificationRequest, ref string) providers.Result {
	x := a.post(ctx, path, request, "")
	if _, ok := x.modification(); !ok {
		return a.refused(x, false)
	}
	return providers.Result{
		Outcome: providers.Pending, Ref: ref, HTTPStatus: x.status, Response: a.redact(x), RetryAfter: x.retryAfter,
	}
}
