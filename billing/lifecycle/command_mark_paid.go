package lifecycle

import (
	"slices"
	"time"

	"perennial/billing/collection"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/payment"
)

// MarkPaid settles an open or uncollectible invoice in full, by a payment outside Perennial. Its settlement names the
// transaction that books it. It calls off an unsent attempt; a sent one may capture too, so it must be decided first.
// PaidAt is the customer's time; zero: now. Faults: invoice_not_open, invoice_is_draft, payment_in_progress,
// subscription_in_trial, paid_in_future, paid_before_invoice.
type MarkPaid struct {
	InvoiceID string
	Closed    *invoice.Invoice // the invoice where it is not open, under lock
	Method    string           // as a code
	Reference string           // the payer's or the bank's; may be empty
	PaidAt    time.Time
}

// maxPrepaidYears bounds how long before its invoice a payment can have come: an earlier date is a typing error, or no
// date.
const maxPrepaidYears = 1

// Name returns mark_paid.
func (MarkPaid) Name() string { return "mark_paid" }

func (c MarkPaid) judge(d *Decision) (func() error, error) {
	if err := d.notDraft(c.InvoiceID); err != nil {
		return nil, err
	}
	i := d.IndexOpen(c.InvoiceID)
	inv, err := c.payable(d, i)
	if err != nil {
		return nil, err
	}
	if d.undecided(c.InvoiceID) {
		return nil, collection.ErrInProgress
	}
	if _, err := d.settled(inv); err != nil {
		return nil, err
	}
	if c.PaidAt.IsZero() {
		c.PaidAt = d.Now
	}
	if c.PaidAt.After(d.Now) {
		return nil, fault.InvalidParam("paidAt", "paid_in_future", "`paidAt` is later than now. Send when the money came.")
	}
	if c.PaidAt.Before(inv.IssuedAt.AddDate(-maxPrepaidYears, 0, 0)) {
		return nil, fault.InvalidParam("paidAt", "paid_before_invoice",
			"`paidAt` is more than a year before the invoice was issued. Send when the money came, in Unix seconds.")
	}
	return func() error {
		inv = d.TakeWrittenOff(inv)
		txn := payment.NewExternal(payment.NewExternalInput{
			ID: d.IDs.Transaction(d.Real), CustomerID: inv.CustomerID, SubscriptionID: inv.SubscriptionID, InvoiceID: inv.ID,
			Amount: inv.AmountDue, Currency: inv.Currency, Method: c.Method, Reference: c.Reference, PaidAt: c.PaidAt,
			Now: d.Now,
		})
		d.Changes.NewTransactions = append(d.Changes.NewTransactions, txn)
		d.Announce(event.PaymentSuccess{Payment: txn.Announced()})
		return d.Settle(i, inv, txn.ID)
	}, nil
}

// payable returns the invoice to settle: open invoice i; -1: it is not open.
func (c MarkPaid) payable(d *Decision, i int) (invoice.Invoice, error) {
	switch {
	case i >= 0:
		return d.Open[i], nil
	case c.Closed != nil && c.Closed.Status == invoice.Uncollectible:
		return *c.Closed, nil
	}
	return invoice.Invoice{}, ErrNotOpen
}

// undecided reports whether the live attempt of an invoice may have reached a provider.
func (s State) undecided(invoiceID string) bool {
	return slices.ContainsFunc(s.Pending, func(t payment.Transaction) bool {
		return t.InvoiceID == invoiceID && (t.EverSent() || !t.ParkedAt.IsZero())
	})
}
