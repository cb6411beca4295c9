package rating

import (
	"perennial/billing/fault"
	"perennial/billing/money"
)

// Rated is the cost of a quantity, and its calculation.
type Rated struct {
	Quantity money.Decimal
	Currency money.Currency
	// Amount is Exact, rounded half away from zero to minor units: the only rounding there is.
	Amount money.Minor
	// Exact is the sum of the steps, in major units.
	Exact money.Decimal
	// Steps are the calculation: as many as the price has tiers, and a few more.
	Steps []Step
}

// Rate returns the cost of a quantity in a period, in a currency. A quantity below zero counts as zero: corrections of
// usage may exceed it, and they must neither pay the customer nor block the invoice. A percentage takes the quantity as
// the amount of one transaction. The price must be valid. Faults: price_model_unknown, amount_too_large.
func (p Price) Rate(quantity money.Decimal, c money.Currency) (Rated, error) {
	return p.rate(usage{units: quantity}, c)
}

// RateTransactions returns what transactions with these amounts, in major units and in the order of time, cost in a
// period. Models that do not count transactions price the sum. Faults as for Rate.
func (p Price) RateTransactions(amounts []money.Decimal, c money.Currency) (Rated, error) {
	t := p.Tally()
	for _, amount := range amounts {
		t.Add(amount)
	}
	return t.Rate(c)
}

// usage is the input of a model: either units, or the transactions that they are the sum of.
type usage struct {
	units        money.Decimal
	transactions *Tally // nil: units is one transaction
}

func (p Price) rate(of usage, c money.Currency) (Rated, error) {
	model, known := models[p.Model]
	if !known {
		return Rated{}, unknownModel(p.Model)
	}
	of.units = positive(of.units)
	rated := Rated{Quantity: of.units, Currency: c, Exact: money.Whole(0), Steps: make([]Step, 0, 2*len(p.Tiers)+2)}
	if p.Included.Sign() > 0 && of.units.Sign() > 0 {
		free := smaller(p.Included, of.units)
		of.units = of.units.Sub(free)
		rated.Steps = append(rated.Steps, step(Included, 0, free, money.Whole(0)))
	}
	rated.Steps = model.steps(rated.Steps, p, of, c)
	for _, s := range rated.Steps {
		rated.Exact = rated.Exact.Add(s.Amount)
	}
	rated.bound(p)
	amount, err := rated.Exact.Round(c)
	if err != nil {
		return Rated{}, err
	}
	rated.Amount = amount
	return rated, nil
}

// bound raises the amount to the minimum of the period, or lowers it to the maximum, by a step that says so.
func (r *Rated) bound(p Price) {
	if least := money.Units(p.Minimum, r.Currency); p.Minimum > 0 && r.Exact.Cmp(least) < 0 {
		r.Steps = append(r.Steps, step(Minimum, 0, money.Whole(1), least.Sub(r.Exact)))
		r.Exact = least
	}
	if most := money.Units(p.Maximum, r.Currency); p.Maximum > 0 && r.Exact.Cmp(most) > 0 {
		r.Steps = append(r.Steps, step(Maximum, 0, money.Whole(1), most.Sub(r.Exact)))
		r.Exact = most
	}
}

// UnitPrice returns the price of one unit where one step prices the whole quantity.
func (r Rated) UnitPrice() (price money.Decimal, simple bool) {
	if len(r.Steps) != 1 || r.Steps[0].Kind != Units {
		return money.Decimal{}, false
	}
	return r.Steps[0].UnitPrice, true
}

func unknownModel(m Model) error {
	return fault.InvalidParam("model", "price_model_unknown",
		"The price model %.30q does not exist. Send one of %s.", string(m), modelNames())
}

func positive(d money.Decimal) money.Decimal {
	if d.Sign() < 0 {
		return money.Whole(0)
	}
	return d
}

func smaller(a, b money.Decimal) money.Decimal {
	if a.Cmp(b) < 0 {
		return a
	}
	return b
}
