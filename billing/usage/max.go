package usage

import (
	"time"

	"perennial/billing/money"
)

// maximum keeps the largest quantity; 0 without records.
type maximum struct {
	N   int64  `json:"n"`
	Max number `json:"max"`
}

func (s *maximum) Add(m Measured) { s.take(1, m.Value) }

func (s *maximum) Merge(other State) {
	if o := other.(*maximum); o.N > 0 {
		s.take(o.N, o.Max.Decimal)
	}
}

func (s *maximum) take(n int64, value money.Decimal) {
	if s.N == 0 || value.Cmp(s.Max.Decimal) > 0 {
		s.Max.Decimal = money.Whole(0).Add(value)
	}
	s.N += n
}

func (s *maximum) Carry(time.Time)          {}
func (s *maximum) Value(Span) money.Decimal { return money.Whole(0).Add(s.Max.Decimal) }
func (s *maximum) Records() int64           { return s.N }
