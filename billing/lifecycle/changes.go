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
	"perennial/billing/overdue"
	"perennial/billing/payment"
	"perennial/billing/subscription"
)

// Changes are the rows that a decision writes, each once and in its last form; only a draft that becomes an invoice may
// have two writes. One database transaction writes all of them.
type Changes struct {
	At           time.Time                  // of the decision, in the subscription's time
	Subscription *subscription.Subscription // nil: unchanged
	// Items are the new or changed items of the subscription, EndedItems the ids of removed ones.
	Items           []subscription.Item
	EndedItems      []string
	Invoices        InvoiceChanges
	NewTransactions []payment.Transaction
	Transactions    []payment.Transaction // existing ones, changed
	Credit          []CreditEntry
	Settlements     []Settlement
	CreditNotes     []creditnote.Note
	Adjustments     []Adjustment
	Segments        []metering.Segment // ended segments of usage
	Usage           []UsageBilled
	Crossings       []Crossing // of usage thresholds
	AsksThresholds  bool       // recorded usage may have reached a threshold
	NewGrants       []balance.Grant
	EndedGrants     []EndedGrant
	Standing        *overdue.Standing // of the customer, by the overdue policy; nil: unchanged
	// Redeemed is the redeemed coupon, which is counted after all other writes; empty: none.
	Redeemed string
	// Unredeemed are coupons with one redemption less.
	Unredeemed []string
	Events     []event.Event // in order of time
	// Starts are new transactions without a subscription's workflow: each needs its own workflow.
	Starts []string
	// Attempt is the last attempt, also one that failed at once; empty: none.
	Attempt string
	// Refund is the last refund that a command made; empty: none.
	Refund string
	// Unfinished reports that more is due than one decision performs: call again.
	Unfinished bool
}

// CreditEntry moves the customer's credit because of an invoice; a negative amount uses credit.
type CreditEntry struct {
	invoice.CreditEntry
	InvoiceID string
}

// Settlement is the one success that pays an invoice. TransactionID is empty where nothing was left to pay.
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

// replace replaces the row with the same id; false: there is none.
func replace[T any](rows []T, row T, id func(T) string) bool {
	i := slices.IndexFunc(rows, func(other T) bool { return id(other) == id(row) })
	if i >= 0 {
		rows[i] = row
	}
	return i >= 0
}

// Made returns the new transaction with an id; nil: there is none.
func (c Changes) Made(id string) *payment.Transaction {
	for i := range c.NewTransactions {
		if c.NewTransactions[i].ID == id {
			return &c.NewTransactions[i]
		}
	}
	return nil
}

// InvoiceKind is the change of an invoice's row. The kinds are in the order of writes.
type InvoiceKind int

// The kinds of InvoiceChange.
const (
	InvoiceChanged InvoiceKind = iota // an existing invoice
	DraftDeleted
	DraftUpdated        // with other lines
	DraftCreated        // without a number
	LinesTakenBack      // without a number: credit notes tell of them
	InvoiceCreated      // the write gives it a number
	InvoiceFinalized    // a draft becomes an invoice; the write gives it a number
	FinalizedAndChanged // a later change of an InvoiceFinalized in the same decision
)

// InvoiceChange is one write of an invoice's row.
type InvoiceChange struct {
	Kind    InvoiceKind
	Invoice invoice.Invoice
}

// InvoiceChanges has the writes of invoices of a decision, in their order. It writes the row of an invoice once, unless
// it was a draft before.
type InvoiceChanges []InvoiceChange

// Of returns the invoices of some kinds, in the order of the kinds.
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

// Finalized returns the draft with an id that becomes an invoice; nil: there is none.
func (c InvoiceChanges) Finalized(id string) *invoice.Invoice {
	if i := c.index(InvoiceFinalized, id); i >= 0 {
		return &c[i].Invoice
	}
	return nil
}

// Latest returns an invoice after its last write; nil: it has none. Lines that were taken back are no invoice.
func (c InvoiceChanges) Latest(id string) *invoice.Invoice {
	for i := range slices.Backward(c) {
		if c[i].Invoice.ID == id && c[i].Kind != LinesTakenBack {
			return &c[i].Invoice
		}
	}
	return nil
}

// add inserts a change after those of its kind.
func (c *InvoiceChanges) add(kind InvoiceKind, inv invoice.Invoice) {
	i := slices.IndexFunc(*c, func(other InvoiceChange) bool { return other.Kind > kind })
	if i < 0 {
		i = len(*c)
	}
	*c = slices.Insert(*c, i, InvoiceChange{kind, inv})
}

// save adds a changed invoice. A draft becomes an open or paid invoice; its later changes in the decision are another
// write of the row.
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

// finalize adds a draft that becomes an invoice. A draft from the same decision is a new invoice.
func (c *InvoiceChanges) finalize(inv invoice.Invoice) {
	if c.forget(DraftCreated, inv.ID) {
		c.add(InvoiceCreated, inv)
		return
	}
	c.add(InvoiceFinalized, inv)
}

// redraw adds a draft with other lines.
func (c *InvoiceChanges) redraw(inv invoice.Invoice) {
	if !c.replace(DraftCreated, inv) && !c.replace(DraftUpdated, inv) {
		c.add(DraftUpdated, inv)
	}
}

// discard removes a draft.
func (c *InvoiceChanges) discard(draft invoice.Invoice) {
	c.forget(DraftUpdated, draft.ID)
	if !c.forget(DraftCreated, draft.ID) {
		c.add(DraftDeleted, draft)
	}
}

// Drawn returns all invoices and drafts that the decision creates or finalizes.
func (c InvoiceChanges) Drawn() []invoice.Invoice {
	redrawn := slices.DeleteFunc(c.Of(DraftUpdated), func(inv invoice.Invoice) bool { return c.Finalized(inv.ID) != nil })
	return slices.Concat(c.Of(InvoiceFinalized, InvoiceCreated), redrawn, c.Of(DraftCreated))
}

// index returns the index of an invoice's change of a kind; -1: there is none.
func (c InvoiceChanges) index(kind InvoiceKind, id string) int {
	return slices.IndexFunc(c, func(change InvoiceChange) bool { return change.Kind == kind && change.Invoice.ID == id })
}

// replace replaces the invoice in its change of a kind; false: there is none.
func (c InvoiceChanges) replace(kind InvoiceKind, inv invoice.Invoice) bool {
	i := c.index(kind, inv.ID)
	if i >= 0 {
		c[i].Invoice = inv
	}
	return i >= 0
}

// forget removes an invoice's change of a kind; false: there is none.
func (c *InvoiceChanges) forget(kind InvoiceKind, id string) bool {
	i := c.index(kind, id)
	if i >= 0 {
		*c = slices.Delete(*c, i, i+1)
	}
	return i >= 0
}

// LeavesAtRest reports whether a decision leaves the subscription's workflow without work: all due actions are
// performed, no charge was or is in progress, and the next date is not earlier. The workflow gets a signal, so that
// operators see the change, but a lost signal does no harm: it reads the row at the date that it knows.
func LeavesAtRest(before, after State, c Changes) bool {
	was, is := before.Subscription, after.Subscription
	if c.Unfinished || !is.FinishedAt.IsZero() || len(before.Pending) > 0 || len(after.Pending) > 0 {
		return false
	}
	return !was.NextActionAt.IsZero() && !is.NextActionAt.Before(was.NextActionAt)
}
