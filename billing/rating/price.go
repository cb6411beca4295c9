// Package rating owns price models: the cost of a quantity under a price, and the steps of its calculation. It does not
// own where the quantity comes from (seats of a subscription, usage), nor discounts, taxes and the shares of periods
// that are cut short.
//
// A price has two kinds of money. Amounts that are charged as they are, are integers in minor units, as everywhere:
// `amount`, `flatAmount`, `minimum`, `maximum`. Amounts that are multiplied by a quantity are exact decimals in major
// units, because a price of one unit may be finer than the currency: 0.0035. The API shows them in minor units too, as
// `unitAmount` "0.35", which is the name that faults use.
package rating

import "perennial/billing/money"

// Model is the way in which a price turns a quantity into an amount.
type Model string

// The models. Each has a file of its own, which says how it counts.
const (
	Flat                Model = "flat"
	PerUnit             Model = "per_unit"
	Graduated           Model = "graduated"
	Volume              Model = "volume"
	Package             Model = "package"
	TieredFlat          Model = "tiered_flat"
	Percentage          Model = "percentage"
	GraduatedPercentage Model = "graduated_percentage"
)

// Price is a model with its parameters. Validate says which parameters belong to which model; every other one must be
// absent, because a parameter without effect would be a promise that nothing keeps.
type Price struct {
	Model Model `json:"model"`

	// Amount is the cost of a period, in minor units (flat).
	Amount money.Minor `json:"amount,omitzero"`
	// UnitPrice is the price of one unit, in major units (per_unit).
	UnitPrice money.Decimal `json:"unitPrice,omitzero"`
	// PackageSize is the number of units in a package; PackagePrice is the price of one, in major units (package).
	PackageSize  money.Decimal `json:"packageSize,omitzero"`
	PackagePrice money.Decimal `json:"packagePrice,omitzero"`
	// Tiers are in ascending order (graduated, volume, tiered_flat, graduated_percentage).
	Tiers []Tier `json:"tiers,omitempty"`
	// Percent of the quantity, which is an amount in major units of the currency (percentage).
	Percent money.Decimal `json:"percent,omitzero"`
	// Transactions are the parts of a percentage that count transactions (percentage).
	Transactions Transactions `json:"transactions,omitzero"`

	// Included units are free of charge; the model prices the rest.
	Included money.Decimal `json:"included,omitzero"`
	// Minimum and Maximum bound the cost of a period, in minor units; 0 is no bound.
	Minimum money.Minor `json:"minimum,omitzero"`
	Maximum money.Minor `json:"maximum,omitzero"`
}

// Tier prices the units above the bound of the tier before it, up to its own bound, which belongs to it.
type Tier struct {
	// UpTo is absent in the last tier, which has no end.
	UpTo money.Decimal `json:"upTo,omitzero"`
	// UnitPrice is the price of one unit, in major units.
	UnitPrice money.Decimal `json:"unitPrice,omitzero"`
	// PackageSize and PackagePrice take the place of UnitPrice where started packages are charged.
	PackageSize  money.Decimal `json:"packageSize,omitzero"`
	PackagePrice money.Decimal `json:"packagePrice,omitzero"`
	// Percent of the quantity, which is an amount in major units (graduated_percentage).
	Percent money.Decimal `json:"percent,omitzero"`
	// FlatAmount is charged once when the tier is reached, in minor units.
	FlatAmount money.Minor `json:"flatAmount,omitzero"`
}

// Transactions are the charges of a percentage for each transaction in addition to its rate, and the free transactions.
// Amounts are in major units, because a fee of 0.3 cents for each is usual.
type Transactions struct {
	// Fee is charged for each transaction that is not free.
	Fee money.Decimal `json:"fee,omitzero"`
	// Minimum and Maximum bound the cost of one transaction, its fee included; 0 or absent is no bound.
	Minimum money.Decimal `json:"minimum,omitzero"`
	Maximum money.Decimal `json:"maximum,omitzero"`
	// Free is the number of free transactions of the period, FreeAmount the free part of their sum. With both, the
	// first to be used up ends the free part.
	Free       int           `json:"free,omitzero"`
	FreeAmount money.Decimal `json:"freeAmount,omitzero"`
}

// Free reports whether the price charges nothing, whatever the quantity.
func (p Price) Free() bool {
	for _, tier := range p.Tiers {
		if tier.FlatAmount > 0 || tier.UnitPrice.Sign() > 0 || tier.PackagePrice.Sign() > 0 || tier.Percent.Sign() > 0 {
			return false
		}
	}
	return p.Amount == 0 && p.Minimum == 0 && p.UnitPrice.Sign() == 0 && p.PackagePrice.Sign() == 0 &&
		p.Percent.Sign() == 0 && p.Transactions.Fee.Sign() == 0 && p.Transactions.Minimum.Sign() == 0
}
