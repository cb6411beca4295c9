package payment

import (
	"cmp"
	"slices"
	"time"

	"perennial/billing/event"
	"perennial/billing/money"
)

// DisputeState is how a dispute stands. The providers package has the same values for its adapters.
type DisputeState string

// The states. A closed dispute never opens again; its bank may still overturn the end.
const (
	DisputeOpen        DisputeState = "open"         // it can be answered
	DisputeUnderReview DisputeState = "under_review" // it was answered; the bank decides
	DisputeWon         DisputeState = "won"          // also withdrawn, or closed without a loss
	DisputeLost        DisputeState = "lost"
)

// Closed reports whether the bank has decided.
func (s DisputeState) Closed() bool { return s == DisputeWon || s == DisputeLost }

// DisputeStage is how far a dispute has gone: inquiry, chargeback or arbitration. The providers package says what each
// is.
type DisputeStage string

// Dispute is a payer's objection to a charge, made at the payer's bank. Times are real.
type Dispute struct {
	ID        string         `json:"id"`
	Ref       string         `json:"ref"` // the provider's reference
	State     DisputeState   `json:"state"`
	Stage     DisputeStage   `json:"stageName,omitempty"` // empty: from before it was kept
	Reason    string         `json:"reason,omitempty"`    // the provider's code; empty: unknown
	Amount    money.Minor    `json:"amount"`
	Currency  money.Currency `json:"currency"`
	Withdrawn money.Minor    `json:"withdrawn"` // what the bank holds of it now, or has taken for good
	// WithdrawalID is the refund that books Withdrawn; empty: nothing is withdrawn. Withdrawals counts them.
	WithdrawalID string `json:"withdrawalId,omitempty"`
	Withdrawals  int    `json:"withdrawals,omitempty"`
	// Order is that of what callbacks say: a lower one than is known is overtaken. Zero: the present state, from a
	// look-up.
	Order         int       `json:"stage,omitempty"`
	EvidenceDueAt time.Time `json:"evidenceDueAt,omitzero"` // until when it can be answered; zero: unknown
	OpenedAt      time.Time `json:"openedAt"`               // when it became known
	ClosedAt      time.Time `json:"closedAt,omitzero"`      // when its end became known; zero: it is not closed
}

// Disputes are those of one charge, in the order in which they became known.
type Disputes []Dispute

// Withdrawn is what banks hold of a charge, or have taken for good, because of disputes.
func (t Transaction) Withdrawn() (sum money.Minor) {
	for _, d := range t.Disputes {
		if d.WithdrawalID != "" {
			sum += d.Withdrawn
		}
	}
	return sum
}

// Relieved returns the charge without the debt that lost disputes have paid: a refund failed, its payer disputed the
// charge, and the bank gave the money back.
func (t Transaction) Relieved() Transaction {
	left := t.Amount - t.AmountRefunded
	for _, d := range t.Disputes {
		if d.State == DisputeLost && d.WithdrawalID != "" {
			left -= d.Withdrawn
		}
	}
	t.RefundOwed = min(t.RefundOwed, max(0, left))
	return t
}

// Disputed is what a provider's word about a dispute changes.
type Disputed struct {
	Dispute  Dispute // as it is now
	Noted    bool    // anything about it: to be saved
	Opened   bool    // it was not known before
	Closed   bool    // it has ended, or its end was overturned
	Returned string  // the refund whose money the bank gave back; empty: none
	Withdraw bool    // Dispute.Withdrawn is to be booked as a refund
	// Unbookable: money was withdrawn that is not of the charge's currency, so that a person must book it.
	Unbookable bool
}

// Dispute notes what a provider says about a dispute of the charge, and returns what follows. id is for one that is not
// known yet. Repeated word changes nothing. Nor does word of an open dispute that has ended, or word with an earlier
// Order: it is overtaken. now is real time.
func (t Transaction) Dispute(id string, seen Dispute, now time.Time) (Transaction, Disputed) {
	t.Disputes = slices.Clone(t.Disputes)
	i := slices.IndexFunc(t.Disputes, func(d Dispute) bool { return d.Ref == seen.Ref })
	out := Disputed{Opened: i < 0}
	if out.Opened {
		i = len(t.Disputes)
		t.Disputes = append(t.Disputes, Dispute{ID: id, Ref: seen.Ref, OpenedAt: now})
	}
	was := t.Disputes[i]
	reopened := !seen.State.Closed() && was.State.Closed()
	if out.Dispute = was; reopened || seen.Order > 0 && seen.Order < was.Order {
		return t, out
	}
	seen = seen.after(was)
	if out.Closed = seen.State.Closed() && seen.State != was.State; out.Closed {
		seen.ClosedAt = now
	}
	out.Noted = seen != was
	if seen.Withdrawn != was.Withdrawn {
		out.Returned, seen.WithdrawalID = was.WithdrawalID, ""
		out.Withdraw = seen.Withdrawn > 0 && seen.Currency == t.Currency
		out.Unbookable = seen.Withdrawn > 0 && !out.Withdraw
	}
	t.Disputes[i], out.Dispute = seen, seen
	return t.noteDisputed(now), out
}

// after is what is seen of a dispute, with what is known of it and was not said again.
func (d Dispute) after(was Dispute) Dispute {
	d.ID, d.OpenedAt, d.ClosedAt = was.ID, was.OpenedAt, was.ClosedAt
	d.WithdrawalID, d.Withdrawals, d.Order = was.WithdrawalID, was.Withdrawals, max(d.Order, was.Order)
	d.Stage, d.Reason = cmp.Or(d.Stage, was.Stage), cmp.Or(d.Reason, was.Reason)
	if d.EvidenceDueAt.IsZero() {
		d.EvidenceDueAt = was.EvidenceDueAt
	}
	return d
}

// noteDisputed keeps DisputedAt in step: since when any dispute is not closed.
func (t Transaction) noteDisputed(now time.Time) Transaction {
	open := slices.ContainsFunc(t.Disputes, func(d Dispute) bool { return !d.State.Closed() })
	switch {
	case !open:
		t.DisputedAt = time.Time{}
	case t.DisputedAt.IsZero():
		t.DisputedAt = now
	}
	return t
}

// Withdraw books what a bank has taken back because of a dispute as a refund of its own that has gone through.
func (t Transaction) Withdraw(id string, d Dispute, now time.Time) (charge, refund Transaction) {
	t.Disputes = slices.Clone(t.Disputes)
	i := slices.IndexFunc(t.Disputes, func(known Dispute) bool { return known.Ref == d.Ref })
	t.Disputes[i].WithdrawalID, t.Disputes[i].Withdrawals = id, d.Withdrawals+1
	refund = t.counterpart(id, d.Withdrawn, now)
	refund.Description = "Dispute " + d.Ref + " of " + t.ID
	return t, refund
}

// Objection announces what became of a dispute of the charge; nil: nothing.
func (t Transaction) Objection(of Disputed) []event.Data {
	d := of.Dispute
	said := event.Dispute{
		ID: d.ID, ChargeID: t.ID, CustomerID: t.CustomerID, SubscriptionID: t.SubscriptionID, InvoiceID: t.InvoiceID,
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

// unixOf is zero where there is no time.
func unixOf(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}
