package payment

import (
	"slices"
	"time"

	"perennial/billing/answer"
	"perennial/billing/collection"
	"perennial/billing/money"
)

// isSeen reports whether a booked refund is the one that a provider names.
func isSeen(s answer.Refund, t Transaction) bool {
	return t.ID == s.TransactionID || t.ProviderRef == s.Ref && s.Ref != ""
}

// CameBack returns the booked refund whose money a provider says is back, or never left; nil: none is booked.
func CameBack(s answer.Refund, booked []Transaction) *Transaction {
	if !s.Failed {
		return nil
	}
	for i := range booked {
		if isSeen(s, booked[i]) {
			return &booked[i]
		}
	}
	return nil
}

// Unbooked returns the provider's refunds of a charge that gave something back and are not booked. A booked refund
// stands for one of them. If two carry its id, for example because it was sent again after the provider had forgotten
// its key, it is the one with its reference, or else the first.
func Unbooked(seen []answer.Refund, booked []Transaction) []answer.Refund {
	taken := make(map[string]bool, len(booked)) // our ids
	named := func(s answer.Refund) bool {
		i := slices.IndexFunc(booked, func(t Transaction) bool { return t.ProviderRef == s.Ref && s.Ref != "" })
		if i >= 0 {
			taken[booked[i].ID] = true
		}
		return i >= 0
	}
	left := slices.DeleteFunc(slices.Clone(seen), func(s answer.Refund) bool { return s.Failed || named(s) })
	return slices.DeleteFunc(left, func(s answer.Refund) bool {
		if taken[s.TransactionID] || !isOf(s, booked) {
			return false
		}
		taken[s.TransactionID] = true
		return true
	})
}

// isOf reports whether a refund carries the id of one of these.
func isOf(s answer.Refund, booked []Transaction) bool {
	return slices.ContainsFunc(booked, func(t Transaction) bool { return t.ID == s.TransactionID })
}

// MadeAgain reports whether an unbooked refund was made under the id of a booked one: the money of one refund went back
// twice.
func MadeAgain(s answer.Refund, booked []Transaction) bool {
	return s.TransactionID != "" && isOf(s, booked)
}

// UncheckedIDs returns the ids that the provider's refunds of a charge carry and that no booked refund has. Their
// transactions must be known; see WithTrueIDs.
func UncheckedIDs(seen []answer.Refund, booked []Transaction) (ids []string) {
	for _, s := range seen {
		if s.TransactionID != "" && !MadeAgain(s, booked) && !slices.Contains(ids, s.TransactionID) {
			ids = append(ids, s.TransactionID)
		}
	}
	return ids
}

// WithTrueIDs returns the provider's refunds without the ids that are not theirs. A program that refunds through the
// provider's API may copy the charge's metadata, and with it the id of another row. The id of a booked refund stays,
// and so does a vacant one: no row has it, so that it may be of a refund that a restored database has lost.
func WithTrueIDs(seen []answer.Refund, booked []Transaction, vacant []string) []answer.Refund {
	seen = slices.Clone(seen)
	unchecked := UncheckedIDs(seen, booked)
	for i, s := range seen {
		if slices.Contains(unchecked, s.TransactionID) && !slices.Contains(vacant, s.TransactionID) {
			seen[i].TransactionID = ""
		}
	}
	return seen
}

// Fit says whether a refund that was made without us is booked in addition to the charge's own.
type Fit string

// The fits.
const (
	FitsIn Fit = "in" // it is booked
	// it waits: it may be one of ours in flight, or it exceeds the charge together with them, so one will fail
	FitLater Fit = "later"
	FitTwice Fit = "beyond" // it is booked, and more went back than the charge captured: a person must sort that out
)

// RefundedElsewhere books a refund of a charge that was made without us, at the provider's dashboard for example, as a
// refund of its own. booked are the charge's refunds so far. It pays owed refunds first.
func (c Captured) RefundedElsewhere(
	id string, seen answer.Refund, booked []Transaction, now time.Time,
) (charge, refund Transaction, fit Fit) {
	fit = FitsIn
	if slices.ContainsFunc(booked, func(ours Transaction) bool { return mayBe(seen, ours) }) {
		return c.Transaction, Transaction{}, FitLater
	}
	if c.AmountRefunded+seen.Amount > c.Amount {
		if slices.ContainsFunc(booked, func(r Transaction) bool { return r.Status == Pending }) {
			return c.Transaction, Transaction{}, FitLater
		}
		fit = FitTwice
	}
	c.AmountRefunded = min(c.AmountRefunded+seen.Amount, c.Amount)
	c.RefundOwed = min(c.RefundOwed, c.Amount-c.AmountRefunded)
	refund = c.counterpart(id, seen.Amount, now)
	refund.ProviderRef, refund.Description = seen.Ref, "Refund of "+c.ID+", made at the provider"
	if seen.Pending {
		refund.Status, refund.CompletedAt = Pending, time.Time{}
	}
	return c.Transaction, refund, fit
}

// mayBe reports whether a refund without our id in it may be one of ours whose reference never reached us: not every
// provider is sure to keep the id.
func mayBe(s answer.Refund, ours Transaction) bool {
	nameless := s.TransactionID == "" && ours.ProviderRef == ""
	return nameless && ours.Status == Pending && !ours.FirstSentAt.IsZero() && ours.Amount == s.Amount
}

// NotCaptured books that the provider took the success of a charge back, as a transaction of its own that returns all
// of it.
func (c Captured) NotCaptured(id string, now time.Time) (charge, back Transaction) {
	c.AmountRefunded = c.Amount
	back = c.counterpart(id, c.Amount, now)
	back.Description = "Payment " + c.ID + " was not captured"
	return c.Transaction, back
}

// counterpart returns a refund of the charge that went through without us.
func (c Captured) counterpart(id string, amount money.Minor, now time.Time) Transaction {
	return Transaction{
		ID: id, Type: Refund, Status: Refunded, CustomerID: c.CustomerID, SubscriptionID: c.SubscriptionID,
		InvoiceID: c.InvoiceID,
		Amount:    amount, Currency: c.Currency, Trigger: collection.Manual,
		Provider: c.Provider, ProviderConfigID: c.ProviderConfigID, ChargeID: c.ID,
		DueAt: now, CreatedAt: now, CompletedAt: now, Revision: 1,
	}
}

// GoneBack returns the sum that refunds of a charge gave back in the end, without disputes.
func GoneBack(refunds []Transaction, disputes Disputes) (sum money.Minor) {
	for _, r := range refunds {
		withdrawal := slices.ContainsFunc(disputes, func(d Dispute) bool { return d.WithdrawalID == r.ID })
		if r.Status == Refunded && r.ReturnedAt.IsZero() && !withdrawal {
			sum += r.Amount
		}
	}
	return sum
}
