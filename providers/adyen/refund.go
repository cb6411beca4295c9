package adyen

import (
	"context"
	"net/url"

	"perennial/billing/fault"
	"perennial/providers"
)

// Refund asks Adyen to refund a payment. Adyen accepts the request and decides later: the outcome arrives as a REFUND
// webhook, and a REFUND_FAILED may follow it. Errors as for Charge.
func (a *Adyen) Refund(ctx context.Context, in providers.RefundRequest) (providers.Result, error) {
	request, err := a.refundRequest(in)
	if err != nil {
		return providers.Result{}, err
	}
	x := a.post(ctx, "/payments/"+url.PathEscape(in.ChargeRef)+"/refunds", request, in.Key)
	m, ok := x.modification()
	if !ok {
		res := a.refused(x, true)
		if res.FailureCode != "" { // a code about a card makes a refund no less failed
			res.Outcome, res.FailureCode = providers.Failed, ""
		}
		return res, nil
	}
	if (m.Reference != "" && m.Reference != request.Reference) || (m.Amount != nil && *m.Amount != request.Amount) {
		return providers.Result{}, keyReused()
	}
	return providers.Result{
		Outcome: providers.Pending, Ref: m.PSPReference, Amount: in.Amount, Currency: in.Currency, HTTPStatus: x.status,
		Response: a.redact(x), RetryAfter: x.retryAfter,
	}, nil
}

func (a *Adyen) refundRequest(in providers.RefundRequest) (refundRequest, error) {
	if in.ChargeRef == "" {
		return refundRequest{}, fault.New(fault.Invalid, "provider_request_invalid",
			"A refund needs the pspReference of its payment.")
	}
	if err := checkIdentity(in.TransactionID, in.Key); err != nil {
		return refundRequest{}, err
	}
	wire, err := toWire(in.Amount, in.Currency)
	if err != nil {
		return refundRequest{}, err
	}
	return refundRequest{
		MerchantAccount: a.merchantAccount,
		Reference:       newReference(in.TransactionID, opRefund, in.Key).String(),
		Amount:          wire,
	}, nil
}
