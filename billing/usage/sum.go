package usage

import (
	"time"

	"perennial/billing/money"
)

// sum adds quantities up.
type sum struct {
	N     int64  `json:"n"`
	Total number `json:"sum"`
}

func (s *sum) Add(m Measured) {
	s.N++
	s.Total.add(m.Value)
}

func (s *sum) Merge(other State) {
	o := other.(*sum)
	s.N += o.N
	s.Total.add(o.Total.Decimal)
}

func (s *sum) Carry(time.Time)          {}
func (s *sum) Value(Span) money.Decimal { return money.Whole(0).Add(s.Total.Decimal) }
func (s *sum) Records() int64           { return s.N }
