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
	Invoices        []invoice.Invoice // existing ones, changed
	NewTransactions []payment.Transaction
	Transactions    []payment.Transaction // existing ones, changed
	Credit          []CreditEntry
	Settlements     []Settlement
	CreditNotes     []creditnote.Note
	// Redeemed is the coupon that was redeemed, which is counted when all else is written; empty: none.
	Redeemed string
	Events   []event.Event // in the order in which they happened
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

func (c *Changes) saveInvoice(inv invoice.Invoice) {
	id := func(i invoice.Invoice) string { return i.ID }
	if !replace(c.NewInvoices, inv, id) && !replace(c.Finalized, inv, id) && !replace(c.Invoices, inv, id) {
		c.Invoices = append(c.Invoices, inv)
	}
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
