package lifecycle

import (
	"cmp"
	"maps"
	"slices"

	"perennial/billing/balance"
	"perennial/billing/collection"
	"perennial/billing/creditnote"
	"perennial/billing/event"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/payment"
)

// CreditInvoice returns parts of an issued invoice by a credit note, which is in Changes.CreditNotes. It reduces an
// open invoice, which is paid at once where nothing is left to pay; that is refused while a payment for the former
// amount is undecided. For a paid invoice, the amount goes to the customer's balance or to the payer. Faults: those of
// creditnote.Issue; invoice_is_draft, change_pending, payment_in_progress, credit_not_refundable,
// refund_exceeds_charge, amount_not_representable.
type CreditInvoice struct {
	creditnote.Request
	Invoice invoice.Invoice // under lock, with its lines
	Given   creditnote.Given
	Charge  *payment.Transaction // the charge that settled it, under lock; nil: none
	Grants  []balance.Grant      // those that paid for it and are not void
}

// Name returns credit_invoice.
func (CreditInvoice) Name() string { return "credit_invoice" }

func (c CreditInvoice) judge(d *Decision) (func() error, error) {
	if err := d.notDraft(c.Invoice.ID); err != nil {
		return nil, err
	}
	if err := complete(d.Subscription); err != nil {
		return nil, err
	}
	if err := unawaited(d.Subscription, c.Invoice.ID); err != nil {
		return nil, err
	}
	if i := d.IndexOpen(c.Invoice.ID); i >= 0 {
		c.Invoice = d.Open[i]
	}
	made, err := c.credit(d)
	if err != nil {
		return nil, err
	}
	if made.settled() {
		if _, err := d.settled(made.invoice); err != nil {
			return nil, err
		}
	}
	return func() error { return d.credited(made) }, nil
}

// credited is a credit note with its effects.
type credited struct {
	note    creditnote.Note
	invoice invoice.Invoice
	entries []invoice.CreditEntry
	charge  *payment.Transaction // the charge to refund
	refund  money.Minor          // what goes back of it: that of the note, or more
	grants  []balance.Grant
}

// settled reports whether the note leaves nothing to pay on an open invoice.
func (c credited) settled() bool { return c.invoice.Status == invoice.Open && c.invoice.AmountDue == 0 }

// credit decides the note, without any change.
func (c CreditInvoice) credit(d *Decision) (credited, error) {
	if c.Invoice.Status == invoice.Open && d.pays(c.Invoice.ID) {
		return credited{}, collection.ErrInProgress
	}
	c.Now = d.Now
	if c.Charge != nil && !c.Charge.External() {
		c.Given.Money = c.Charge.Amount - c.Charge.Captured().Refundable()
	}
	before := c.Given.Reversed // the caller owns it
	c.Given.Reversed = make(map[string]money.Minor, len(before))
	maps.Copy(c.Given.Reversed, before)
	c.caughtUp(d)
	if !d.Customer.ErasedAt.IsZero() {
		c.Memo = "" // it may name the customer, and no erasure would remove it
	}
	if c.Charge != nil {
		if err := c.Charge.Captured().CheckExpressible("refundAmount", c.RefundAmount); err != nil {
			return credited{}, err
		}
		c.Granularity = c.Charge.Granularity
	}
	note, err := creditnote.Issue(c.Invoice, c.Request, c.Given)
	if err != nil {
		return credited{}, err
	}
	refund := cmp.Or(c.Refunded, note.Refund)
	if refund > 0 {
		if c.Charge == nil || c.Charge.External() {
			return credited{}, creditnote.ErrNotRefundable
		}
		if _, _, err := c.Charge.Captured().Refund("", refund, d.Now, d.Real); err != nil {
			return credited{}, err
		}
	}
	lines := make(map[string]money.Minor, len(note.Lines))
	for _, l := range note.Lines {
		lines[l.InvoiceLineID] += l.Amount
	}
	beside, err := c.Given.Beside(c.Invoice)
	if err != nil {
		return credited{}, err
	}
	more := invoice.Credited{Total: note.Total, Tax: note.Tax, Due: note.Due, Refund: note.Refund}
	gone := invoice.Gone{Beside: beside, ToGrants: c.Given.ToGrants}
	inv, entries := c.Invoice.Credit(more, lines, note.Balance, gone, d.limits())
	return credited{note, inv, entries, c.Charge, refund, c.Grants}, nil
}

// caughtUp brings Given, which was read before the decision, to what catching up has left of drafts and invoices: lines
// may have moved from a draft to an invoice or to credit notes, or be void. Each counts once.
func (c *CreditInvoice) caughtUp(d *Decision) {
	c.reversed(d.Subscription.PendingLines, 1) // the next invoice will have them
	for _, was := range d.draftsBefore {
		c.reversed(was.Lines, -1)
	}
	issued := d.Changes.Invoices.Of(InvoiceCreated, InvoiceFinalized, LinesTakenBack)
	for _, is := range slices.Concat(issued, d.Drafts) {
		if is.Status != invoice.Void {
			c.reversed(is.Lines, 1)
		}
	}
	for _, is := range d.Changes.Invoices.Of(InvoiceChanged, FinalizedAndChanged) {
		if is.Status == invoice.Void {
			c.reversed(is.Lines, -1)
		}
	}
}

// reversed adds the reversals of lines to the amounts that were given back, or with sign -1 removes them.
func (c *CreditInvoice) reversed(lines []invoice.Line, sign money.Minor) {
	for _, l := range lines {
		if l.Reverses != "" && l.Amount < 0 {
			c.Given.Reversed[l.Reverses] -= sign * l.Net()
		}
	}
}

// pays reports whether an attempt to pay an invoice is undecided.
func (s State) pays(invoiceID string) bool {
	for _, t := range s.Pending {
		if t.InvoiceID == invoiceID {
			return true
		}
	}
	return false
}

// credited applies a credit note.
func (d *Decision) credited(made credited) error {
	note, inv := made.note, made.invoice
	if made.refund > 0 {
		charge, err := d.refund(*made.charge, made.refund)
		if err != nil {
			return err
		}
		note.RefundID = d.Changes.Refund
		if _, known := d.Captures[inv.ID]; known {
			d.Captures[inv.ID] = charge
		}
	}
	d.Changes.CreditNotes = append(d.Changes.CreditNotes, note)
	d.Changes.Invoices.save(inv)
	d.know(made.grants)
	d.Credit(made.entries, inv.ID)
	d.Announce(event.CreditNoteCreated{CreditNote: note.Announced()})
	i := d.IndexOpen(inv.ID)
	switch {
	case made.settled():
		return d.Settle(i, inv, "")
	case i >= 0:
		d.Open[i] = inv
	}
	replace(d.Paid, inv, func(i invoice.Invoice) string { return i.ID })
	return nil
}
