package flutterwave

import (
	"context"

	"perennial/providers"
)

// withSince adds what became of a captured charge's money since. Refunds cannot be listed by charge, so that all since
// the charge are read; disputes are read where the charge says that it has one. A list that cannot be read must not
// hide the capture.
func (f *Flutterwave) withSince(ctx context.Context, res providers.Result, c *charge) providers.Result {
	refunds, _, failed := listOf[refund](ctx, f, "/refunds", c.CreatedDatetime)
	if failed != nil {
		return unread(res, failed.FailureReason)
	}
	for _, r := range refunds {
		state := r.outcome()
		if r.ChargeID != c.ID || state == providers.Failed {
			continue
		}
		amount, _, err := fromWire(r.AmountRefunded, c.Currency)
		if err != nil {
			return unread(res, err.Error())
		}
		res.Refunds = append(res.Refunds, providers.SeenRefund{
			Ref: r.ID, TransactionID: r.Meta.TransactionID, Amount: amount, Pending: state != providers.Succeeded,
		})
	}
	if !c.Disputed {
		return res
	}
	chargebacks, _, failed := listOf[chargeback](ctx, f, "/chargebacks", c.CreatedDatetime)
	if failed != nil {
		return unread(res, failed.FailureReason)
	}
	for _, b := range chargebacks {
		if b.ChargeID != c.ID {
			continue
		}
		seen, err := b.read(c.Currency)
		if err != nil {
			return unread(res, err.Error())
		}
		res.Disputes = append(res.Disputes, seen)
	}
	return res
}

// unread is the charge where what became of its money could not be read whole: half of it would be booked as all.
func unread(charge providers.Result, why string) providers.Result {
	charge.Refunds, charge.Disputes, charge.SinceUnread = nil, nil, true
	charge.FailureReason = "The charge succeeded. Its refunds and disputes could not be read: " + why
	return charge
}

// disputeStates are the statuses of chargebacks that cannot be answered any more; "declined" is the merchant's
// objection to one, which the bank reviews. Known from types of third parties only.
var disputeStates = map[string]providers.DisputeState{
	"declined": providers.DisputeUnderReview,
	"won":      providers.DisputeWon, "reversed": providers.DisputeWon,
	"lost": providers.DisputeLost, "accepted": providers.DisputeLost,
}

// read turns a chargeback into words that all providers share. Flutterwave holds the amount from its beginning, and
// lifts the hold where the merchant wins. A chargeback names no currency: it is the charge's.
func (b chargeback) read(currency string) (providers.Dispute, error) {
	amount, c, err := fromWire(b.Amount, currency)
	if err != nil {
		return providers.Dispute{}, err
	}
	out := providers.Dispute{
		Ref: string(b.ID), State: providers.DisputeOpen, Stage: providers.StageChargeback, Amount: amount, Currency: c,
		Withdrawn: amount,
	}
	if state, ok := disputeStates[b.Status]; ok {
		out.State = state
	}
	if out.State == providers.DisputeWon {
		out.Withdrawn = 0
	}
	return out, nil
}
