package activities

import (
	"perennial/billing/collection"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/contract"
	"perennial/internal/id"
)

// refund creates the transaction that gives amount of a charge back. It has a workflow of its own, which is started
// after the commit.
func (c *change) refund(charge *payment.Transaction, amount money.Minor) error {
	charge.AmountRefunded += amount // reserved at once, so that two refunds never exceed the charge
	if charge.AmountRefunded > charge.Amount {
		return fault.New(fault.Conflict, "refund_exceeds_charge", "refunds of %s would exceed what it captured", charge.ID)
	}
	if err := c.saveTransaction(charge); err != nil {
		return err
	}
	r := payment.Transaction{
		ID: id.New(id.Transaction, c.real), Type: payment.Refund, Status: payment.Pending,
		CustomerID: charge.CustomerID, SubscriptionID: charge.SubscriptionID, InvoiceID: charge.InvoiceID,
		Amount: amount, Currency: charge.Currency, Description: "Refund of " + charge.ID, Trigger: collection.Automatic,
		Provider: charge.Provider, ProviderConfigID: charge.ProviderConfigID, ChargeID: charge.ID,
		DueAt: c.now, CreatedAt: c.now, Revision: 1,
	}
	c.refunds = append(c.refunds, contract.Ref{EnvironmentID: c.env, ID: r.ID})
	return c.tx.InsertTransaction(c.ctx, c.env, r)
}

// refundCurrentPeriod gives amount of what was paid for the current period back, from the latest payment backwards.
func (c *change) refundCurrentPeriod(amount money.Minor) error {
	for i := len(c.b.Paid) - 1; i >= 0 && amount > 0; i-- {
		settlement, err := c.tx.Settlement(c.ctx, c.env, c.b.Paid[i].ID)
		if err != nil {
			return err
		}
		if settlement.TransactionID == "" {
			continue // paid by credit
		}
		charge, err := c.tx.LockTransaction(c.ctx, c.env, settlement.TransactionID)
		if err != nil {
			return err
		}
		part := min(amount, charge.Amount-charge.AmountRefunded)
		if part <= 0 {
			continue
		}
		if err := c.refund(&charge, part); err != nil {
			return err
		}
		amount -= part
	}
	return nil
}

// refunded records money that went back. The charge stays a success and shows how much of it did.
func (r *recording) refunded() error {
	if changed, err := r.closeTxn(payment.Refunded); err != nil || !changed {
		return err
	}
	return r.emit(r.txn.Event(event.PaymentRefunded, r.now, nil))
}

// releaseRefund takes the reservation of a failed refund back, so that it can be asked for again.
func (r *recording) releaseRefund() error {
	charge, err := r.tx.LockTransaction(r.ctx, r.env, r.txn.ChargeID)
	if err != nil {
		return err
	}
	charge.AmountRefunded -= r.txn.Amount
	return r.saveTransaction(&charge)
}
