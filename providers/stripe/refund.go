package stripe

import (
	"context"
	"net/url"
	"strconv"

	"perennial/billing/fault"
	"perennial/providers"
)

// Refund refunds a captured intent. Errors as for Charge.
func (s *Stripe) Refund(ctx context.Context, in providers.RefundRequest) (providers.Result, error) {
	form, err := refundForm(in)
	if err != nil {
		return providers.Result{}, err
	}
	x := s.post(ctx, "/v1/refunds", form, in.Key)
	r, ok := x.refund()
	if !ok {
		return s.refused(x, moving)
	}
	return s.refundResult(x, r), nil
}

// refundForm always names the amount: without it Stripe refunds whatever is left, which may be more than we meant.
func refundForm(in providers.RefundRequest) (url.Values, error) {
	if in.ChargeRef == "" {
		return nil, fault.New(fault.Invalid, "provider_request_invalid",
			"A refund needs the provider's reference of its charge (pi_…).")
	}
	if err := checkIdentity(in.TransactionID, in.Key); err != nil {
		return nil, err
	}
	amount, err := toWire(in.Amount, in.Currency)
	if err != nil {
		return nil, err
	}
	return url.Values{
		"amount":                   {strconv.FormatInt(amount, 10)},
		"metadata[" + txnKey + "]": {in.TransactionID},
		"payment_intent":           {in.ChargeRef},
	}, nil
}

// refundResult turns a refund into an outcome. A refund that waits for the customer's bank details is pending.
func (s *Stripe) refundResult(x exchange, r *refund) providers.Result {
	res := providers.Result{HTTPStatus: x.status, Ref: r.ID, Response: s.redact(x), RetryAfter: x.retryAfter}
	amount, currency, err := fromWire(r.Amount, r.Currency)
	if err != nil {
		res.Outcome, res.FailureReason = providers.Unknown, err.Error()
		return res
	}
	res.Amount, res.Currency = amount, currency
	switch r.Status {
	case "succeeded":
		res.Outcome = providers.Succeeded
	case "failed":
		res.Outcome, res.FailureReason = providers.Failed, "the refund failed"
		if r.FailureReason != "" {
			res.FailureReason += ": " + r.FailureReason
		}
	case "canceled":
		res.Outcome = providers.Canceled
	default: // pending, requires_action
		res.Outcome = providers.Pending
	}
	return res
}
