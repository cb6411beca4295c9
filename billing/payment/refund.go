package payment

import (
	"time"

	"perennial/billing/collection"
	"perennial/billing/fault"
	"perennial/billing/money"
)

// Refundable is how much of a charge can still be given back: what it captured, less what refunds have reserved.
func (t Transaction) Refundable() money.Minor {
	if t.Type != Charge || t.Status != Success {
		return 0
	}
	return t.Amount - t.AmountRefunded
}

// Refund begins to give amount of a charge back. The charge reserves it at once, so that two refunds never exceed what it
// captured; see Release. now is the customer's own time, wall the real one. Faults: refund_not_positive, refund_exceeds_charge.
func (t Transaction) Refund(id string, amount money.Minor, now, wall time.Time) (charge, refund Transaction, err error) {
	if amount <= 0 {
		return t, Transaction{}, fault.New(fault.Invalid, "refund_not_positive", "a refund must give back more than zero")
	}
	if amount > t.Refundable() {
		return t, Transaction{}, fault.New(fault.Conflict, "refund_exceeds_charge", "refunds of %s would exceed what it captured", t.ID)
	}
	t.AmountRefunded += amount
	return t, Transaction{
		ID: id, Type: Refund, Status: Pending, CustomerID: t.CustomerID, SubscriptionID: t.SubscriptionID, InvoiceID: t.InvoiceID,
		Amount: amount, Currency: t.Currency, Description: "Refund of " + t.ID, Trigger: collection.Automatic,
		Provider: t.Provider, ProviderConfigID: t.ProviderConfigID, ChargeID: t.ID,
		NextCheckAt: wall, SendDueAt: wall, DueAt: now, CreatedAt: now, Revision: 1,
	}, nil
}

// Release takes the reservation of a refund that failed back, so that it can be asked for again.
func (t Transaction) Release(amount money.Minor) Transaction {
	t.AmountRefunded -= amount
	return t
}

// Reserve notes that a refund which had failed, and was released, went through after all. It never shows more than was
// captured: where another refund has taken its place meanwhile, the provider refuses that one.
func (t Transaction) Reserve(amount money.Minor) Transaction {
	t.AmountRefunded = min(t.AmountRefunded+amount, t.Amount)
	return t
}
