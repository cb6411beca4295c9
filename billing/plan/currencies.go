package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/rating"
)

// Currencies has the amounts of a price in further currencies of its plan.
type Currencies = rating.Currencies

// MaxCurrencies bounds the further currencies of one plan.
const MaxCurrencies = 50

// Offers reports whether the plan is sold in a currency: its own, or one in which each of its prices has amounts.
func (p Plan) Offers(c money.Currency) bool {
	return c == p.Currency || len(p.Prices) > 0 && p.Metered.Offers(c) &&
		!slices.ContainsFunc(p.Prices, func(price Price) bool {
			_, has := price.Currencies[c]
			return !has
		})
}

// AmountAlone refuses a next version that is given by an amount in the plan's own currency where the plan has further
// currencies: these would silently end. Fault: amount_alone.
func (p Plan) AmountAlone() error {
	if len(p.Currencies()) == 1 {
		return nil
	}
	return fault.InvalidParam("amount", "amount_alone",
		"The plan is sold in %s, and `amount` is in %s alone. Send `prices`, with the amounts of every currency that the new version "+
			"is sold in.", p.SoldIn(), p.Currency)
}

// Currencies returns the currencies of the plan: its own first, then the others by their codes.
func (p Plan) Currencies() []money.Currency {
	all := []money.Currency{p.Currency}
	if len(p.Prices) == 0 {
		return all
	}
	for _, c := range slices.Sorted(maps.Keys(p.Prices[0].Currencies)) {
		if p.Offers(c) {
			all = append(all, c)
		}
	}
	return all
}

// In returns the plan as it is sold in a currency: a plan of that one, with the same prices by their ids, as if it had
// been written in it. The rules of billing see no other. Fault: currency_not_offered.
func (p Plan) In(c money.Currency) (Plan, error) {
	if !p.Offers(c) {
		return Plan{}, fault.InvalidParam("currency", "currency_not_offered",
			"The plan is not sold in %.10q. Send one of the currencies that it is sold in: %s.", string(c), p.SoldIn())
	}
	if !slices.ContainsFunc(p.Prices, func(price Price) bool { return price.Currencies != nil }) {
		return p, nil
	}
	p.Prices = slices.Clone(p.Prices)
	for i, price := range p.Prices {
		if c != p.Currency {
			p.Prices[i].Price = price.Price.In(price.Currencies[c])
		}
		p.Prices[i].Currencies = nil
	}
	p.Metered, p.Currency = p.Metered.In(c, p.Currency), c
	return p, nil
}

// InIfOffered is In for a plan that is validated later, together with everything else: a plan that is not sold in the
// currency stays as it is.
func (p Plan) InIfOffered(c money.Currency) Plan {
	if in, err := p.In(c); err == nil {
		return in
	}
	return p
}

// SoldIn names the currencies of the plan in a text for people: EUR, USD.
func (p Plan) SoldIn() string { return SoldIn(p) }

// SoldIn names the currencies that any of the versions of a plan is sold in, for people.
func SoldIn(versions ...Plan) string {
	var codes []string
	for _, p := range versions {
		for _, c := range p.Currencies() {
			if !slices.Contains(codes, string(c)) {
				codes = append(codes, string(c))
			}
		}
	}
	return strings.Join(codes, ", ")
}

// checkCurrencies checks the amounts in further currencies of prices that are valid. Faults:
// currencies_count_out_of_range, currency_unknown, currency_repeated, those of metered.Prices.CheckCurrency,
// amount_too_large.
func (p Plan) checkCurrencies() error {
	all := map[money.Currency]bool{}
	for _, price := range p.Prices {
		for c := range price.Currencies {
			all[c] = true
		}
	}
	for _, c := range p.Metered.Codes() {
		all[c] = true
	}
	if len(all) > MaxCurrencies {
		return fault.InvalidParam("prices", "currencies_count_out_of_range",
			"A plan is sold in at most %d currencies beside its own. The request has %d.", MaxCurrencies, len(all))
	}
	for _, c := range slices.Sorted(maps.Keys(all)) {
		if err := p.checkCurrency(c); err != nil {
			return err
		}
	}
	return nil
}

func (p Plan) checkCurrency(c money.Currency) error {
	at := func(i int) string { return fmt.Sprintf("prices[%d].currencies.%.10s", i, string(c)) }
	first := "meteredPrices"
	if i := slices.IndexFunc(p.Prices, func(price Price) bool { _, has := price.Currencies[c]; return has }); i >= 0 {
		first = at(i)
	}
	if _, err := money.ParseCurrency(string(c)); err != nil {
		return fault.From(err).In(first)
	}
	if c == p.Currency {
		return fault.InvalidParam(first, "currency_repeated",
			"%s is the plan's own currency, whose amounts are those of the price. Leave it out of `currencies`.", c)
	}
	for i, price := range p.Prices {
		amounts, has := price.Currencies[c]
		if !has {
			return rating.CurrencyMissing(at(i), c)
		}
		if err := price.CheckAmounts(amounts); err != nil {
			return fault.From(err).Within(at(i))
		}
	}
	if err := p.Metered.CheckCurrency(c); err != nil {
		return err
	}
	in, err := p.In(c)
	if err != nil {
		return err
	}
	return in.checkTotal(func(i int) string { return at(i) + ".amount" })
}

// checkTotal refuses prices whose sum for one unit is more than an amount can be; at names the amount of a price.
// Fault: amount_too_large.
func (p Plan) checkTotal(at func(i int) string) error {
	var total money.Minor
	for i, price := range p.Prices {
		one, err := p.cost(price, 1)
		if err == nil {
			total, err = money.Sum(total, one.Amount)
		}
		if err != nil {
			return fault.From(err).In(at(i))
		}
	}
	return nil
}
