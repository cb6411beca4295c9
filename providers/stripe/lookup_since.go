package stripe

import (
	"context"
	"net/url"
	"strings"
	"time"

	"perennial/providers"
)

// withSince adds what became of a captured charge's money since. Failed and canceled refunds gave nothing back. A key
// may lack the right to read disputes: that must not hide the capture.
func (s *Stripe) withSince(ctx context.Context, charge providers.Result) providers.Result {
	refunds, why := listOf(ctx, s, "/v1/refunds", charge.Ref, func(r refund) string { return r.ID })
	if why != "" {
		return unread(charge, why)
	}
	for _, r := range refunds {
		if r.Status == "failed" || r.Status == "canceled" {
			continue
		}
		amount, _, err := fromWire(r.Amount, r.Currency)
		if err != nil {
			return unread(charge, err.Error())
		}
		charge.Refunds = append(charge.Refunds, providers.SeenRefund{
			Ref: r.ID, TransactionID: r.Metadata[txnKey], Amount: amount, Pending: r.Status != "succeeded",
		})
	}
	disputes, why := listOf(ctx, s, "/v1/disputes", charge.Ref, func(d dispute) string { return d.ID })
	if why != "" {
		return unread(charge, why)
	}
	for _, d := range disputes {
		seen, err := d.read()
		if err != nil {
			return unread(charge, err.Error())
		}
		charge.Disputes = append(charge.Disputes, seen)
	}
	return charge
}

// unread is the charge where what became of its money could not be read whole: half of it would be booked as all.
func unread(charge providers.Result, why string) providers.Result {
	charge.Refunds, charge.Disputes, charge.SinceUnread = nil, nil, true
	charge.FailureReason = "The charge succeeded. Its refunds and disputes could not be read: " + why
	return charge
}

// listOf reads all pages of a list of what belongs to an intent; why says why it could not.
func listOf[T any](
	ctx context.Context, s *Stripe, path, intentID string, id func(T) string,
) (all []T, why string) {
	query := url.Values{"limit": {"100"}, "payment_intent": {intentID}}
	for range refundPages {
		x := s.get(ctx, path, query)
		list, ok := object(x, func(p *page[T]) string { return p.Object }, "list")
		if !ok {
			res, err := s.refused(x, reading)
			if err != nil {
				return nil, err.Error()
			}
			return nil, res.FailureReason
		}
		all = append(all, list.Data...)
		if !list.HasMore || len(list.Data) == 0 {
			return all, ""
		}
		query.Set("starting_after", id(list.Data[len(list.Data)-1]))
	}
	return nil, "the list " + path + " of the charge is longer than 1,000"
}

// disputeStates are Stripe's statuses that cannot be answered any more. A warning is an inquiry, which moves no money.
var disputeStates = map[string]providers.DisputeState{
	"under_review": providers.DisputeUnderReview, "warning_under_review": providers.DisputeUnderReview,
	"won": providers.DisputeWon, "warning_closed": providers.DisputeWon, "prevented": providers.DisputeWon,
	"lost": providers.DisputeLost,
}

// read converts a dispute to the common vocabulary of providers. Stripe withdraws the money when the dispute opens and
// gives it back when it is won; each is a balance transaction, in the currency of the account's balance. In the
// dispute's currency their sum is exact; in another they only show whether the money is gone.
func (d dispute) read() (providers.Dispute, error) {
	amount, currency, err := fromWire(d.Amount, d.Currency)
	if err != nil {
		return providers.Dispute{}, err
	}
	out := providers.Dispute{
		Ref: d.ID, State: providers.DisputeOpen, Stage: providers.StageChargeback, Reason: d.Reason, Amount: amount,
		Currency: currency,
	}
	if strings.HasPrefix(d.Status, "warning_") {
		out.Stage = providers.StageInquiry
	}
	if due := d.EvidenceDetails.DueBy; due > 0 {
		out.EvidenceDueAt = time.Unix(due, 0).UTC()
	}
	if state, ok := disputeStates[d.Status]; ok {
		out.State = state
	}
	var gone, debits int64
	same := true
	for _, moved := range d.BalanceTransactions {
		gone -= moved.Amount
		if moved.Amount < 0 {
			debits++
		} else {
			debits--
		}
		same = same && moved.Currency == d.Currency
	}
	switch {
	case same && gone > 0:
		out.Withdrawn, _, err = fromWire(gone, d.Currency)
	case !same && debits > 0: // rates differ between the two, so that a sum tells nothing
		out.Withdrawn = amount
	}
	return out, err
}
