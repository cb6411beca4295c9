package adyen

import (
	"context"
	"net/url"

	"perennial/providers"
)

// CancelCharge asks Adyen to cancel a payment, by its pspReference or by our reference. Adyen only takes the request:
// the Result is Pending, and a CANCELLATION or TECHNICAL_CANCEL webhook tells the rest. It carries no idempotency key:
// a second cancel of a canceled payment changes nothing, and a stored refusal of the first would stand in its way.
// Error: `provider_request_invalid` (fault.Invalid).
func (a *Adyen) CancelCharge(ctx context.Context, in providers.LookupRequest) (providers.Result, error) {
	if err := checkIdentity(in.TransactionID, in.Key); err != nil {
		return providers.Result{}, err
	}
	request := modificationRequest{
		MerchantAccount: a.merchantAccount,
		Reference:       newReference(in.TransactionID, opCancel, in.Key).String(),
	}
	path := "/payments/" + url.PathEscape(in.Ref) + "/cancels"
	if in.Ref == "" {
		path, request.PaymentReference = "/cancels", newReference(in.TransactionID, opCharge, in.Key).String()
	}
	x := a.post(ctx, path, request, "")
	if _, ok := x.modification(); !ok {
		return a.refused(x, false), nil
	}
	return providers.Result{
		Outcome: providers.Pending, Ref: in.Ref, HTTPStatus: x.status, Response: a.redact(x), RetryAfter: x.retryAfter,
	}, nil
}
