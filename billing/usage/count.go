package usage

import (
	"time"

	"perennial/billing/money"
)

// count counts records, with any quantity.
type count struct {
	N int64 `json:"n"`
}

func (s *count) Add(Measured)             { s.N++ }
func (s *count) Merge(other State)        { s.N += other.(*count).N }
func (s *count) Carry(time.Time)          {}
func (s *count) Value(Span) money.Decimal { return money.Whole(s.N) }
func (s *count) Records() int64           { return s.N }
