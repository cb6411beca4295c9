package usage

import (
	"crypto/sha256"
	"encoding/base64"
	"time"

	"perennial/billing/money"
)

// perKey keeps the latest record of each key.
type perKey struct {
	N    int64             `json:"n"`
	Keys map[string]latest `json:"keys,omitempty"` // by keyHash
}

type latest struct {
	Value number `json:"v"`
	moment
}

// keyHash returns the form of a key in a state. Keys are often names or addresses of people, and a state outlives the
// records. 128 bits separate any number of keys.
func keyHash(salt []byte, key string) string {
	sum := sha256.Sum256(append(salt[:len(salt):len(salt)], key...))
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

func (s *perKey) Add(m Measured) {
	s.N++
	s.take(m.Key, latest{number{money.Whole(0).Add(m.Value)}, momentOf(m)})
}

func (s *perKey) merge(o *perKey) {
	s.N += o.N
	for key, l := range o.Keys {
		s.take(key, l)
	}
}

func (s *perKey) take(key string, l latest) {
	if s.Keys == nil {
		s.Keys = map[string]latest{}
	}
	if known, has := s.Keys[key]; !has || l.after(known.moment) {
		s.Keys[key] = l
	}
}

func (s *perKey) Carry(time.Time) {}
func (s *perKey) Records() int64  { return s.N }

// latestPerKey sums the latest quantity of each key.
type latestPerKey struct{ perKey }

func (s *latestPerKey) Merge(other State) { s.merge(&other.(*latestPerKey).perKey) }

func (s *latestPerKey) Value(Span) money.Decimal {
	total := money.Whole(0)
	for _, l := range s.Keys {
		total = total.Add(l.Value.Decimal)
	}
	return total
}
