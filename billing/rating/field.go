package rating

import (
	"slices"
	"strings"

	"perennial/billing/fault"
	"perennial/billing/money"
)

// field is a parameter as Validate sees it.
type field struct {
	name   string
	given  bool
	amount money.Minor   // of a parameter in minor units
	number money.Decimal // of every other one

	positive bool // 0 makes no sense
	most     money.Decimal
}

func (p Price) fields() []field {
	return []field{
		minor("amount", p.Amount),
		decimal("unitAmount", p.UnitPrice),
		decimal("packageSize", p.PackageSize).aboveZero(),
		decimal("packageAmount", p.PackagePrice),
		{name: "tiers", given: len(p.Tiers) > 0},
		decimal("percent", p.Percent).atMost(maxPercent),
		{name: "transactions", given: p.Transactions != Transactions{}},
		decimal("transactions.feeAmount", p.Transactions.Fee),
		decimal("transactions.minimumAmount", p.Transactions.Minimum),
		decimal("transactions.maximumAmount", p.Transactions.Maximum),
		field{
			name: "transactions.free", given: p.Transactions.Free != 0, number: money.Whole(int64(p.Transactions.Free)),
		}.atMost(maxFree),
		decimal("transactions.freeAmount", p.Transactions.FreeAmount),
		decimal("included", p.Included),
		minor("minimum", p.Minimum),
		minor("maximum", p.Maximum),
	}
}

func (tier Tier) fields() []field {
	return []field{
		decimal("unitAmount", tier.UnitPrice),
		decimal("packageSize", tier.PackageSize).aboveZero(),
		decimal("packageAmount", tier.PackagePrice),
		decimal("percent", tier.Percent).atMost(maxPercent),
		minor("flatAmount", tier.FlatAmount),
	}
}

func decimal(name string, d money.Decimal) field {
	return field{name: name, given: d.IsGiven(), number: d}
}

func minor(name string, m money.Minor) field { return field{name: name, given: m != 0, amount: m} }

func (f field) aboveZero() field {
	f.positive = true
	return f
}

func (f field) atMost(most money.Decimal) field {
	f.most = most
	return f
}

// check refuses a parameter that is missing, one that has no effect in the model, and one out of its range. A name with
// a dot is allowed where the part before the dot is.
func (f field) check(m Model, param string, needs, allows []string) error {
	needed := slices.Contains(needs, param)
	group, _, _ := strings.Cut(param, ".")
	switch {
	case needed && !f.given:
		return fault.InvalidParam(param, "price_parameter_missing",
			"`%s` is missing, which a price of the model `%s` must have.", param, m)
	case f.given && !needed && !slices.Contains(allows, param) && !slices.Contains(allows, group):
		return fault.InvalidParam(param, "price_parameter_unexpected",
			"`%s` has no effect in a price of the model `%s`. Leave it out.", param, m)
	case f.number.Sign() < 0 || f.amount < 0:
		return fault.InvalidParam(param, "amount_negative", "`%s` cannot be negative. Send 0 or more.", param)
	case f.positive && f.given && f.number.Sign() == 0:
		return fault.InvalidParam(param, "price_parameter_out_of_range", "`%s` must be greater than 0.", param)
	case f.most.IsGiven() && f.number.Cmp(f.most) > 0:
		return fault.InvalidParam(param, "price_parameter_out_of_range",
			"`%s` must be at most %s. The request has %s.", param, f.most, f.number)
	}
	if err := f.amount.Check(); err != nil {
		return fault.From(err).In(param)
	}
	return nil
}

// prefixed rewrites the names of tiers' parameters for one of them: "tiers.percent" becomes "tiers[2].percent".
func prefixed(at string, names []string) []string {
	var result []string
	for _, name := range names {
		if rest, ok := strings.CutPrefix(name, "tiers."); ok {
			result = append(result, at+rest)
		}
	}
	return result
}
