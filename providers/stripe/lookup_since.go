package stripe

import (
	"context"
	"net/url"

	"perennial/providers"
)

// withSince adds what became of a captured charge's money since. Failed and canceled refunds gave nothing back.
func (s *Stripe) withSince(ctx context.Context, charge providers.Result) (providers.Result, error) {
	refunds, unread, err := listOf(ctx, s, "/v1/refunds", charge.Ref, func(r refund) string { return r.ID })
	if unread != nil || err != nil {
		return unreadable(unread), err
	}
	for _, r := range refunds {
		if r.Status == "failed" || r.Status == "canceled" {
			continue
		}
		amount, _, err := fromWire(r.Amount, r.Currency)
		if err != nil {
			return providers.Result{Outcome: providers.Unknown, FailureReason: err.Error()}, nil //nolint:nilerr // told as the reason: the answer cannot be read
		}
		charge.Refunds = append(charge.Refunds, providers.SeenRefund{
			Ref: r.ID, TransactionID: r.Metadata[txnKey], Amount: amount, Pending: r.Status != "succeeded",
		})
	}
	disputes, unread, err := listOf(ctx, s, "/v1/disputes", charge.Ref, func(d dispute) string { return d.ID })
	if unread != nil || err != nil {
		return unreadable(unread), err
	}
	for _, d := range disputes {
		seen, err := d.read()
		if err != nil {
			return providers.Result{Outcome: providers.Unknown, FailureReason: err.Error()}, nil //nolint:nilerr // told as the reason: the answer cannot be read
		}
		charge.Disputes = append(charge.Disputes, seen)
	}
	return charge, nil
}

// unreadable is the answer where one of the lists could not be read.
func unreadable(res *providers.Result) providers.Result {
	if res == nil {
		return providers.Result{}
	}
	return *res
}

// listOf reads all pages of a list of what belongs to an intent. Where a page cannot be read, unread says why.
func listOf[T any](
	ctx context.Context, s *Stripe, path, intentID string, id func(T) string,
) (all []T, unread *providers.Result, err error) {
	query := url.Values{"limit": {"100"}, "payment_intent": {intentID}}
	for range refundPages {
		x := s.get(ctx, path, query)
		list, ok := object(x, func(p *page[T]) string { return p.Object }, "list")
		if !ok {
			res, err := s.refused(x, reading)
			if res.Outcome == providers.NotFound { // of the list, not of the charge
				res.Outcome = providers.Unknown
			}
			return nil, &res, err
		}
		all = append(all, list.Data...)
		if !list.HasMore || len(list.Data) == 0 {
			return all, nil, nil
		}
		query.Set("starting_after", id(list.Data[len(list.Data)-1]))
	}
	return nil, &providers.Result{
		Outcome: providers.Unknown, FailureReason: "the list " + path + " of the charge is longer than 1,000",
	}, nil
}

// disputeStates are Stripe's statuses that are not open. A warning is an inquiry, which moves no money.
var disputeStates = map[string]providers.DisputeState{
	"won": providers.DisputeWon, "warning_closed": providers.DisputeWon, "prevented": providers.DisputeWon,
	"lost": providers.DisputeLost,
}

// read turns a dispute into words that all providers share. Stripe withdraws the money when the dispute opens and gives
// it back when it is won; each is a balance transaction, in the currency of the account's balance. In that of the
// dispute their sum is exact; in another they only tell whether the money is gone.
func (d dispute) read() (providers.Dispute, error) {
	amount, currency, err := fromWire(d.Amount, d.Currency)
	if err != nil {
		return providers.Dispute{}, err
	}
	out := providers.Dispute{Ref: d.ID, State: providers.DisputeOpen, Amount: amount, Currency: currency}
	if state, closed := disputeStates[d.Status]; closed {
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
