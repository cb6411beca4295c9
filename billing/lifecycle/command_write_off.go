package lifecycle

import (
	"slices"

	"perennial/billing/discount"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/payment"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
)

// VoidInvoice cancels an open invoice: nothing is owed for it any more, and its effects on the customer's balance are
// reversed. Its coupons count as not given. Later payments for it are refunded. A payment that needs review does not
// prevent it. With the invoice of a change that waits for its payment, the change is withdrawn, also while a payment is
// in progress. Faults: payment_in_progress, invoice_not_open, invoice_is_draft, invoice_credits_paid_time,
// invoice_has_credit_notes, invoice_taken_back.
type VoidInvoice struct {
	InvoiceID string
	// TakenBack: later documents gave a part of it back: creditnote.Given says which.
	TakenBack bool
	// Given are the periods in which other invoices of the subscription that are not void have this one's coupons. Each
	// invoice counts for itself: a later credit does not remove the discount of an earlier invoice.
	Given []CouponUse
	// Unbilled is the usage of the subscription that the next invoices bill.
	Unbilled UnbilledUsage
	// Coupons are those of this invoice.
	Coupons []discount.Coupon
}

// CouponUse is a period in which a coupon applies.
type CouponUse struct {
	CouponID    string
	PeriodIndex int
}

// MarkUncollectible gives an open invoice up: it stays owed, but is not collected any more. A later payment still pays
// it. A payment that needs review does not prevent it. Faults: payment_in_progress, invoice_not_open, invoice_is_draft,
// subscription_incomplete, change_pending.
type MarkUncollectible struct {
	InvoiceID string
}

// Name returns void_invoice.
func (VoidInvoice) Name() string { return "void_invoice" }

// Name returns mark_uncollectible.
func (MarkUncollectible) Name() string { return "mark_uncollectible" }

// ErrNotOpen refuses to write off an invoice that is closed.
var ErrNotOpen = fault.New(fault.Conflict, "invoice_not_open",
	"The invoice is not open: it is paid, void or uncollectible.")

// ErrTakesTimeBack refuses to void an invoice of a plan change: it credits time that an earlier invoice was paid for,
// and voiding it would lose that credit.
var ErrTakesTimeBack = fault.New(fault.Conflict, "invoice_credits_paid_time",
	"This invoice credits unused time of the plan before. Mark it uncollectible instead.")

// ErrTakenBack refuses to void an invoice of which a later document gave a part back, to the customer's balance: the
// part would be given back twice.
var ErrTakenBack = fault.New(fault.Conflict, "invoice_taken_back",
	"A later document gave a part of this invoice back: unused time, or corrected usage. Credit the rest of it by a "+
		"credit note, or mark it uncollectible.")

func (c VoidInvoice) judge(d *Decision) (func() error, error) {
	if err := d.notDraft(c.InvoiceID); err != nil {
		return nil, err
	}
	i := d.IndexOpen(c.InvoiceID)
	if i < 0 {
		return nil, ErrNotOpen
	}
	if carryOut, ok := withdrawsPending(d, c.InvoiceID); ok {
		return carryOut, nil
	}
	if d.Open[i].TakesTimeBack() {
		return nil, ErrTakesTimeBack
	}
	if d.Open[i].Credited != (invoice.Credited{}) {
		return nil, invoice.ErrHasCreditNotes
	}
	if c.TakenBack {
		return nil, ErrTakenBack
	}
	inv, returned, effect, err := d.Open[i].Withdraw("", d.inReview(c.InvoiceID), d.Now)
	return func() error {
		d.voided(i, inv, returned, effect)
		if err := d.writtenOff(inv); err != nil {
			return err
		}
		return d.giveAgain(c, inv)
	}, err
}

func (c MarkUncollectible) judge(d *Decision) (func() error, error) {
	if err := d.notDraft(c.InvoiceID); err != nil {
		return nil, err
	}
	i := d.IndexOpen(c.InvoiceID)
	if i < 0 {
		return nil, ErrNotOpen
	}
	if err := complete(d.Subscription); err != nil {
		return nil, err
	}
	if err := unawaited(d.Subscription, c.InvoiceID); err != nil {
		return nil, err
	}
	inv, err := d.Open[i].WriteOff(d.inReview(c.InvoiceID), d.Now)
	return func() error {
		d.closed(i, inv, event.InvoiceMarkedUncollectible{Invoice: inv.Announced()})
		return d.writtenOff(inv)
	}, err
}

// inReview reports whether the live attempt of an invoice needs review. That may last for ever, so it does not prevent
// a person from giving the invoice up.
func (s State) inReview(invoiceID string) bool {
	return slices.ContainsFunc(s.Pending, func(t payment.Transaction) bool {
		return t.InvoiceID == invoiceID && !t.ParkedAt.IsZero()
	})
}

// writtenOff applies the write-off of an invoice to its owner.
func (d *Decision) writtenOff(inv invoice.Invoice) error {
	givenUp(d, inv)
	return d.owner().writtenOff(d, inv)
}

// givenUp keeps an invoice that was given up for the decisions that depend on it.
func givenUp(d *Decision, inv invoice.Invoice) {
	if d.owner().spans(d.State, inv) {
		d.WrittenOff = d.ranked(insert(d.WrittenOff, inv))
	}
}

// complete refuses a claim against a subscription that owes nothing until its first payment. Fault:
// subscription_incomplete.
func complete(s subscription.Subscription) error {
	if s.Status == subscription.Incomplete {
		return subscribing.ErrIncomplete
	}
	return nil
}
