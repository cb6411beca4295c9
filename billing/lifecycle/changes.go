package lifecycle

import (
	"slices"
	"time"

	"perennial/billing/creditnote"
	"perennial/billing/event"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/billing/subscription"
)

// Changes are the rows that a decision writes, each once and in its last form.
// All of them are one database transaction.
type Changes struct {
	At           time.Time                  // of the decision, in the subscription's own time
	Subscription *subscription.Subscription // nil: it stays as it is
	// Items are those of the subscription that are new or changed, EndedItems the ids of those that it has no longer.
	Items           []subscription.Item
	EndedItems      []string
	NewInvoices     []invoice.Invoice
	Finalized       []invoice.Invoice // drafts that become invoices with a number
	NewDrafts       []invoice.Invoice // of a subscription
	Redrawn         []invoice.Invoice // existing drafts of a subscription that bill something else now
	Discarded       []string          // drafts of a subscription that are removed
	Invoices        []invoice.Invoice // existing ones, changed
	NewTransactions []payment.Transaction
	Transactions    []payment.Transaction // existing ones, changed
	Credit          []CreditEntry
	Settlements     []Settlement
	CreditNotes     []creditnote.Note
	// Redeemed is the coupon that was redeemed, which is counted when all else is written; empty: none.
	Redeemed string
	// Unredeemed are coupons of which one redemption less counts.
	Unredeemed []string
	Events     []event.Event // in the order in which they happened
	// Starts are new transactions that no subscription's workflow follows: each needs a workflow of its own.
	Starts []string
	// Attempt is the latest attempt made, also one that failed at once; empty: none.
	Attempt string
	// Unfinished reports that more is due than one decision does: ask again.
	Unfinished bool
}

// CreditEntry moves the customer's credit on account of an invoice; a negative amount uses credit.
type CreditEntry struct {
	invoice.CreditEntry
	InvoiceID string
}

// Settlement is the one success that counts for an invoice. TransactionID is empty where nothing was left to pay.
type Settlement struct {
	InvoiceID     string
	TransactionID string
	Amount        money.Minor
}

// saveInvoice takes a row that has changed. A draft becomes an invoice that is open or paid: what becomes of that later
// in the decision is another write of the row.
func (c *Changes) saveInvoice(inv invoice.Invoice) {
	if replace(c.NewInvoices, inv, idOf) || replace(c.Invoices, inv, idOf) {
		return
	}
	asIssued := (inv.Status == invoice.Open || inv.Status == invoice.Paid) && inv.Credited == (invoice.Credited{})
	if !asIssued || !replace(c.Finalized, inv, idOf) {
		c.Invoices = append(c.Invoices, inv)
	}
}

func idOf(inv invoice.Invoice) string { return inv.ID }

// finalize takes a draft that becomes an invoice. One that was made in the same decision is a new invoice.
func (c *Changes) finalize(inv invoice.Invoice) {
	if forget(&c.NewDrafts, inv.ID) {
		c.NewInvoices = append(c.NewInvoices, inv)
		return
	}
	c.Finalized = append(c.Finalized, inv)
}

// redraw takes a draft that bills something else now.
func (c *Changes) redraw(inv invoice.Invoice) {
	if !replace(c.NewDrafts, inv, idOf) && !replace(c.Redrawn, inv, idOf) {
		c.Redrawn = append(c.Redrawn, inv)
	}
}

// discard takes a draft away.
func (c *Changes) discard(id string) {
	forget(&c.Redrawn, id)
	if !forget(&c.NewDrafts, id) {
		c.Discarded = append(c.Discarded, id)
	}
}

// drawn are all invoices that the decision makes, drafts too, and those that it finalizes.
func (c Changes) drawn() []invoice.Invoice {
	redrawn := slices.DeleteFunc(slices.Clone(c.Redrawn), func(inv invoice.Invoice) bool {
		return slices.ContainsFunc(c.Finalized, func(other invoice.Invoice) bool { return other.ID == inv.ID })
	})
	return slices.Concat(c.Finalized, c.NewInvoices, redrawn, c.NewDrafts)
}

// forget drops the row of an id; false: there is none.
func forget(rows *[]invoice.Invoice, id string) bool {
	before := len(*rows)
	*rows = slices.DeleteFunc(*rows, func(inv invoice.Invoice) bool { return inv.ID == id })
	return len(*rows) < before
}

func (c *Changes) saveTransaction(t payment.Transaction) {
	id := func(t payment.Transaction) string { return t.ID }
	if !replace(c.NewTransactions, t, id) && !replace(c.Transactions, t, id) {
		c.Transactions = append(c.Transactions, t)
	}
}

// replace puts a row in the place of the one with its id; false: there is none.
func replace[T any](rows []T, row T, id func(T) string) bool {
	i := slices.IndexFunc(rows, func(other T) bool { return id(other) == id(row) })
	if i >= 0 {
		rows[i] = row
	}
	return i >= 0
}

// Made returns the new transaction of an id; nil: there is none.
func (c Changes) Made(id string) *payment.Transaction {
	for i := range c.NewTransactions {
		if c.NewTransactions[i].ID == id {
			return &c.NewTransactions[i]
		}
	}
	return nil
}
