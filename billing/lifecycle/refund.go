package lifecycle

import (
	"errors"
	"slices"

	"perennial/billing/creditnote"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/payment"
)

// refund writes the transaction that refunds amount of a charge at a person's command, with its own workflow. It
// returns the charge, which reserves the amount.
func (d *Decision) refund(charge payment.Transaction, amount money.Minor) (payment.Transaction, error) {
	id := d.IDs.Transaction(d.Real)
	charge, err := d.RefundAs(id, charge, amount)
	if err == nil {
		d.Changes.Refund = id
	}
	return charge, err
}

// RefundExtra refunds a superfluous charge. The refund is automatic, so its id is derived: a repetition after a restore
// of the database has the same key at the provider.
func (d *Decision) RefundExtra(charge payment.Transaction) (payment.Transaction, error) {
	return d.RefundAs(d.IDs.Transaction(charge.DueAt, charge.ID, "refund"), charge, charge.Amount)
}

// RefundAs refunds amount of a charge by a refund with that id, and starts its workflow. It returns the charge, which
// reserves the amount.
func (d *Decision) RefundAs(id string, charge payment.Transaction, amount money.Minor) (payment.Transaction, error) {
	reserved, r, err := charge.Captured().Refund(id, amount, d.Now, d.Real)
	if err != nil {
		return charge, err
	}
	d.SaveTransaction(reserved)
	d.Changes.NewTransactions = append(d.Changes.NewTransactions, r)
	d.Changes.Starts = append(d.Changes.Starts, r.ID)
	return reserved, nil
}

// refundable returns the part of the current period's payments that can be refunded. Earlier refunds reduce it. A
// payment without its charge is a fault: failing is better than refunding less than was promised.
func (s State) refundable() (sum money.Minor, err error) {
	for _, inv := range s.Paid {
		charge, ok := s.Captures[inv.ID]
		if !ok && inv.AmountPaid > 0 { // otherwise paid by credit
			return 0, fault.New(fault.Internal, "capture_missing",
				"The charge that paid invoice %s was not loaded.", inv.ID)
		}
		sum += charge.Captured().Refundable()
	}
	return sum, nil
}

// refunds returns the parts from which refundCurrentPeriod composes an amount, in its order.
func (s State) refunds() (parts []invoice.Refundable) {
	for _, inv := range slices.Backward(s.Paid) {
		if inv.AmountPaid != 0 {
			charge := s.Captures[inv.ID]
			parts = append(parts, invoice.Refundable{Amount: charge.Captured().Refundable(), Granularity: charge.Granularity})
		}
	}
	return parts
}

