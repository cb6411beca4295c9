package recording

import (
	"perennial/billing/event"
	"perennial/billing/invoice"
	"perennial/billing/payment"
)

// succeeded records money that moved: it settles its invoice, unless another attempt did before.
func (r *recording) succeeded() error {
	if r.txn.Type == payment.Refund {
		return r.refunded()
	}
	if r.txn.Status == payment.Canceled {
		if r.Recovered != nil { // the provider knows one charge only: what became of its money since is the success's
			r.txn = *r.Recovered
			r.movedSince()
			return nil
		}
		r.recover()
	} else if !r.close(payment.Success) {
		r.movedSince()
		return nil
	}
	r.d.Announce(event.PaymentSuccess{Payment: r.txn.Announced()})
	if r.txn.InvoiceID != "" {
		if err := r.settle(); err != nil {
			return err
		}
	}
	r.movedSince() // a look-up may find the capture and what became of its money at once
	return nil
}

// recover books a capture that turned up on a canceled charge as a success of its own, since canceled is final. Its id
// is derived, and so is that of a refund.
func (r *recording) recover() {
	r.txn = r.txn.Recover(r.d.IDs.Transaction(r.txn.DueAt, r.txn.ID, "recovered"), r.d.Now)
	r.d.Changes.NewTransactions = append(r.d.Changes.NewTransactions, r.txn)
}

// settle lets the success count for its invoice, or gives the money back where one counted before.
func (r *recording) settle() error {
	i := r.d.IndexOpen(r.txn.InvoiceID)
	inv := r.invoice(i)
	settles, err := r.d.Settles(inv)
	if err != nil {
		return err
	}
	if !settles { // it is paid or void
		charge, err := r.d.RefundExtra(r.txn)
		r.txn = charge
		return err
	}
	inv = r.d.TakeWrittenOff(inv)
	due := inv.AmountDue
	if err := r.d.Settle(i, inv, r.txn.ID); err != nil {
		return err
	}
	// A credit note has reduced the invoice since the charge was made, which was closed then: the excess goes back, and
	// the part that the provider cannot express becomes credit.
	excess := max(r.txn.Amount-due, 0)
	part := r.txn.Captured().Expressible(excess)
	if rest := excess - part; rest > 0 {
		r.d.Credit([]invoice.CreditEntry{{Amount: rest, Reason: invoice.CreditRefundFailed}}, inv.ID)
	}
	if part == 0 {
		return nil
	}
	charge, err := r.d.RefundAs(r.d.IDs.Transaction(r.txn.DueAt, r.txn.ID, "excess"), r.txn, part)
	r.txn = charge
	return err
}

// invoice returns the invoice that the transaction pays, open or not.
func (r *recording) invoice(i int) invoice.Invoice {
	if i >= 0 {
		return r.d.Open[i]
	}
	if r.Result.Invoice != nil {
		return *r.Result.Invoice
	}
	// Catching up closed it within this decision, so that nothing counts for it any more.
	return invoice.Invoice{Status: invoice.Void}
}
