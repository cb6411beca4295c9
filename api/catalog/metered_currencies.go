package catalog

import (
	"fmt"

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

	Transactions *TransactionAmounts `json:"transactions,omitempty" doc:"Of percentage: those that the price has."`
}

// TransactionAmounts has the amounts of a percentage for each transaction.
type TransactionAmounts struct {
	FeeAmount     string `json:"feeAmount,omitempty" maxLength:"30" example:"25" doc:"What each transaction costs that is not free, a decimal in minor units of this currency."`
	MinimumAmount string `json:"minimumAmount,omitempty" maxLength:"30" doc:"The least that one transaction costs, in minor units."`
	MaximumAmount string `json:"maximumAmount,omitempty" maxLength:"30" doc:"The most that one transaction costs, in minor units."`
	FreeAmount    string `json:"freeAmount,omitempty" maxLength:"30" doc:"How much of their sum is free, in minor units."`
}

// RateTierAmounts has the amounts of a tier.
type RateTierAmounts struct {
	UpTo          string `json:"upTo,omitempty" maxLength:"30" doc:"Of graduated_percentage: the bound of the tier, in major units of this currency, as the quantity is. Absent in the last tier."`
	UnitAmount    string `json:"unitAmount,omitempty" maxLength:"30" example:"0.32" doc:"What one unit costs, a decimal in minor units."`
	PackageAmount string `json:"packageAmount,omitempty" maxLength:"30" doc:"What a package costs, a decimal in minor units."`
	FlatAmount    int64  `json:"flatAmount,omitempty" minimum:"0" maximum:"999999999999" doc:"Charged once when the tier is reached, in minor units."`
}

// rateCurrenciesOf reads the amounts of a metered price in further currencies; at names the price in faults.
func rateCurrenciesOf(d *view.UnitAmounts, at string, forms map[string]RateAmounts) rating.Currencies {
	return inEach(at, forms, func(f RateAmounts, at string, c money.Currency) rating.Amounts {
		a := rating.Amounts{
			UnitPrice:    d.Amount(at, view.OfUnit(f.UnitAmount, ""), c),
			PackagePrice: d.Amount(at, view.OfPackage(f.PackageAmount, ""), c),
			Minimum:      money.Minor(f.Minimum), Maximum: money.Minor(f.Maximum),
		}
		for i, tier := range f.Tiers {
			in := fmt.Sprintf("%stiers[%d].", at, i)
			a.Tiers = append(a.Tiers, rating.TierAmounts{
				UpTo:         d.Parse(in+"upTo", tier.UpTo),
				UnitPrice:    d.Amount(in, view.OfUnit(tier.UnitAmount, ""), c),
				PackagePrice: d.Amount(in, view.OfPackage(tier.PackageAmount, ""), c),
				FlatAmount:   money.Minor(tier.FlatAmount),
			})
		}
		if t := f.Transactions; t != nil {
			rule := TransactionRule{
				FeeAmount: t.FeeAmount, MinimumAmount: t.MinimumAmount, MaximumAmount: t.MaximumAmount, FreeAmount: t.FreeAmount,
			}
			rules := rule.rules(d, at+"transactions.", c)
			a.Transactions = rating.TransactionAmounts{
				Fee: rules.Fee, Minimum: rules.Minimum, Maximum: rules.Maximum, FreeAmount: rules.FreeAmount,
			}
		}
		return a
	})
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
				UpTo: tier.UpTo.String(), UnitAmount: tier.UnitPrice.InMinor(c).String(),
				PackageAmount: tier.PackagePrice.InMinor(c).String(),
				FlatAmount:    int64(tier.FlatAmount),
			})
		}
		if t := a.Transactions; t != (rating.TransactionAmounts{}) {
			shown.Transactions = &TransactionAmounts{
				FeeAmount: t.Fee.InMinor(c).String(), MinimumAmount: t.Minimum.InMinor(c).String(),
				MaximumAmount: t.Maximum.InMinor(c).String(), FreeAmount: t.FreeAmount.InMinor(c).String(),
			}
		}
		out[string(c)] = shown
	}
	return out
}

// amountsOf reads amounts in further currencies.
func amountsOf(forms map[string]CommitmentAmount) map[money.Currency]money.Minor {
	if len(forms) == 0 {
		return nil
	}
	out := map[money.Currency]money.Minor{}
	for code, a := range forms {
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
