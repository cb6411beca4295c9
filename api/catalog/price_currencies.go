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
	Amount       int64         `json:"amount,omitempty" minimum:"0" maximum:"999999999999" example:"2100" doc:"Of a flat price: minor units of this currency. Absent: 0."`
	UnitPrice    string        `json:"unitPrice,omitempty" maxLength:"30" example:"4.90" doc:"Of per_unit: a decimal in major units of this currency."`
	PackagePrice string        `json:"packagePrice,omitempty" maxLength:"30" example:"10.90" doc:"Of package: what one costs, in major units."`
	Minimum      int64         `json:"minimum,omitempty" minimum:"0" maximum:"999999999999" doc:"The least that a period costs, in minor units, where the price has one."`
	Maximum      int64         `json:"maximum,omitempty" minimum:"0" maximum:"999999999999" doc:"The most that a period costs, in minor units, where the price has one."`
	Tiers        []TierAmounts `json:"tiers,omitempty" maxItems:"100" doc:"Those of each tier of the price, in the same order."`
}

// TierAmounts are those of a tier.
type TierAmounts struct {
	UnitPrice    string `json:"unitPrice,omitempty" maxLength:"30" example:"4.90" doc:"What one unit costs, in major units."`
	PackagePrice string `json:"packagePrice,omitempty" maxLength:"30" doc:"What a package costs, in major units."`
	FlatAmount   int64  `json:"flatAmount,omitempty" minimum:"0" maximum:"999999999999" doc:"Charged once when the tier is reached, in minor units."`
}

// currenciesOf reads the amounts of a price in further currencies; at names the price in faults.
func currenciesOf(d *view.Decimals, at string, forms map[string]PriceAmounts) plan.Currencies {
	if len(forms) == 0 {
		return nil
	}
	read := plan.Currencies{}
	for _, code := range slices.Sorted(maps.Keys(forms)) { // the first fault is the same each time
		f, at := forms[code], fmt.Sprintf("%scurrencies.%.10s.", at, code)
		a := rating.Amounts{
			Amount: money.Minor(f.Amount), UnitPrice: d.Parse(at+"unitPrice", f.UnitPrice),
			PackagePrice: d.Parse(at+"packagePrice", f.PackagePrice), Minimum: money.Minor(f.Minimum),
			Maximum: money.Minor(f.Maximum),
		}
		for i, tier := range f.Tiers {
			in := fmt.Sprintf("%stiers[%d].", at, i)
			a.Tiers = append(a.Tiers, rating.TierAmounts{
				UnitPrice: d.Parse(in+"unitPrice", tier.UnitPrice), PackagePrice: d.Parse(in+"packagePrice", tier.PackagePrice),
				FlatAmount: money.Minor(tier.FlatAmount),
			})
		}
		read[money.Currency(code)] = a
	}
	return read
}

func renderCurrencies(of plan.Currencies) map[string]PriceAmounts {
	if len(of) == 0 {
		return nil
	}
	out := map[string]PriceAmounts{}
	for c, a := range of {
		shown := PriceAmounts{
			Amount: int64(a.Amount), UnitPrice: a.UnitPrice.String(), PackagePrice: a.PackagePrice.String(),
			Minimum: int64(a.Minimum), Maximum: int64(a.Maximum),
		}
		for _, tier := range a.Tiers {
			shown.Tiers = append(shown.Tiers, TierAmounts{
				UnitPrice: tier.UnitPrice.String(), PackagePrice: tier.PackagePrice.String(), FlatAmount: int64(tier.FlatAmount),
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
