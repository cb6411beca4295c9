package flutterwave

import (
	"context"
	"encoding/json"

	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/providers"
)

type refundRequest struct {
	Amount   json.Number `json:"amount"` // always: without it we would not know how much is given back
	ChargeID string      `json:"charge_id"`
	Meta     attached    `json:"meta"`
	Reason   string      `json:"reason"`
}

// refundReason is one of the few words that Flutterwave takes.
const refundReason = "requested_by_customer"

// Refund refunds a captured charge. Errors as for Charge.
func (f *Flutterwave) Refund(ctx context.Context, in providers.RefundRequest) (providers.Result, error) {
	if in.ChargeRef == "" {
		return providers.Result{}, fault.New(fault.Invalid, "provider_request_invalid",
			"A refund needs the provider's reference of its charge (chg_…).")
	}
	if err := checkIdentity(in.TransactionID); err != nil {
		return providers.Result{}, err
	}
	key, err := wireKey(in.Key)
	if err != nil {
		return providers.Result{}, err
	}
	amount, err := toWire(in.Amount, in.Currency)
	if err != nil {
		return providers.Result{}, err
	}
	x := f.post(ctx, "/refunds", refundRequest{
		Amount: amount, ChargeID: in.ChargeRef, Meta: attached{TransactionID: in.TransactionID}, Reason: refundReason,
	}, key)
	r, ok := x.refund()
	if !ok {
		return f.refusedSend(x, refunding, in.Repeat), nil
	}
	res := f.refundResult(x, r, in.Currency)
	if x.cached && (r.ChargeID != in.ChargeRef || (res.Currency != "" && res.Amount != in.Amount)) {
		return res, keyReused()
	}
	return res, nil
}

// refundResult turns a refund into an outcome. A refund names no currency, which is its charge's; without one the
// amount stays unsaid.
func (f *Flutterwave) refundResult(x exchange, r *refund, currency money.Currency) providers.Result {
	res := providers.Result{
		Outcome: r.outcome(), Ref: r.ID, HTTPStatus: x.status, RetryAfter: x.retryAfter, Response: f.redact(x),
	}
	if res.Outcome == providers.Failed {
		res.FailureReason = "Flutterwave could not give the money back"
	}
	if currency == "" {
		return res
	}
	amount, c, err := fromWire(r.AmountRefunded, string(currency))
	if err != nil {
		res.Outcome, res.FailureReason = providers.Unknown, err.Error()
		return res
	}
	res.Amount, res.Currency = amount, c
	return res
}

// outcome reads a refund's status. The documents say succeeded and a sample completed; both mean that the money went.
func (r *refund) outcome() providers.Outcome {
	switch r.Status {
	case "succeeded", "completed":
		return providers.Succeeded
	case "failed", "cancelled":
		return providers.Failed
	}
	return providers.Pending // new, pending, and what we do not know
}
