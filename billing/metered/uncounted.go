package metered

import (
	"slices"

	"perennial/billing/fault"
)

// Uncountable reports whether a fault is of the records that one price counts: too many values of its dimensions, or
// too many to look at one by one. The other prices of the subscription are billed without it.
func Uncountable(err error) bool {
	return err != nil && slices.Contains([]string{"metered_lots_too_many", "metered_transactions_too_many"}, fault.From(err).Code)
}

// LeaveOut leaves a question without an answer, for that reason.
func (q *Question) LeaveOut(why error) { q.uncounted, q.tallies = why, nil }

// Uncounted is why a component of the segment could not be counted; nil: all were.
func (s Segment) Uncounted() error {
	for _, used := range s.Usage {
		if used.Uncounted != nil {
			return used.Uncounted
		}
	}
	return nil
}

// complete reports whether all components of the segment were counted.
func (s Segment) complete() bool { return s.Uncounted() == nil }

// Billable returns what was billed of the segment without the keys of which it is not known what they come to by now:
// those of components that could not be counted, and of what counts all prices together.
func (s Segment) Billable(billed []Charge) []Charge {
	if s.complete() {
		return billed
	}
	known := map[string]bool{}
	for _, used := range s.Usage {
		known[used.ID] = used.Uncounted == nil
	}
	return slices.DeleteFunc(slices.Clone(billed), func(b Charge) bool { return !known[b.PriceID] })
}
