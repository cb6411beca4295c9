package metered

import (
	"fmt"
	"maps"
	"slices"

	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/rating"
)

// Codes returns the further currencies in which a price or the commitment has amounts; nil prices: none.
func (p *Prices) Codes() []money.Currency {
	all := map[money.Currency]bool{}
	for _, c := range p.list().Components {
		for _, rate := range c.Rates {
			for code := range rate.Currencies {
				all[code] = true
			}
		}
	}
	if k := p.list().Commitment; k != nil {
		for code := range k.Currencies {
			all[code] = true
		}
	}
	if m := p.list().Minimum; m != nil {
		for code := range m.Currencies {
			all[code] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// Offers reports whether each price and the commitment have amounts in a further currency; nil prices: true.
func (p *Prices) Offers(c money.Currency) bool { return p.missing(c) == "" }

// missing returns the API's name of the first part without amounts in a further currency; empty: none.
func (p *Prices) missing(c money.Currency) string {
	for i, one := range p.list().Components {
		for n, rate := range one.Rates {
			if _, has := rate.Currencies[c]; !has {
				return inCurrency(i, n, c)
			}
		}
	}
	if k := p.list().Commitment; k != nil && k.Currencies[c] == 0 {
		return commitmentIn(c)
	}
	if m := p.list().Minimum; m != nil && m.Currencies[c] == 0 {
		return minimumIn(c)
	}
	return ""
}

// inCurrency returns the API's name of a rate's amounts.
func inCurrency(component, rate int, c money.Currency) string {
	return fmt.Sprintf("%s.rates[%d].currencies.%.10s", place(component), rate, string(c))
}

func commitmentIn(c money.Currency) string {
	return fmt.Sprintf("commitment.currencies.%.10s", string(c))
}

func minimumIn(c money.Currency) string {
	return fmt.Sprintf("minimum.currencies.%.10s", string(c))
}

// In returns the prices in a currency, without their amounts in others, like those of a plan in that currency: own is
// the plan's. Each has amounts in the currency (Offers).
func (p *Prices) In(c, own money.Currency) *Prices {
	if p == nil {
		return nil
	}
	out := Prices{Components: slices.Clone(p.Components), Thresholds: p.Thresholds}
	for i, one := range out.Components {
		rates := slices.Clone(one.Rates)
		for n, rate := range rates {
			if c != own {
				rates[n].Price = rate.Price.In(rate.Currencies[c])
			}
			rates[n].Currencies = nil
		}
		out.Components[i].Rates = rates
	}
	if p.Commitment != nil {
		k := *p.Commitment
		if c != own {
			k.Amount = k.Currencies[c]
		}
		k.Currencies, out.Commitment = nil, &k
	}
	if p.Minimum != nil {
		m := *p.Minimum
		if c != own {
			m.Amount = m.Currencies[c]
		}
		m.Currencies, out.Minimum = nil, &m
	}
	return &out
}

// CheckCurrency checks the amounts of valid prices in a further currency. The fault has the API's name of the field.
// Faults: price_currency_missing, metered_commitment_invalid, plan_minimum_invalid, usage_threshold_invalid, those of
// rating.Price.CheckAmounts.
func (p *Prices) CheckCurrency(c money.Currency) error {
	if at := p.missing(c); at != "" {
		return rating.CurrencyMissing(at, c)
	}
	for i, one := range p.list().Components {
		for n, rate := range one.Rates {
			if err := rate.Price.CheckAmounts(rate.Currencies[c]); err != nil {
				return fault.From(err).Within(inCurrency(i, n, c))
			}
		}
	}
	for i, t := range p.list().Thresholds {
		if t.Amount > 0 {
			return fault.From(thresholdInvalid("amount", "The plan is sold in %s too, in which the amount says something "+
				"else. Send a `percent` or a `quantity`.", c)).Within(fmt.Sprintf("usageThresholds[%d]", i))
		}
	}
	if k := p.list().Commitment; k != nil {
		if err := (Commitment{Amount: k.Currencies[c]}).check(); err != nil {
			return fault.From(err).In(commitmentIn(c) + ".amount")
		}
	}
	if m := p.list().Minimum; m != nil {
		if err := (Minimum{Amount: m.Currencies[c]}).check(); err != nil {
			return fault.From(err).In(minimumIn(c) + ".amount")
		}
	}
	return nil
}
