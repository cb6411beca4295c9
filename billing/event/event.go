// Package event owns the facts that Perennial announces: their types and the data each carries, one struct for each
// type. Data holds ids, codes and amounts only, never personal data; texts of people and providers are only in the two
// fields cancelReason and failureReason, which an erasure blanks. It does not own delivery.
package event

//go:generate go test . -run ^Test(Page|Schema|JSON)_ -count=1 -update

import "time"

// Type names what happened; apps choose by it what to receive.
type Type string

// Data is the `data` object of payload shape A. Its struct says the type; New makes an event of it.
type Data interface {
	Type() Type
	about() about
}

// about has the objects of an event.
type about struct {
	objectID       string // `data.id`: receivers deduplicate on it
	customerID     string // empty: none
	subscriptionID string // empty: none
}

// Event is one fact, before it is stored.
type Event struct {
	Data       Data
	OccurredAt time.Time // virtual on a test clock
}

// New announces data. at is the time of the customer that it is about.
func New(data Data, at time.Time) Event { return Event{Data: data, OccurredAt: at} }

// Type is the type of the event's data.
func (e Event) Type() Type { return e.Data.Type() }

// ObjectID returns the id of the event's object: receivers deduplicate on it.
func (e Event) ObjectID() string { return e.Data.about().objectID }

// CustomerID is the customer that the event is about; empty: none.
func (e Event) CustomerID() string { return e.Data.about().customerID }

// SubscriptionID is the subscription that the event is about; empty: none.
func (e Event) SubscriptionID() string { return e.Data.about().subscriptionID }
