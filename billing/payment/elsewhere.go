package payment

import (
	"slices"
	"time"

	"perennial/billing/collection"
	"perennial/billing/money"
)

// SeenRefund is a refund of a charge in its provider's list. Failed and canceled ones are left out: they gave nothing
// back.
type SeenRefund struct {
	Ref           string
	TransactionID string // our id in it; empty: it was made without us
	Amount        money.Minor
	Pending       bool
}

// Unbooked returns those of the provider's refunds of a charge that are none of the booked ones.
func Unbooked(seen []SeenRefund, booked []Transaction) []SeenRefund {
	return slices.DeleteFunc(slices.Clone(seen), func(s SeenRefund) bool {
		return slices.ContainsFunc(booked, func(t Transaction) bool {
			return t.ID == s.TransactionID || t.ProviderRef == s.Ref && s.Ref != ""
		})
	})
}

// Fit is how a refund that was made without us goes with the charge's own.
type Fit string

// The fits.
const (
	FitsIn   Fit = "in"     // it is booked
	FitLater Fit = "later"  // beside refunds of ours in flight it exceeds the charge: one of them will fail, so it waits
	FitTwice Fit = "beyond" // it is booked, and more went back than the charge captured: a person must sort that out
)

// RefundedElsewhere books a refund of a charge that was made without us, at the provider's dashboard for example, as
// one of its own. booked are the charge's refunds so far. It pays what is owed first.
func (t Transaction) RefundedElsewhere(
	id string, seen SeenRefund, booked []Transaction, now time.Time,
) (charge, refund Transaction, fit Fit) {
	fit = FitsIn
	if t.AmountRefunded+seen.Amount > t.Amount {
		if slices.ContainsFunc(booked, func(r Transaction) bool { return r.Status == Pending }) {
			return t, Transaction{}, FitLater
		}
		fit = FitTwice
	}
	t.AmountRefunded = min(t.AmountRefunded+seen.Amount, t.Amount)
	t.RefundOwed = min(t.RefundOwed, t.Amount-t.AmountRefunded)
	refund = t.counterpart(id, seen.Amount, now)
	refund.ProviderRef, refund.Description = seen.Ref, "Refund of "+t.ID+", made at the provider"
	if seen.Pending {
		refund.Status, refund.CompletedAt = Pending, time.Time{}
	}
	return t, refund, fit
}

// counterpart is a refund of the charge that went through without us.
func (t Transaction) counterpart(id string, amount money.Minor, now time.Time) Transaction {
	return Transaction{
		ID: id, Type: Refund, Status: Refunded, CustomerID: t.CustomerID, SubscriptionID: t.SubscriptionID,
		InvoiceID: t.InvoiceID,
		Amount:    amount, Currency: t.Currency, Trigger: collection.Manual,
		Provider: t.Provider, ProviderConfigID: t.ProviderConfigID, ChargeID: t.ID,
		DueAt: now, CreatedAt: now, CompletedAt: now, Revision: 1,
	}
}

// GoneBack is what refunds of a charge gave back in the end, disputes left out.
func GoneBack(refunds []Transaction, disputes Disputes) (sum money.Minor) {
	for _, r := range refunds {
		withdrawal := slices.ContainsFunc(disputes, func(d Dispute) bool { return d.WithdrawalID == r.ID })
		if r.Status == Refunded && r.ReturnedAt.IsZero() && !withdrawal {
			sum += r.Amount
		}
	}
	return sum
}
