package proration

import "perennial/billing/money"

// Span is a part of a period, counted in units of a measure: from unit From up to unit To of Length.
type Span struct {
	From, To, Length int64
}

// Of is the part of a price that falls on the span, rounded cumulatively: the spans of any division of a period sum to
// the price.
func (s Span) Of(price money.Minor) money.Minor { return money.Part(price, s.From, s.To, s.Length) }

// Units returns the number of units of the span.
func (s Span) Units() int64 { return s.To - s.From }

// Whole reports whether the span is all of the period.
func (s Span) Whole() bool { return s.From == 0 && s.To == s.Length }
