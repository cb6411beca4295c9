package catalog

import (
	"fmt"
	"maps"
	"slices"

	"perennial/api/view"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/rating"
)

// PriceAmounts are the parameters of a price that are money, in another currency than the plan's. The others, such as
// the bounds of tiers, are the same in every currency.
type PriceAmounts struct {
	Amount        int64         `json:"amount,omitempty" minimum:"0" maximum:"999999999999" example:"2100" doc:"Of a flat price: minor units of this currency. Absent: 0."`
	UnitAmount    string        `json:"unitAmount,omitempty" maxLength:"30" example:"490" doc:"Of per_unit: what one unit costs, a decimal in minor units of this currency."`
	UnitPrice     string        `json:"unitPrice,omitempty" maxLength:"30" deprecated:"true" doc:"unitAmount in major units of this currency."`
	PackageAmount string        `json:"packageAmount,omitempty" maxLength:"30" example:"1090" doc:"Of package: what one costs, a decimal in minor units."`
	PackagePrice  string        `json:"packagePrice,omitempty" maxLength:"30" deprecated:"true" doc:"packageAmount in major units."`
	Minimum       int64         `json:"minimum,omitempty" minimum:"0" maximum:"999999999999" doc:"The least that a period costs, in minor units, where the price has one."`
	Maximum       int64         `json:"maximum,omitempty" minimum:"0" maximum:"999999999999" doc:"The most that a period costs, in minor units, where the price has one."`
	Tiers         []TierAmounts `json:"tiers,omitempty" maxItems:"100" doc:"Those of each tier of the price, in the same order."`
}

// TierAmounts has the amounts of a tier.
type TierAmounts struct {
	UnitAmount    string `json:"unitAmount,omitempty" maxLength:"30" example:"490" doc:"What one unit costs, a decimal in minor units."`
	UnitPrice     string `json:"unitPrice,omitempty" maxLength:"30" deprecated:"true" doc:"unitAmount in major units."`
	PackageAmount string `json:"packageAmount,omitempty" maxLength:"30" doc:"What a package costs, a decimal in minor units."`
	PackagePrice  string `json:"packagePrice,omitempty" maxLength:"30" deprecated:"true" doc:"packageAmount in major units."`
	FlatAmount    int64  `json:"flatAmount,omitempty" minimum:"0" maximum:"999999999999" doc:"Charged once when the tier is reached, in minor units."`
}

// currenciesOf reads the amounts of a price in further currencies; at names the price in faults.
func currenciesOf(d *view.UnitAmounts, at string, forms map[string]PriceAmounts) plan.Currencies {
	return inEach(at, forms, func(f PriceAmounts, at string, c money.Currency) rating.Amounts {
		a := rating.Amounts{
			Amount: money.Minor(f.Amount), UnitPrice: d.Amount(at, view.OfUnit(f.UnitAmount, f.UnitPrice), c),
			PackagePrice: d.Amount(at, view.OfPackage(f.PackageAmount, f.PackagePrice), c), Minimum: money.Minor(f.Minimum),
			Maximum: money.Minor(f.Maximum),
		}
		for i, tier := range f.Tiers {
			in := fmt.Sprintf("%stiers[%d].", at, i)
			a.Tiers = append(a.Tiers, rating.TierAmounts{
				UnitPrice:    d.Amount(in, view.OfUnit(tier.UnitAmount, tier.UnitPrice), c),
				PackagePrice: d.Amount(in, view.OfPackage(tier.PackageAmount, tier.PackagePrice), c),
				FlatAmount:   money.Minor(tier.FlatAmount),
			})
		}
		return a
	})
}

// inEach reads the amounts of each currency; at names the price in faults. read gets how they are named.
func inEach[F any](
	at string, forms map[string]F, read func(f F, at string, c money.Currency) rating.Amounts,
) rating.Currencies {
	if len(forms) == 0 {
		return nil
	}
	all := rating.Currencies{}
	for _, code := range slices.Sorted(maps.Keys(forms)) { // the first fault is the same each time
		c := money.Currency(code)
		all[c] = read(forms[code], fmt.Sprintf("%scurrencies.%.10s.", at, code), c)
	}
	return all
}

func renderCurrencies(of plan.Currencies) map[string]PriceAmounts {
	if len(of) == 0 {
		return nil
	}
	out := map[string]PriceAmounts{}
	for c, a := range of {
		shown := PriceAmounts{
			Amount: int64(a.Amount), UnitAmount: a.UnitPrice.InMinor(c).String(), UnitPrice: a.UnitPrice.String(),
			PackageAmount: a.PackagePrice.InMinor(c).String(), PackagePrice: a.PackagePrice.String(),
			Minimum: int64(a.Minimum), Maximum: int64(a.Maximum),
		}
		for _, tier := range a.Tiers {
			shown.Tiers = append(shown.Tiers, TierAmounts{
				UnitAmount: tier.UnitPrice.InMinor(c).String(), UnitPrice: tier.UnitPrice.String(),
				PackageAmount: tier.PackagePrice.InMinor(c).String(), PackagePrice: tier.PackagePrice.String(),
				FlatAmount: int64(tier.FlatAmount),
			})
		}
		out[string(c)] = shown
	}
	return out
}

// codesOf are the currencies that a plan is sold in, as resources show them.
func codesOf(p plan.Plan) []string {
	codes := make([]string, 0, 1)
	for _, c := range p.Currencies() {
		codes = append(codes, string(c))
	}
	return codes
}
