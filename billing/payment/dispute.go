package payment

import (
	"cmp"
	"slices"
	"time"

	"perennial/billing/answer"
	"perennial/billing/event"
	"perennial/billing/money"
)

// Dispute is a payer's objection to a charge, and what became of it here. Times are real.
type Dispute struct {
	ID string `json:"id"`
	answer.Dispute

	// WithdrawalID is the refund that books Withdrawn; empty: nothing is withdrawn. Withdrawals counts them.
	WithdrawalID string    `json:"withdrawalId,omitempty"`
	Withdrawals  int       `json:"withdrawals,omitempty"`
	OpenedAt     time.Time `json:"openedAt"`          // when it became known
	ClosedAt     time.Time `json:"closedAt,omitzero"` // when its end became known; zero: it is not closed
}

// Disputes are the disputes of one charge, in the order in which they became known.
type Disputes []Dispute

// Withdrawn returns the sum that banks hold of a charge, or have taken for good, because of disputes.
func (c Captured) Withdrawn() (sum money.Minor) {
	for _, d := range c.Disputes {
		if d.WithdrawalID != "" {
			sum += d.Withdrawn
		}
	}
	return sum
}

// Relieved returns the charge without the debt that lost disputes have paid: a refund failed, its payer disputed the
// charge, and the bank gave the money back.
func (c Captured) Relieved() Transaction {
	left := c.Amount - c.AmountRefunded
	for _, d := range c.Disputes {
		if d.State == answer.DisputeLost && d.WithdrawalID != "" {
			left -= d.Withdrawn
		}
	}
	c.RefundOwed = min(c.RefundOwed, max(0, left))
	return c.Transaction
}

// Disputed has the changes that a provider's message about a dispute makes.
type Disputed struct {
	Dispute  Dispute // as it is now
	Noted    bool    // anything about it: to be saved
	Opened   bool    // it was not known before
	Closed   bool    // it has ended, or its end was reversed
	Returned string  // the refund whose money the bank gave back; empty: none
	Withdraw bool    // Dispute.Withdrawn is to be booked as a refund
	// Unbookable: money was withdrawn that is not of the charge's currency, so that a person must book it.
	Unbookable bool
}

// Dispute notes a provider's statement about a dispute of the charge, and returns the consequences. id is for one that
// is not known yet. A repeated statement changes nothing. Nor does a statement that a dispute which has ended is open,
// or one with an earlier Order: it is outdated. now is real time.
func (c Captured) Dispute(id string, said answer.Dispute, now time.Time) (Transaction, Disputed) {
	c.Disputes = slices.Clone(c.Disputes)
	i := slices.IndexFunc(c.Disputes, func(d Dispute) bool { return d.Ref == said.Ref })
	out := Disputed{Opened: i < 0}
	if out.Opened {
		i = len(c.Disputes)
		c.Disputes = append(c.Disputes, Dispute{ID: id, Dispute: answer.Dispute{Ref: said.Ref}, OpenedAt: now})
	}
	was := c.Disputes[i]
	reopened := !said.State.Closed() && was.State.Closed()
	if out.Dispute = was; reopened || said.Order > 0 && said.Order < was.Order {
		return c.Transaction, out
	}
	seen := was.updated(said)
	if out.Closed = seen.State.Closed() && seen.State != was.State; out.Closed {
		seen.ClosedAt = now
	}
	out.Noted = seen != was
	if seen.Withdrawn != was.Withdrawn {
		out.Returned, seen.WithdrawalID = was.WithdrawalID, ""
		out.Withdraw = seen.Withdrawn > 0 && seen.Currency == c.Currency
		out.Unbookable = seen.Withdrawn > 0 && !out.Withdraw
	}
	c.Disputes[i], out.Dispute = seen, seen
	return c.noteDisputed(now), out
}

// updated returns the dispute after a provider's message about it. Fields that the message omits stay.
func (d Dispute) updated(said answer.Dispute) Dispute {
	said.Order = max(said.Order, d.Order)
	said.Stage, said.Reason = cmp.Or(said.Stage, d.Stage), cmp.Or(said.Reason, d.Reason)
	if said.EvidenceDueAt.IsZero() {
		said.EvidenceDueAt = d.EvidenceDueAt
	}
	d.Dispute = said
	return d
}

// noteDisputed keeps DisputedAt in step: since when any dispute is not closed.
func (c Captured) noteDisputed(now time.Time) Transaction {
	open := slices.ContainsFunc(c.Disputes, func(d Dispute) bool { return !d.State.Closed() })
	switch {
	case !open:
		c.DisputedAt = time.Time{}
	case c.DisputedAt.IsZero():
		c.DisputedAt = now
	}
	return c.Transaction
}

// Withdraw books the amount that a bank has taken back because of a dispute as a refund of its own that has gone
// through.
func (c Captured) Withdraw(id string, d Dispute, now time.Time) (charge, refund Transaction) {
	c.Disputes = slices.Clone(c.Disputes)
	i := slices.IndexFunc(c.Disputes, func(known Dispute) bool { return known.Ref == d.Ref })
	c.Disputes[i].WithdrawalID, c.Disputes[i].Withdrawals = id, d.Withdrawals+1
	refund = c.counterpart(id, d.Withdrawn, now)
	refund.Description = "Dispute " + d.Ref + " of " + c.ID
	return c.Transaction, refund
}

// Objection announces what became of a dispute of the charge; nil: nothing.
func (c Captured) Objection(of Disputed) []event.Data {
	d := of.Dispute
	said := event.Dispute{
		ID: d.ID, ChargeID: c.ID, CustomerID: c.CustomerID, SubscriptionID: c.SubscriptionID, InvoiceID: c.InvoiceID,
		Reference: d.Ref, Stage: string(d.Stage), Status: string(d.State), Reason: d.Reason, Amount: int64(d.Amount),
		Currency: string(d.Currency), AmountWithdrawn: int64(d.Withdrawn), EvidenceDueAt: unixOf(d.EvidenceDueAt),
	}
	var all []event.Data
	if of.Opened {
		all = append(all, event.DisputeCreated{Dispute: said})
	}
	switch {
	case of.Closed:
		all = append(all, event.DisputeClosed{Dispute: said})
	case of.Noted && !of.Opened:
		all = append(all, event.DisputeUpdated{Dispute: said})
	}
	return all
}

// unixOf returns zero where there is no time.
func unixOf(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}
