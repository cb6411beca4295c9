package rating

import (
	"encoding/json"

	"perennial/billing/money"
)

// keptTally is the count of a Tally so far, in the form for storage: sums may have more digits than a decimal that a
// caller sends.
type keptTally struct {
	Seen       int64     `json:"seen"`
	Paying     int64     `json:"paying"`
	Sums       [5]string `json:"sums"` // all, free, charged, raised, lowered
	FreeIsOver bool      `json:"freeIsOver,omitempty"`
}

// Keep returns what the tally has counted so far.
func (t *Tally) Keep() json.RawMessage {
	k := keptTally{Seen: t.seen, Paying: t.paying, FreeIsOver: t.freeIsOver}
	for i, sum := range t.sums() {
		k.Sums[i] = sum.String()
	}
	text, _ := json.Marshal(k) // numbers and their texts
	return text
}

// Resume returns the tally that continues from the output of Keep of one for the same price.
func (p Price) Resume(kept json.RawMessage) (*Tally, error) {
	var k keptTally
	if err := json.Unmarshal(kept, &k); err != nil {
		return nil, err
	}
	t := p.Tally()
	t.seen, t.paying, t.freeIsOver = k.Seen, k.Paying, k.FreeIsOver
	for i, sum := range t.sums() {
		read, err := money.ReadDecimal(k.Sums[i])
		if err != nil {
			return nil, err
		}
		*sum = read
	}
	return t, nil
}

func (t *Tally) sums() [5]*money.Decimal {
	return [5]*money.Decimal{&t.sum, &t.free, &t.charged, &t.raised, &t.lowered}
}
