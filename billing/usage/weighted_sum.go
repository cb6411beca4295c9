package usage

import (
	"time"

	"perennial/billing/money"
)

// weightedSum averages a level over time. Each record changes the level by its quantity from its time on. With the
// level L before the period, changes v at times t, and the period [a, b):
//
//	average = (L (b - a) + Σ v (b - t)) / (b - a) = (L (b - a) + b Σ v - Σ v t) / (b - a)
//
// Therefore two sums are enough, and they merge. Earlier usage is carried to the start of the period.
type weightedSum struct {
	N      int64  `json:"n"`
	Change number `json:"sum"`    // Σ v
	Moment number `json:"moment"` // Σ v t, with t in microseconds of Unix time
}

func (s *weightedSum) Add(m Measured) {
	s.N++
	s.Change.add(m.Value)
	s.Moment.add(m.Value.Mul(money.Whole(m.At.UnixMicro())))
}

func (s *weightedSum) Merge(other State) {
	o := other.(*weightedSum)
	s.N += o.N
	s.Change.add(o.Change.Decimal)
	s.Moment.add(o.Moment.Decimal)
}

func (s *weightedSum) Carry(to time.Time) {
	s.Moment.Decimal = s.Change.Mul(money.Whole(to.UnixMicro()))
}

func (s *weightedSum) Value(span Span) money.Decimal {
	weight := span.weight().Microseconds()
	if weight <= 0 {
		return money.Whole(0)
	}
	return s.Change.Mul(money.Whole(span.End.UnixMicro())).Sub(s.Moment.Decimal).Quo(money.Whole(weight))
}

func (s *weightedSum) Records() int64 { return s.N }
