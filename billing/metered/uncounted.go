package metered

import (
	"slices"

	"perennial/billing/fault"
)

// Uncountable reports whether a fault concerns the records of one price: too many values of its dimensions, or too many
// records for a price by record. The subscription's other prices are billed without it.
func Uncountable(err error) bool {
	return err != nil && slices.Contains([]string{"metered_lots_too_many", "metered_transactions_too_many"}, fault.From(err).Code)
}

// LeaveOut leaves a question without an answer, with the reason.
func (q *Question) LeaveOut(why error) { q.uncounted, q.tallies = why, nil }

// Uncounted returns why a component of the segment could not be counted; nil: all were.
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

// Billable returns the billed charges of the segment without the keys of unknown amount: those of components that could
// not be counted, and of charges on all prices together.
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
