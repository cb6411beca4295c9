package metered

import (
	"maps"

	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/rating"
)

// Minimum is the minimum sum of all lines of a period: in advance, in arrears, usage, and the rest of a commitment;
// add-ons included.
type Minimum struct {
	ID     string      `json:"id"`
	Amount money.Minor `json:"amount"`
	// Currencies are the amounts in the plan's further currencies; nil: none.
	Currencies map[money.Currency]money.Minor `json:"currencies,omitempty"`
	// Advance is the price in advance of a whole period, of the plan and its add-ons. It is not stored: it is set when
	// prices are composed for a subscription.
	Advance money.Minor `json:"advance,omitempty"`
}

// check refuses a minimum that is not positive. Faults: plan_minimum_invalid, amount_too_large.
func (m Minimum) check() error {
	if m.Amount <= 0 {
		return fault.InvalidParam("minimum.amount", "plan_minimum_invalid",
			"A minimum is above 0. Omit `minimum` where there is none.")
	}
	if err := m.Amount.Check(); err != nil {
		return fault.From(err).In("minimum.amount")
	}
	return nil
}

// SameMinimum reports whether the minimums are equal, with any ids.
func (p *Prices) SameMinimum(other *Prices) bool {
	a, b := p.list().Minimum, other.list().Minimum
	if a == nil || b == nil {
		return a == b
	}
	return a.Amount == b.Amount && a.Advance == b.Advance && maps.Equal(a.Currencies, b.Currencies)
}

// owed returns the charge that raises a segment to its share of the minimum. spent is the sum of its charges.
func (m Minimum) owed(s Segment, spent money.Minor) (Charge, error) {
	charge := Charge{Key: Key{PriceID: m.ID, Segment: s.Start.UnixMicro()}, Quantity: money.Whole(1)}
	all, err := money.Sum(spent, s.Share.Of(m.Advance))
	charge.Amount = max(s.Share.Of(m.Amount)-all, 0)
	return charge, err
}

// steps explain a charge of the minimum.
func (m Minimum) steps(amount money.Minor, c money.Currency) []rating.Step {
	if amount == 0 {
		return nil
	}
	raised := money.Units(amount, c)
	return []rating.Step{{Kind: rating.Minimum, Quantity: money.Whole(1), UnitPrice: raised, Amount: raised}}
}
