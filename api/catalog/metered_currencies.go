package catalog

import (
	"fmt"
	"maps"
	"slices"

	"perennial/api/view"
	"perennial/billing/money"
	"perennial/billing/rating"
)

// RateAmounts are the parameters of a metered price that are money, in another currency than the plan's. The others,
// such as the bounds of tiers, are the same in every currency.
type RateAmounts struct {
	UnitAmount    string            `json:"unitAmount,omitempty" maxLength:"30" example:"0.32" doc:"Of per_unit: what one unit costs, a decimal in minor units of this currency."`
	PackageAmount string            `json:"packageAmount,omitempty" maxLength:"30" example:"1090" doc:"Of package: what one costs, a decimal in minor units."`
	Minimum       int64             `json:"minimum,omitempty" minimum:"0" maximum:"999999999999" doc:"The least that a period costs, in minor units, where the price has one."`
	Maximum       int64             `json:"maximum,omitempty" minimum:"0" maximum:"999999999999" doc:"The most that a period costs, in minor units, where the price has one."`
	Tiers         []RateTierAmounts `json:"tiers,omitempty" maxItems:"100" doc:"Those of each tier of the price, in the same order."`
}

// RateTierAmounts are those of a tier.
type RateTierAmounts struct {
	UnitAmount    string `json:"unitAmount,omitempty" maxLength:"30" example:"0.32" doc:"What one unit costs, a decimal in minor units."`
	PackageAmount string `json:"packageAmount,omitempty" maxLength:"30" doc:"What a package costs, a decimal in minor units."`
	FlatAmount    int64  `json:"flatAmount,omitempty" minimum:"0" maximum:"999999999999" doc:"Charged once when the tier is reached, in minor units."`
}

// rateCurrenciesOf reads the amounts of a metered price in further currencies; at names the price in faults.
func rateCurrenciesOf(d *view.UnitAmounts, at string, forms map[string]RateAmounts) rating.Currencies {
	if len(forms) == 0 {
		return nil
	}
	read := rating.Currencies{}
	for _, code := range slices.Sorted(maps.Keys(forms)) { // the first fault is the same each time
		f, at, c := forms[code], fmt.Sprintf("%scurrencies.%.10s.", at, code), money.Currency(code)
		a := rating.Amounts{
			UnitPrice:    d.Amount(at, view.OfUnit(f.UnitAmount, ""), c),
			PackagePrice: d.Amount(at, view.OfPackage(f.PackageAmount, ""), c),
			Minimum:      money.Minor(f.Minimum), Maximum: money.Minor(f.Maximum),
		}
		for i, tier := range f.Tiers {
			in := fmt.Sprintf("%stiers[%d].", at, i)
			a.Tiers = append(a.Tiers, rating.TierAmounts{
				UnitPrice:    d.Amount(in, view.OfUnit(tier.UnitAmount, ""), c),
				PackagePrice: d.Amount(in, view.OfPackage(tier.PackageAmount, ""), c),
				FlatAmount:   money.Minor(tier.FlatAmount),
			})
		}
		read[c] = a
	}
	return read
}

func renderRateCurrencies(of rating.Currencies) map[string]RateAmounts {
	if len(of) == 0 {
		return nil
	}
	out := map[string]RateAmounts{}
	for c, a := range of {
		shown := RateAmounts{
			UnitAmount: a.UnitPrice.InMinor(c).String(), PackageAmount: a.PackagePrice.InMinor(c).String(),
			Minimum: int64(a.Minimum), Maximum: int64(a.Maximum),
		}
		for _, tier := range a.Tiers {
			shown.Tiers = append(shown.Tiers, RateTierAmounts{
				UnitAmount: tier.UnitPrice.InMinor(c).String(), PackageAmount: tier.PackagePrice.InMinor(c).String(),
				FlatAmount: int64(tier.FlatAmount),
			})
		}
		out[string(c)] = shown
	}
	return out
}

// amounts are those in further currencies.
func (k Commitment) amounts() map[money.Currency]money.Minor {
	if len(k.Currencies) == 0 {
		return nil
	}
	out := map[money.Currency]money.Minor{}
	for code, a := range k.Currencies {
		out[money.Currency(code)] = money.Minor(a.Amount)
	}
	return out
}

func renderCommitments(of map[money.Currency]money.Minor) map[string]CommitmentAmount {
	if len(of) == 0 {
		return nil
	}
	out := map[string]CommitmentAmount{}
	for c, amount := range of {
		out[string(c)] = CommitmentAmount{Amount: int64(amount)}
	}
	return out
}
