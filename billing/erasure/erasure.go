// Package erasure owns the order in which a deletion is carried out: stages, each in batches, so that no transaction
// grows with the amount of data. It does not own the rows that a stage erases (db), the end of subscriptions
// (lifecycle), nor the time of the next batch (workflows).
package erasure

import (
	"cmp"
	"time"
)

// Stage is the part of the data that an erasure works on.
type Stage string

// The stages: Customers for a test clock, the others, in this order, for a customer.
const (
	Customers     Stage = "customers"     // each gets an erasure of its own
	Subscriptions Stage = "subscriptions" // canceled first; then their metadata and the reasons that people gave
	Invoices      Stage = "invoices"      // the buyer's details, and the memos of credit notes
	Transactions  Stage = "transactions"  // payment methods, descriptions, reasons, and what providers responded
	Events        Stage = "events"        // reasons of people and providers, and what receivers of webhooks answered
	Responses     Stage = "responses"     // stored for idempotent repeats
	Finished      Stage = "finished"
)

// after is the stage that follows a stage with nothing left to do.
var after = map[Stage]Stage{
	Customers:     Finished,
	Subscriptions: Invoices,
	Invoices:      Transactions,
	Transactions:  Events,
	Events:        Responses,
	Responses:     Finished,
}

// Erasure is the deletion of a customer, or of a test clock with its customers: one of CustomerID and TestClockID.
type Erasure struct {
	ID          string
	CustomerID  string
	TestClockID string
	Stage       Stage
	After       int64  // the list position up to which the stage is done
	UsageAfter  string // the record up to which usage is done, in words of where it is kept
	RequestedAt time.Time
	ProgressAt  time.Time // of the last batch
	FinishedAt  time.Time
}

// OfCustomer returns an erasure of a customer that begins.
func OfCustomer(id, customerID string, now time.Time) Erasure {
	return Erasure{ID: id, CustomerID: customerID, Stage: Subscriptions, RequestedAt: now, ProgressAt: now}
}

// OfTestClock returns an erasure of a test clock's customers that begins.
func OfTestClock(id, clockID string, now time.Time) Erasure {
	return Erasure{ID: id, TestClockID: clockID, Stage: Customers, RequestedAt: now, ProgressAt: now}
}

// Batch returns how many rows one transaction handles: fewer where each is a decision of its own.
func (e Erasure) Batch() int {
	switch e.Stage {
	case Customers, Subscriptions:
		return 20
	default:
		return 200
	}
}

// Handled is the result of one batch.
type Handled struct {
	Rows int
	Last int64 // the highest position among them; 0: the rows of this stage have none
	// UsageAfter is the last record of usage among them; empty: the batch was of something else.
	UsageAfter string
}

// Next returns the erasure after a batch of at most atMost rows. A batch that was not full ends its stage.
func (e Erasure) Next(h Handled, atMost int, now time.Time) Erasure {
	e.ProgressAt, e.UsageAfter = now, cmp.Or(h.UsageAfter, e.UsageAfter)
	if h.Rows >= atMost {
		e.After = h.Last
		return e
	}
	if e.Stage, e.After = after[e.Stage], 0; e.Stage == Finished {
		e.FinishedAt = now
	}
	return e
}
