package lifecycle

import (
	"slices"
	"time"

	"perennial/billing/balance"
	"perennial/billing/creditnote"
	"perennial/billing/event"
	"perennial/billing/invoice"
	"perennial/billing/metering"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/billing/subscription"
)

// Changes are the rows that a decision writes, each once and in its last form, but for a draft that becomes an invoice.
// All of them are one database transaction.
type Changes struct {
	At           time.Time                  // of the decision, in the subscription's own time
	Subscription *subscription.Subscription // nil: it stays as it is
	// Items are those of the subscription that are new or changed, EndedItems the ids of those that it has no longer.
	Items           []subscription.Item
	EndedItems      []string
	Invoices        InvoiceChanges
	NewTransactions []payment.Transaction
	Transactions    []payment.Transaction // existing ones, changed
	Credit          []CreditEntry
	Settlements     []Settlement
	CreditNotes     []creditnote.Note
	Adjustments     []Adjustment
	Segments        []metering.Segment // of usage, that ended
	Usage           []UsageBilled
	Crossings       []Crossing // of thresholds of usage
	NewGrants       []balance.Grant
	EndedGrants     []EndedGrant
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

// InvoiceKind is the change of an invoice's row. The kinds are in the order in which they are written.
type InvoiceKind int

// The kinds of InvoiceChange.
const (
	InvoiceChanged InvoiceKind = iota // an existing one
	DraftDeleted
	DraftUpdated        // it bills something else now
	DraftCreated        // it has no number
	InvoiceCreated      // it gets its number when it is written
	InvoiceFinalized    // a draft becomes an invoice, and gets its number when it is written
	FinalizedAndChanged // what became of an InvoiceFinalized in the same decision
)

// InvoiceChange is one write of an invoice's row.
type InvoiceChange struct {
	Kind    InvoiceKind
	Invoice invoice.Invoice
}

// InvoiceChanges has the writes of invoices of a decision, in their order. The row of an invoice is written once,
// unless it was a draft before.
type InvoiceChanges []InvoiceChange

// Of returns the invoices of some kinds: those of the first kind first.
func (c InvoiceChanges) Of(kinds ...InvoiceKind) (all []invoice.Invoice) {
	for _, kind := range kinds {
		for _, change := range c {
			if change.Kind == kind {
				all = append(all, change.Invoice)
			}
		}
	}
	return all
}

// Finalized returns the draft of an id that becomes an invoice; nil: there is none.
func (c InvoiceChanges) Finalized(id string) *invoice.Invoice {
	if i := c.index(InvoiceFinalized, id); i >= 0 {
		return &c[i].Invoice
	}
	return nil
}

// Latest returns an invoice as its last write leaves it; nil: nothing is written of it.
func (c InvoiceChanges) Latest(id string) *invoice.Invoice {
	for i := range slices.Backward(c) {
		if c[i].Invoice.ID == id {
			return &c[i].Invoice
		}
	}
	return nil
}

// add puts a change behind those of its kind.
func (c *InvoiceChanges) add(kind InvoiceKind, inv invoice.Invoice) {
	i := slices.IndexFunc(*c, func(other InvoiceChange) bool { return other.Kind > kind })
	if i < 0 {
		i = len(*c)
	}
	*c = slices.Insert(*c, i, InvoiceChange{kind, inv})
}

// save takes an invoice that has changed. A draft becomes an invoice that is open or paid: what becomes of that later
// in the decision is another write of the row.
func (c *InvoiceChanges) save(inv invoice.Invoice) {
	if c.replace(InvoiceCreated, inv) || c.replace(InvoiceChanged, inv) || c.replace(FinalizedAndChanged, inv) {
		return
	}
	asIssued := (inv.Status == invoice.Open || inv.Status == invoice.Paid) && inv.Credited == (invoice.Credited{})
	switch {
	case asIssued && c.replace(InvoiceFinalized, inv):
	case c.Finalized(inv.ID) != nil:
		c.add(FinalizedAndChanged, inv)
	default:
		c.add(InvoiceChanged, inv)
	}
}

// finalize takes a draft that becomes an invoice. One that was made in the same decision is a new invoice.
func (c *InvoiceChanges) finalize(inv invoice.Invoice) {
	if c.forget(DraftCreated, inv.ID) {
		c.add(InvoiceCreated, inv)
		return
	}
	c.add(InvoiceFinalized, inv)
}

// redraw takes a draft that bills something else now.
func (c *InvoiceChanges) redraw(inv invoice.Invoice) {
	if !c.replace(DraftCreated, inv) && !c.replace(DraftUpdated, inv) {
		c.add(DraftUpdated, inv)
	}
}

// discard takes a draft away.
func (c *InvoiceChanges) discard(draft invoice.Invoice) {
	c.forget(DraftUpdated, draft.ID)
	if !c.forget(DraftCreated, draft.ID) {
		c.add(DraftDeleted, draft)
	}
}

// Drawn returns all invoices that the decision makes, drafts too, and those that it finalizes.
func (c InvoiceChanges) Drawn() []invoice.Invoice {
	redrawn := slices.DeleteFunc(c.Of(DraftUpdated), func(inv invoice.Invoice) bool { return c.Finalized(inv.ID) != nil })
	return slices.Concat(c.Of(InvoiceFinalized, InvoiceCreated), redrawn, c.Of(DraftCreated))
}

// index finds the change of a kind to an invoice; -1: there is none.
func (c InvoiceChanges) index(kind InvoiceKind, id string) int {
	return slices.IndexFunc(c, func(change InvoiceChange) bool { return change.Kind == kind && change.Invoice.ID == id })
}

// replace puts an invoice in the place of its change of a kind; false: there is none.
func (c InvoiceChanges) replace(kind InvoiceKind, inv invoice.Invoice) bool {
	i := c.index(kind, inv.ID)
	if i >= 0 {
		c[i].Invoice = inv
	}
	return i >= 0
}

// forget drops the change of a kind to an invoice; false: there is none.
func (c *InvoiceChanges) forget(kind InvoiceKind, id string) bool {
	i := c.index(kind, id)
	if i >= 0 {
		*c = slices.Delete(*c, i, i+1)
	}
	return i >= 0
}

// LeavesAtRest reports whether a decision gives the subscription's workflow nothing to do: all that was due is done, no
// charge was or is under way, and the next date did not come nearer. Such a workflow is told, so that operators see it,
// but nothing is lost where the word does not arrive: at the date that it knows it reads the row.
func LeavesAtRest(before, after State, c Changes) bool {
	was, is := before.Subscription, after.Subscription
	if c.Unfinished || !is.FinishedAt.IsZero() || len(before.Pending) > 0 || len(after.Pending) > 0 {
		return false
	}
	return !was.NextActionAt.IsZero() && !is.NextActionAt.Before(was.NextActionAt)
}
