// Package usage owns what is counted of the use of a product: a record, a metric that says how records become a
// quantity, and the running states in which quantities are kept, one aggregation a file. It does not own where records
// and states are stored (db), nor what a quantity costs (rating).
package usage

import (
	"time"

	"perennial/billing/money"
)

// Record is one report of usage. It never changes: what was reported wrongly is corrected by another record.
type Record struct {
	ID             string
	Position       int64 // in the order of receipt; 0: not known
	SubscriptionID string
	Metric         string // the metric's name
	Quantity       money.Decimal
	At             time.Time
	Key            string // the caller's, unique in the environment for ever
	Properties     Properties
	// Salt is hashed with a key of the properties, so that the key cannot be guessed from a state once the salt is gone.
	Salt []byte
	// Corrects is the id of the record whose quantity this one changes by its own, which is negative. It has the time and
	// the properties of that record.
	Corrects string
}

// Properties are what callers say about a record: filters, dimensions, keys and values of metrics.
type Properties map[string]string

// The bounds of a record.
const (
	MaxProperties = 20
	MaxProperty   = 200 // characters of a property's value
	MaxName       = 100 // characters of the name of a property or a metric
	MaxKey        = 255
	MaxBatch      = 1000
)
