package usage

import (
	"encoding/json"
	"time"

	"perennial/billing/money"
)

// State is one aggregation's state of some records. More can be added, and two states be merged, in any order and
// division. Corrections are applied before (Effective): a bucket with a new correction is recounted.
type State interface {
	// Add adds a record.
	Add(Measured)
	// Merge adds another state of the same aggregation.
	Merge(State)
	// Carry moves the state to a period that begins later: only its time changes, to the period's start.
	Carry(to time.Time)
	// Value returns the quantity in a period. All records are before its end.
	Value(Span) money.Decimal
	// Records returns the number of added records.
	Records() int64
}

// Span is a period [Start, End). Weight is the length of time that divides a weighted sum; zero: the span's own. Late
// is the time until which records after the End count as of its last instant; zero: none do. Only the last period of a
// series may have it.
type Span struct {
	Start, End time.Time
	Late       time.Time
	Weight     time.Duration
}

// Until returns the time until which records count in the period.
func (s Span) Until() time.Time {
	if s.Late.After(s.End) {
		return s.Late
	}
	return s.End
}

func (s Span) weight() time.Duration {
	if s.Weight > 0 {
		return s.Weight
	}
	return s.End.Sub(s.Start)
}

// Aggregation is the way in which records become one quantity.
type Aggregation string

// The aggregations.
const (
	Sum          Aggregation = "sum"
	Count        Aggregation = "count"
	Max          Aggregation = "max"
	Last         Aggregation = "last"           // the quantity of the latest record
	UniqueCount  Aggregation = "unique_count"   // the keys whose latest record has a quantity above 0
	WeightedSum  Aggregation = "weighted_sum"   // a level that records change, averaged over the time of the period
	LatestPerKey Aggregation = "latest_per_key" // the sum of the latest quantity of each key
)

var states = map[Aggregation]func() State{
	Sum: func() State { return &sum{} }, Count: func() State { return &count{} }, Max: func() State { return &maximum{} },
	Last: func() State { return &last{} }, UniqueCount: func() State { return &uniqueCount{} },
	WeightedSum: func() State { return &weightedSum{} }, LatestPerKey: func() State { return &latestPerKey{} },
}

// Aggregations returns all of them, in the order of the documentation.
func Aggregations() []Aggregation {
	return []Aggregation{Sum, Count, Max, Last, UniqueCount, WeightedSum, LatestPerKey}
}

// New returns an empty state.
func (a Aggregation) New() State { return states[a]() }

// Read decodes a state that was encoded as JSON.
func (a Aggregation) Read(text []byte) (State, error) {
	s := a.New()
	return s, json.Unmarshal(text, s)
}

// Adds reports whether states of the aggregation only add up: the state of several is the sum of each of their fields.
func (a Aggregation) Adds() bool { return a == Sum || a == Count }

// keyed reports whether the aggregation separates records by a key.
func (a Aggregation) keyed() bool { return a == UniqueCount || a == LatestPerKey }

// Recount returns the state of these records with their corrections.
func (a Aggregation) Recount(all []Measured) State {
	s := a.New()
	for _, m := range Effective(all) {
		s.Add(m)
	}
	return s
}

// number is a decimal in a state, with all digits of its sum.
type number struct{ money.Decimal }

func (n *number) UnmarshalText(text []byte) (err error) {
	if len(text) == 0 {
		n.Decimal = money.Decimal{}
		return nil
	}
	n.Decimal, err = money.ReadDecimal(string(text))
	return err
}

func (n *number) add(d money.Decimal) { n.Decimal = n.Decimal.Add(d) }