// refundCurrentPeriod refunds amount of the current period's payments, from the latest payment backwards.
func (d *Decision) refundCurrentPeriod(amount money.Minor) error {
	for _, inv := range slices.Backward(d.Paid) {
		charge := d.Captures[inv.ID] // refundable has checked it; an invoice that credit paid has none
		captured := charge.Captured()
		part := captured.Expressible(min(amount, captured.Refundable()))
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

// RetryRefund repeats a charge's failed refunds, as far as the provider can express the amount: the rest stays owed,
// and can become credit. The new refund is Changes.Attempt. The State is the customer's. Faults: refund_not_owed,
// refund_disputed, amount_not_representable.
func RetryRefund(s State, charge payment.Transaction, at Moment) (Changes, error) {
	settled, owed, err := charge.Captured().PayOwed()
	if err != nil {
		return Changes{}, err
	}
	part := charge.Captured().Expressible(owed)
	if part == 0 {
		return Changes{}, charge.Captured().CheckExpressible("", owed)
	}
	settled.RefundOwed = owed - part
	return giveBack(s, settled, part, at)
}

// RefundCharge refunds amount of a charge at a person's command, in minor units; 0: the whole rest, as far as the
// provider can express it. The new refund is Changes.Attempt. The charge's invoice stays paid. The State is the
// customer's. Faults: charge_not_captured, payment_external, refund_exceeds_charge, refund_not_positive,
// amount_not_representable.
func RefundCharge(s State, charge payment.Transaction, amount money.Minor, at Moment) (Changes, error) {
	amount, err := refundOf(charge, amount)
	if err != nil {
		return Changes{}, err
	}
	return giveBack(s, charge, amount, at)
}

// refundOf returns the amount of a refund that a person asks for.
func refundOf(charge payment.Transaction, asked money.Minor) (money.Minor, error) {
	if charge.Status != payment.Success {
		return 0, fault.New(fault.Conflict, "charge_not_captured",
			"The payment %s is %s: no money was captured that could be refunded.", charge.ID, charge.Status)
	}
	if charge.External() {
		return 0, fault.New(fault.Conflict, "payment_external",
			"The payment %s was made outside Perennial. Give the money back where it was paid.", charge.ID)
	}
	if asked == 0 {
		captured := charge.Captured()
		asked = max(captured.Expressible(captured.Refundable()), 1) // without a rest, the refusal reports it
	}
	return asked, nil
}

// RefundInvoice refunds a charge that an invoice asked for, at a person's command, and writes a credit note over what
// the refund gives back of the invoice. The refund is Changes.Refund. The note is over the refunded amount, or over
// what is left of the invoice where that is less: an amount that was brought forward, or was given back already, is of
// no line. There is no note where nothing is left, or where the charge did not settle the invoice. Faults: those of
// RefundCharge, amount_too_large.
type RefundInvoice struct {
	// Note has the facts of the note that LockForCredit reads; its Charge is nil where another payment settled the
	// invoice.
	Note   CreditInvoice
	Charge payment.Transaction // under lock
	Amount money.Minor         // minor units; 0: the whole rest, as far as the provider can express it
}

// Name returns credit_invoice: the workflow handles it as a credit note.
func (RefundInvoice) Name() string { return CreditInvoice{}.Name() }

func (c RefundInvoice) judge(d *Decision) (func() error, error) {
	amount, err := refundOf(c.Charge, c.Amount)
	if err != nil {
		return nil, err
	}
	if _, _, err := c.Charge.Captured().Refund("", amount, d.Now, d.Real); err != nil {
		return nil, err
	}
	if c.Note.Charge == nil || c.Note.Charge.ID != c.Charge.ID {
		return func() error { return refundOnly(d, c.Charge, amount) }, nil
	}
	c.Note.Refunded, c.Note.Reason = amount, creditnote.Other
	made, err := c.Note.credit(d)
	switch {
	case errors.Is(err, creditnote.ErrNothingLeft), errors.Is(err, creditnote.ErrNotCreditable):
		return func() error { return refundOnly(d, c.Charge, amount) }, nil
	case err != nil:
		return nil, err
	}
	return func() error { return d.credited(made) }, nil
}

// refundOnly refunds amount of a charge without a credit note.
func refundOnly(d *Decision, charge payment.Transaction, amount money.Minor) error {
	charge, err := d.refund(charge, amount)
	if _, known := d.Captures[charge.InvoiceID]; known && err == nil && d.Captures[charge.InvoiceID].ID == charge.ID {
		d.Captures[charge.InvoiceID] = charge
	}
	return err
}

func giveBack(s State, charge payment.Transaction, amount money.Minor, at Moment) (Changes, error) {
	d := Begin(s, at)
	if _, err := d.refund(charge, amount); err != nil {
		return Changes{}, err
	}
	d.Changes.Attempt = d.Changes.NewTransactions[0].ID
	return d.Changes, nil
}

// CreditRefund turns a charge's failed refunds into credit. The State is that of the charge's invoice. Faults:
// refund_not_owed; refund_disputed; refund_needs_subscription, where it paid none.
func CreditRefund(s State, charge payment.Transaction, at Moment) (State, Changes, error) {
	if charge.InvoiceID == "" {
		return State{}, Changes{}, fault.New(fault.Conflict, "refund_needs_subscription",
			"The payment %s paid no invoice, so it cannot be returned as credit. Send the refund again.", charge.ID)
	}
	d := Begin(s, at)
	charge, owed, err := charge.Captured().PayOwed()
	if err != nil {
		return State{}, Changes{}, err
	}
	// An amount that became credit cannot be refunded any more.
	charge.AmountRefunded += owed
	d.SaveTransaction(charge)
	d.Credit([]invoice.CreditEntry{{Amount: owed, Reason: invoice.CreditRefundFailed}}, charge.InvoiceID)
	return d.Finish()
}
