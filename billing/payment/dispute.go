package payment

import (
	"slices"
	"time"

	"perennial/billing/event"
	"perennial/billing/money"
)

// DisputeState is how a dispute stands. The providers package has the same values for its adapters.
type DisputeState string

// The states. A closed dispute never opens again; its bank may still overturn the end.
const (
	DisputeOpen DisputeState = "open"
	DisputeWon  DisputeState = "won" // also withdrawn, or closed without a loss
	DisputeLost DisputeState = "lost"
)

// Dispute is a payer's objection to a charge, made at the payer's bank.
type Dispute struct {
	Ref       string         `json:"ref"` // the provider's reference
	State     DisputeState   `json:"state"`
	Amount    money.Minor    `json:"amount"`
	Currency  money.Currency `json:"currency"`
	Withdrawn money.Minor    `json:"withdrawn"` // what the bank holds of it now, or has taken for good
	// WithdrawalID is the refund that books Withdrawn; empty: nothing is withdrawn. Withdrawals counts them.
	WithdrawalID string `json:"withdrawalId,omitempty"`
	Withdrawals  int    `json:"withdrawals,omitempty"`
	// Stage orders what callbacks say: a lower one than is known is overtaken. Zero: the present state, from a look-up.
	Stage         int       `json:"stage,omitempty"`
	EvidenceDueAt time.Time `json:"evidenceDueAt,omitzero"` // until when it can be answered, in real time; zero: unknown
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
	Changed  bool    // its state: to be announced
	Returned string  // the refund whose money the bank gave back; empty: none
	Withdraw bool    // Dispute.Withdrawn is to be booked as a refund
	// Unbookable: money was withdrawn that is not of the charge's currency, so that a person must book it.
	Unbookable bool
}

// Dispute notes what a provider says about a dispute of the charge, and returns what follows. Repeated word changes
// nothing. Nor does word of an open dispute that has ended, or of an earlier stage: it is overtaken. now is real time.
func (t Transaction) Dispute(seen Dispute, now time.Time) (Transaction, Disputed) {
	t.Disputes = slices.Clone(t.Disputes)
	i := slices.IndexFunc(t.Disputes, func(d Dispute) bool { return d.Ref == seen.Ref })
	if i < 0 {
		i = len(t.Disputes)
		t.Disputes = append(t.Disputes, Dispute{Ref: seen.Ref})
	}
	was := t.Disputes[i]
	reopened := seen.State == DisputeOpen && was.State != DisputeOpen && was.State != ""
	if reopened || seen.Stage > 0 && seen.Stage < was.Stage {
		return t, Disputed{Dispute: was}
	}
	seen.WithdrawalID, seen.Withdrawals, seen.Stage = was.WithdrawalID, was.Withdrawals, max(seen.Stage, was.Stage)
	if seen.EvidenceDueAt.IsZero() {
		seen.EvidenceDueAt = was.EvidenceDueAt
	}
	out := Disputed{Changed: seen.State != was.State, Noted: seen != was}
	if seen.Withdrawn != was.Withdrawn {
		out.Returned, seen.WithdrawalID = was.WithdrawalID, ""
		out.Withdraw = seen.Withdrawn > 0 && seen.Currency == t.Currency
		out.Unbookable = seen.Withdrawn > 0 && !out.Withdraw
	}
	t.Disputes[i], out.Dispute = seen, seen
	return t.noteDisputed(now), out
}

// noteDisputed keeps DisputedAt in step: since when any dispute is open.
func (t Transaction) noteDisputed(now time.Time) Transaction {
	open := slices.ContainsFunc(t.Disputes, func(d Dispute) bool { return d.State == DisputeOpen })
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

// Objection announces the state of a dispute.
func (t Transaction) Objection(d Dispute) event.PaymentDisputed {
	return event.PaymentDisputed{
		Payment: t.Announced(), DisputeRef: d.Ref, State: string(d.State), DisputedAmount: int64(d.Amount),
		AmountWithdrawn: int64(d.Withdrawn), EvidenceDueAt: unixOf(d.EvidenceDueAt),
	}
}

// unixOf is zero where there is no time.
func unixOf(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}
