package payment

import (
	"time"

	"perennial/billing/collection"
	"perennial/billing/fault"
	"perennial/billing/money"
)

// Refundable is how much of a charge can still be given back: what it captured, less what refunds have reserved, what
// is owed of those that failed, and what banks hold because of disputes. What was paid outside can only go back
// outside.
func (t Transaction) Refundable() money.Minor {
	if t.Type != Charge || t.Status != Success || t.External() {
		return 0
	}
	return max(0, t.Amount-t.AmountRefunded-t.RefundOwed-t.Withdrawn())
}

// Expressible is the largest part of an amount that the charge's provider can give back. What it captured it can give
// back whole, whatever is known of its limits.
func (t Transaction) Expressible(amount money.Minor) money.Minor {
	if amount == t.Amount {
		return amount
	}
	return money.Limits{Granularity: t.Granularity}.Floor(amount)
}

// CheckExpressible refuses an amount that the charge's provider cannot give back: a refund of it would be promised, and
// never succeed. Fault: amount_not_representable.
func (t Transaction) CheckExpressible(param string, amount money.Minor) error {
	if t.Expressible(amount) == amount {
		return nil
	}
	return fault.InvalidParam(param, "amount_not_representable",
		"The payment provider (%s) gives %s back in multiples of %d minor units only. Send such an amount, for example %d.",
		t.Provider, t.Currency, t.Granularity, max(t.Expressible(amount), t.Granularity))
}

// Refund begins to give amount of a charge back. The charge reserves it at once, so that two refunds never exceed what
// it captured; see FailRefund. now is the customer's own time, wall the real one. Faults: refund_not_positive,
// refund_exceeds_charge, amount_not_representable.
func (t Transaction) Refund(
	id string, amount money.Minor, now, wall time.Time,
) (charge, refund Transaction, err error) {
	if amount <= 0 {
		return t, Transaction{}, fault.New(fault.Invalid, "refund_not_positive",
			"The refund's amount must be more than zero.")
	}
	if amount > t.Refundable() {
		return t, Transaction{}, fault.New(fault.Conflict, "refund_exceeds_charge",
			"At most %d minor units of %s can be refunded: what was captured, less what was given back, is owed, or is held "+
				"because of disputes.", t.Refundable(), t.ID)
	}
	if err := t.CheckExpressible("amount", amount); err != nil {
		return t, Transaction{}, err
	}
	t.AmountRefunded += amount
	return t, Transaction{
		ID: id, Type: Refund, Status: Pending, CustomerID: t.CustomerID, SubscriptionID: t.SubscriptionID,
		InvoiceID: t.InvoiceID,
		Amount:    amount, Currency: t.Currency, Description: "Refund of " + t.ID, Trigger: collection.Automatic,
		Provider: t.Provider, ProviderConfigID: t.ProviderConfigID, ChargeID: t.ID,
		NextCheckAt: wall, SendDueAt: wall, DueAt: now, CreatedAt: now, Revision: 1,
	}, nil
}

// FailRefund takes the reservation of a refund that failed back. Its amount stays owed, until it is sent again or given
// as credit; see PayOwed.
func (t Transaction) FailRefund(amount money.Minor) Transaction {
	t.AmountRefunded = max(0, t.AmountRefunded-amount)
	t.RefundOwed = min(t.RefundOwed+amount, t.Amount-t.AmountRefunded)
	return t.Relieved()
}

// Returned notes on a refund that had gone through that the bank sent the money back. It reports whether that is news:
// its status is final. now is the customer's own time.
func (t Transaction) Returned(code, reason string, now time.Time) (Transaction, bool) {
	if t.Type != Refund || t.Status != Refunded || !t.ReturnedAt.IsZero() {
		return t, false
	}
	t.FailureCode, t.FailureReason, t.ReturnedAt = code, reason, now
	return t.explained(), true
}

// PayOwed ends what is owed of failed refunds, and returns how much it was: the caller refunds it again or gives it as
// credit. Faults: refund_not_owed; refund_disputed, while a bank holds the money for its payer, who would get it twice.
func (t Transaction) PayOwed() (Transaction, money.Minor, error) {
	owed := t.RefundOwed
	if owed <= 0 {
		return t, 0, fault.New(fault.Conflict, "refund_not_owed",
			"No failed refund of %s is owed to the customer.", t.ID)
	}
	if owed > t.Amount-t.AmountRefunded-t.Withdrawn() {
		return t, 0, fault.New(fault.Conflict, "refund_disputed",
			"The customer disputes %s, and the bank holds the money that is owed. Wait for the end of the dispute.", t.ID)
	}
	t.RefundOwed = 0
	return t, owed, nil
}

// Reserve notes that a refund which had failed went through after all, and reports whether the charge still owed it.
// Where it did not, because the amount was refunded again or given as credit meanwhile, the money may have gone back
// twice. It never shows more than was captured.
func (t Transaction) Reserve(amount money.Minor) (charge Transaction, owed bool) {
	owed = t.RefundOwed >= amount
	if owed {
		t.RefundOwed -= amount
	}
	t.AmountRefunded = min(t.AmountRefunded+amount, t.Amount-t.RefundOwed)
	return t, owed
}
