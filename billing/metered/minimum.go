package metered

import (
	"maps"

	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/rating"
)

// Minimum is the least that all lines of a period come to together: those in advance, those in arrears, usage, and what
// a commitment adds; of add-ons as well.
type Minimum struct {
	ID     string      `json:"id"`
	Amount money.Minor `json:"amount"`
	// Currencies are the amounts in those that the plan is sold in beside its own; nil: in none.
	Currencies map[money.Currency]money.Minor `json:"currencies,omitempty"`
	// Advance is what a whole period costs in advance, by the prices of the plan and of its add-ons. It is not stored: it
	// is said when prices are put together for a subscription.
	Advance money.Minor `json:"advance,omitempty"`
}

// check refuses a minimum of nothing. Faults: plan_minimum_invalid, amount_too_large.
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

// SameMinimum reports whether the minimums are equal, whatever their ids.
func (p *Prices) SameMinimum(other *Prices) bool {
	a, b := p.list().Minimum, other.list().Minimum
	if a == nil || b == nil {
		return a == b
	}
	return a.Amount == b.Amount && a.Advance == b.Advance && maps.Equal(a.Currencies, b.Currencies)
}

// owed is what raises what a segment costs to its share of the minimum: spent is that of all its charges.
func (m Minimum) owed(s Segment, spent money.Minor) (Charge, error) {
	charge := Charge{Key: Key{PriceID: m.ID, Segment: s.Start.UnixMicro()}, Quantity: money.Whole(1)}
	all, err := money.Sum(spent, s.Share.Of(m.Advance))
	charge.Amount = max(s.Share.Of(m.Amount)-all, 0)
	return charge, err
}

// steps explain a charge of the minimum: what raises it.
func (m Minimum) steps(amount money.Minor, c money.Currency) []rating.Step {
	if amount == 0 {
		return nil
	}
	raised := money.Units(amount, c)
	return []rating.Step{{Kind: rating.Minimum, Quantity: money.Whole(1), UnitPrice: raised, Amount: raised}}
}
