package usage

import "perennial/billing/money"

// uniqueCount counts the keys that are present at the end of the period: those whose latest record has a quantity above
// 0. A record with the quantity 0 removes its key.
type uniqueCount struct{ perKey }

func (s *uniqueCount) Merge(other State) { s.merge(&other.(*uniqueCount).perKey) }

func (s *uniqueCount) Value(Span) money.Decimal {
	var n int64
	for _, l := range s.Keys {
		if l.Value.Sign() > 0 {
			n++
		}
	}
	return money.Whole(n)
}
