package activities

import (
	"perennial/billing/event"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/contract"
	"perennial/internal/id"
)

// refund writes the transaction that gives amount of a charge back. It has a workflow of its own, which is started after
// the commit.
func (c *change) refund(charge *payment.Transaction, amount money.Minor) error {
	reserved, r, err := charge.Refund(id.New(id.Transaction, c.real), amount, c.now)
	if err != nil {
		return err
	}
	*charge = reserved
	if err := c.saveTransaction(charge); err != nil {
		return err
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
		part := min(amount, charge.Refundable())
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
	was := r.txn.Status
	if changed, err := r.closeTxn(payment.Refunded); err != nil || !changed {
		return err
	}
	if was != payment.Pending { // it had failed, and what it had reserved was released
		if err := r.changeCharge(payment.Transaction.Reserve); err != nil {
			return err
		}
	}
	return r.emit(r.txn.Event(event.PaymentRefunded, r.now, nil))
}

// changeCharge changes, by the refund's amount, what the charge shows as given back.
func (r *recording) changeCharge(by func(payment.Transaction, money.Minor) payment.Transaction) error {
	charge, err := r.tx.LockTransaction(r.ctx, r.env, r.txn.ChargeID)
	if err != nil {
		return err
	}
	charge = by(charge, r.txn.Amount)
	return r.saveTransaction(&charge)
}
