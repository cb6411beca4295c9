package payment

import (
	"time"

	"perennial/billing/collection"
	"perennial/billing/fault"
	"perennial/billing/money"
)

// Refundable returns the amount of a charge that can still be given back: the captured amount, less the amounts that
// refunds have reserved, that failed ones owe, and that banks hold because of disputes. A payment made outside can only
// go back outside.
func (c Captured) Refundable() money.Minor {
	if c.Type != Charge || c.Status != Success || c.External() {
		return 0
	}
	return max(0, c.Amount-c.AmountRefunded-c.RefundOwed-c.Withdrawn())
}

// Expressible returns the largest part of an amount that the charge's provider can give back. The captured amount can
// always go back whole, whatever the provider's limits are.
func (c Captured) Expressible(amount money.Minor) money.Minor {
	if amount == c.Amount {
		return amount
	}
	return money.Limits{Granularity: c.Granularity}.Floor(amount)
}

// CheckExpressible refuses an amount that the charge's provider cannot give back: a refund of it would be promised, and
// never succeed. Fault: amount_not_representable.
func (c Captured) CheckExpressible(param string, amount money.Minor) error {
	if c.Expressible(amount) == amount {
		return nil
	}
	return fault.InvalidParam(param, "amount_not_representable",
		"The payment provider (%s) gives %s back in multiples of %d minor units only. Send such an amount, for example %d.",
		c.Provider, c.Currency, c.Granularity, max(c.Expressible(amount), c.Granularity))
}

// Refund begins to give amount of a charge back. The charge reserves it at once, so that two refunds never exceed the
// captured amount; see FailRefund. now is the customer's own time, wall the real one. Faults: refund_not_positive,
// refund_exceeds_charge, amount_not_representable.
func (c Captured) Refund(
	id string, amount money.Minor, now, wall time.Time,
) (charge, refund Transaction, err error) {
	if amount <= 0 {
		return c.Transaction, Transaction{}, fault.New(fault.Invalid, "refund_not_positive",
			"The refund's amount must be more than zero.")
	}
	if amount > c.Refundable() {
		return c.Transaction, Transaction{}, fault.New(fault.Conflict, "refund_exceeds_charge",
			"At most %d minor units of %s can be refunded: what was captured, less what was given back, is owed, or is held "+
				"because of disputes.", c.Refundable(), c.ID)
	}
	if err := c.CheckExpressible("amount", amount); err != nil {
		return c.Transaction, Transaction{}, err
	}
	c.AmountRefunded += amount
	return c.Transaction, Transaction{
		ID: id, Type: Refund, Status: Pending, CustomerID: c.CustomerID, SubscriptionID: c.SubscriptionID,
		InvoiceID: c.InvoiceID,
		Amount:    amount, Currency: c.Currency, Description: "Refund of " + c.ID, Trigger: collection.Automatic,
		Provider: c.Provider, ProviderConfigID: c.ProviderConfigID, ChargeID: c.ID,
		NextCheckAt: wall, SendDueAt: wall, DueAt: now, CreatedAt: now, Revision: 1,
	}, nil
}

// FailRefund takes the reservation of a refund that failed back. Its amount stays owed, until it is sent again or given
// as credit; see PayOwed.
func (c Captured) FailRefund(amount money.Minor) Transaction {
	c.AmountRefunded = max(0, c.AmountRefunded-amount)
	c.RefundOwed = min(c.RefundOwed+amount, c.Amount-c.AmountRefunded)
	return c.Relieved()
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

// PayOwed ends the debt of failed refunds, and returns its amount: the caller refunds it again or gives it as credit.
// Faults: refund_not_owed; refund_disputed, while a bank holds the money for its payer, who would get it twice.
func (c Captured) PayOwed() (Transaction, money.Minor, error) {
	owed := c.RefundOwed
	if owed <= 0 {
		return c.Transaction, 0, fault.New(fault.Conflict, "refund_not_owed",
			"No failed refund of %s is owed to the customer.", c.ID)
	}
	if owed > c.Amount-c.AmountRefunded-c.Withdrawn() {
		return c.Transaction, 0, fault.New(fault.Conflict, "refund_disputed",
			"The customer disputes %s, and the bank holds the money that is owed. Wait for the end of the dispute.", c.ID)
	}
	c.RefundOwed = 0
	return c.Transaction, owed, nil
}

// Reserve notes that a refund which had failed went through after all, and reports whether the charge still owed it.
// Where it did not, because the amount was refunded again or given as credit meanwhile, the money may have gone back
// twice. It never shows more than was captured.
func (c Captured) Reserve(amount money.Minor) (charge Transaction, owed bool) {
	owed = c.RefundOwed >= amount
	if owed {
		c.RefundOwed -= amount
	}
	c.AmountRefunded = min(c.AmountRefunded+amount, c.Amount-c.RefundOwed)
	return c.Transaction, owed
}
