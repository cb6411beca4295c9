package catalog

import (
	"perennial/api/view"
	"perennial/billing/money"
	"perennial/billing/rating"
)

// PriceRule has the fields that prices of every model may have, for seats and for usage. Decimals are strings, since a
// JSON number is a binary fraction in many clients.
type PriceRule struct {
	UnitAmount    string `json:"unitAmount,omitempty" maxLength:"30" example:"450" doc:"Of per_unit: what one unit costs, a decimal in minor units of the currency, which may be a part of one, such as 0.35."`
	PackageSize   string `json:"packageSize,omitempty" maxLength:"30" example:"100" doc:"Of package: the units in one."`
	PackageAmount string `json:"packageAmount,omitempty" maxLength:"30" example:"990" doc:"Of package: what one costs, a decimal in minor units."`
	Included      string `json:"included,omitempty" maxLength:"30" example:"3" doc:"Units that are free."`
	Minimum       int64  `json:"minimum,omitempty" minimum:"0" maximum:"999999999999" doc:"The least that a period costs, in minor units."`
	Maximum       int64  `json:"maximum,omitempty" minimum:"0" maximum:"999999999999" doc:"The most that a period costs, in minor units."`
}

// TierRule prices the units above the tier before it, up to its own bound.
type TierRule struct {
	UpTo          string `json:"upTo,omitempty" maxLength:"30" example:"10" doc:"The last unit of the tier. Absent: the last tier."`
	UnitAmount    string `json:"unitAmount,omitempty" maxLength:"30" example:"450" doc:"What one unit costs, a decimal in minor units."`
	PackageSize   string `json:"packageSize,omitempty" maxLength:"30" doc:"Where started packages are charged: the units in one."`
	PackageAmount string `json:"packageAmount,omitempty" maxLength:"30" doc:"What a package costs, a decimal in minor units."`
	FlatAmount    int64  `json:"flatAmount,omitempty" minimum:"0" maximum:"999999999999" doc:"Charged once when the tier is reached, in minor units."`
}

// inMajor are the amounts of one unit and of one package in major units, where a request has them so.
type inMajor struct{ unitPrice, packagePrice string }

// price returns the price of the form; at names it in faults.
func (r PriceRule) price(d *view.UnitAmounts, at string, c money.Currency, old inMajor) rating.Price {
	return rating.Price{
		UnitPrice:    d.Amount(at, view.OfUnit(r.UnitAmount, old.unitPrice), c),
		PackageSize:  d.Parse(at+"packageSize", r.PackageSize),
		PackagePrice: d.Amount(at, view.OfPackage(r.PackageAmount, old.packagePrice), c),
		Included:     d.Parse(at+"included", r.Included),
		Minimum:      money.Minor(r.Minimum), Maximum: money.Minor(r.Maximum),
	}
}

// tier returns the tier of the form; at names it in faults.
func (r TierRule) tier(d *view.UnitAmounts, at string, c money.Currency, old inMajor) rating.Tier {
	return rating.Tier{
		UpTo: d.Parse(at+"upTo", r.UpTo), UnitPrice: d.Amount(at, view.OfUnit(r.UnitAmount, old.unitPrice), c),
		PackageSize:  d.Parse(at+"packageSize", r.PackageSize),
		PackagePrice: d.Amount(at, view.OfPackage(r.PackageAmount, old.packagePrice), c),
		FlatAmount:   money.Minor(r.FlatAmount),
	}
}

func renderRule(p rating.Price, c money.Currency) PriceRule {
	return PriceRule{
		UnitAmount: p.UnitPrice.InMinor(c).String(), PackageSize: p.PackageSize.String(),
		PackageAmount: p.PackagePrice.InMinor(c).String(), Included: p.Included.String(),
		Minimum: int64(p.Minimum), Maximum: int64(p.Maximum),
	}
}

func renderTier(t rating.Tier, c money.Currency) TierRule {
	return TierRule{
		UpTo: t.UpTo.String(), UnitAmount: t.UnitPrice.InMinor(c).String(), PackageSize: t.PackageSize.String(),
		PackageAmount: t.PackagePrice.InMinor(c).String(), FlatAmount: int64(t.FlatAmount),
	}
}
