package lifecycle

import (
	"slices"

	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/payment"
)

// refund writes the transaction that gives amount of a charge back. It has a workflow of its own. It returns the charge,
// which reserves the amount.
func (d *decision) refund(charge payment.Transaction, amount money.Minor) (payment.Transaction, error) {
	reserved, r, err := charge.Refund(d.IDs.Transaction(d.Real), amount, d.Now, d.Real)
	if err != nil {
		return charge, err
	}
	d.saveTransaction(reserved)
	d.Changes.NewTransactions = append(d.Changes.NewTransactions, r)
	d.Changes.Starts = append(d.Changes.Starts, r.ID)
	return reserved, nil
}

// refundCurrentPeriod gives amount of what was paid for the current period back, from the latest payment backwards.
func (d *decision) refundCurrentPeriod(amount money.Minor) error {
	for _, inv := range slices.Backward(d.Paid) {
		if amount <= 0 || inv.AmountPaid == 0 { // paid by credit
			continue
		}
		charge, ok := d.Captures[inv.ID]
		if !ok { // to give back less than was promised is worse than to fail
			return fault.New(fault.Internal, "capture_missing", "the charge that paid invoice %s was not loaded", inv.ID)
		}
		part := min(amount, charge.Refundable())
		if part <= 0 {
			continue
		}
		charge, err := d.refund(charge, part)
		if err != nil {
			return err
		}
		d.Captures[inv.ID] = charge
		amount -= part
	}
	return nil
}

// refunded records money that went back. The charge stays a success and shows how much of it did.
func (r *recording) refunded() error {
	was := r.txn.Status
	if !r.close(payment.Refunded) {
		return nil
	}
	if was != payment.Pending { // it had failed, and what it had reserved was released
		r.d.saveTransaction(r.charge().Reserve(r.txn.Amount))
	}
	r.d.announce(event.PaymentRefunded{Payment: r.txn.Announced()})
	return nil
}
