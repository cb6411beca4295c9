package usage

import (
	"cmp"
	"time"

	"perennial/billing/money"
)

// moment is the time at which a record counts, for aggregations of the latest one: of two at the same time, the later
// received one counts.
type moment struct {
	At       int64  `json:"at"`          // in microseconds of Unix time
	Position int64  `json:"p,omitempty"` // 0 in states from before positions were stored
	ID       string `json:"id"`
}

func momentOf(m Measured) moment { return moment{m.At.UnixMicro(), m.Position, m.ID} }

func (m moment) after(other moment) bool {
	return cmp.Or(cmp.Compare(m.At, other.At), cmp.Compare(m.Position, other.Position), cmp.Compare(m.ID, other.ID)) > 0
}

// last keeps the quantity of the latest record; 0 without records.
type last struct {
	N     int64  `json:"n"`
	Quant number `json:"last"`
	moment
}

func (s *last) Add(m Measured) { s.take(1, momentOf(m), m.Value) }

func (s *last) Merge(other State) {
	if o := other.(*last); o.N > 0 {
		s.take(o.N, o.moment, o.Quant.Decimal)
	}
}

func (s *last) take(n int64, at moment, value money.Decimal) {
	if s.N == 0 || at.after(s.moment) {
		s.moment, s.Quant.Decimal = at, money.Whole(0).Add(value)
	}
	s.N += n
}

func (s *last) Carry(time.Time)          {}
func (s *last) Value(Span) money.Decimal { return money.Whole(0).Add(s.Quant.Decimal) }
func (s *last) Records() int64           { return s.N }
