// Package usage owns the counting of a product's use: records, metrics that turn records into a quantity, and the
// running states of quantities, one aggregation in a file. Package db stores records and states, and rating turns a
// quantity into an amount.
package usage

import (
	"time"

	"perennial/billing/money"
)

// Record is one report of usage. It never changes: another record corrects a wrong one.
type Record struct {
	ID             string
	Position       int64 // in the order of receipt; 0: unknown
	SubscriptionID string
	Metric         string // the metric's name
	Quantity       money.Decimal
	At             time.Time
	Key            string // the caller's, unique in the environment, permanently
	Properties     Properties
	// Salt is hashed with a key of the properties, so that the key cannot be guessed from a state after the salt is
	// deleted.
	Salt []byte
	// Corrects is the id of the record that this one corrects by its negative quantity. It has the time and the properties
	// of that record.
	Corrects string
}

// Properties are the caller's properties of a record: filters, dimensions, keys and values of metrics.
type Properties map[string]string

// The bounds of a record.
const (
	MaxProperties = 20
	MaxProperty   = 200 // characters of a property's value
	MaxName       = 100 // characters of the name of a property or a metric
	MaxKey        = 255
	MaxBatch      = 1000
)
