package catalog

import (
	"cmp"
	"fmt"

	"perennial/api/view"
	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/rating"
)

// Price is one component of a plan, charged for each period in advance.
type Price struct {
	ID     string `json:"id" example:"price_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	Name   string `json:"name,omitempty" example:"Base fee"`
	Amount int64  `json:"amount" example:"1900" doc:"Of a flat price: minor units of the plan's currency. 0 otherwise."`
	PriceModel
}

// PriceForm is one component of a new plan.
type PriceForm struct {
	Name   string `json:"name,omitempty" maxLength:"200" example:"Base fee"`
	Amount *int64 `json:"amount,omitempty" minimum:"0" maximum:"999999999999" example:"1900" doc:"Of a flat price, which must have it: minor units of the plan's currency."`
	PriceModel
}

// PriceModel says how a price turns the subscription's quantity into an amount. Decimals are strings, since a JSON
// number is a binary fraction in many clients.
type PriceModel struct {
	Once          bool        `json:"once,omitempty" doc:"Charged once, on the first invoice of a subscription, such as a setup fee. Otherwise every period has it."`
	Model         string      `json:"model,omitempty" enum:"flat,per_unit,graduated,volume,package,tiered_flat" example:"flat" doc:"flat: the amount. per_unit: each unit costs unitAmount. graduated: the units of each tier cost its price. volume: all units cost the price of the tier that the quantity reaches. package: started packages. tiered_flat: the flat amount of the tier that the quantity reaches. Default: flat."`
	UnitAmount    string      `json:"unitAmount,omitempty" maxLength:"30" example:"450" doc:"Of per_unit: what one unit costs, a decimal in minor units of the currency, which may be a part of one, such as 0.35."`
	UnitPrice     string      `json:"unitPrice,omitempty" maxLength:"30" deprecated:"true" doc:"unitAmount in major units of the currency: 4.50 where that is 450."`
	PackageSize   string      `json:"packageSize,omitempty" maxLength:"30" example:"100" doc:"Of package: the units in one."`
	PackageAmount string      `json:"packageAmount,omitempty" maxLength:"30" example:"990" doc:"Of package: what one costs, a decimal in minor units."`
	PackagePrice  string      `json:"packagePrice,omitempty" maxLength:"30" deprecated:"true" doc:"packageAmount in major units."`
	Included      string      `json:"included,omitempty" maxLength:"30" example:"3" doc:"Units that are free."`
	Minimum       int64       `json:"minimum,omitempty" minimum:"0" maximum:"999999999999" doc:"The least that a period costs, in minor units."`
	Maximum       int64       `json:"maximum,omitempty" minimum:"0" maximum:"999999999999" doc:"The most that a period costs, in minor units."`
	Tiers         []PriceTier `json:"tiers,omitempty" maxItems:"100" doc:"Of graduated, volume and tiered_flat, in ascending order."`
	// Currencies are in a file of their own.
	Currencies map[string]PriceAmounts `json:"currencies,omitempty" doc:"The amounts of the price in the currencies that the plan is sold in beside its own, by ISO 4217 code. All prices of a plan have the same ones, at most 50."`
}

// PriceTier prices the units above the tier before it, up to its own bound.
type PriceTier struct {
	UpTo          string `json:"upTo,omitempty" maxLength:"30" example:"10" doc:"The last unit of the tier. Absent: the last tier."`
	UnitAmount    string `json:"unitAmount,omitempty" maxLength:"30" example:"450" doc:"What one unit costs, a decimal in minor units."`
	UnitPrice     string `json:"unitPrice,omitempty" maxLength:"30" deprecated:"true" doc:"unitAmount in major units."`
	PackageSize   string `json:"packageSize,omitempty" maxLength:"30" doc:"Where started packages are charged: the units in one."`
	PackageAmount string `json:"packageAmount,omitempty" maxLength:"30" doc:"What a package costs, a decimal in minor units."`
	PackagePrice  string `json:"packagePrice,omitempty" maxLength:"30" deprecated:"true" doc:"packageAmount in major units."`
	FlatAmount    int64  `json:"flatAmount,omitempty" minimum:"0" maximum:"999999999999" doc:"Charged once when the tier is reached, in minor units."`
}

// price is what the form says; at names it in faults.
func (f PriceForm) price(d *view.UnitAmounts, at string, c money.Currency) (plan.Price, error) {
	model := cmp.Or(rating.Model(f.Model), rating.Flat)
	if model == rating.Flat && f.Amount == nil { // 0 says that it is free, and a forgotten field does not
		return plan.Price{}, fault.InvalidParam(at+"amount", "field_missing",
			"A flat price must have an `amount`. Send 0 if it is free.")
	}
	p := rating.Price{
		Model: model, Amount: money.Minor(view.Given(f.Amount)),
		UnitPrice:    d.Amount(at, view.OfUnit(f.UnitAmount, f.UnitPrice), c),
		PackageSize:  d.Parse(at+"packageSize", f.PackageSize),
		PackagePrice: d.Amount(at, view.OfPackage(f.PackageAmount, f.PackagePrice), c),
		Included:     d.Parse(at+"included", f.Included),
		Minimum:      money.Minor(f.Minimum), Maximum: money.Minor(f.Maximum),
	}
	for i, tier := range f.Tiers {
		in := fmt.Sprintf("%stiers[%d].", at, i)
		p.Tiers = append(p.Tiers, rating.Tier{
			UpTo: d.Parse(in+"upTo", tier.UpTo), UnitPrice: d.Amount(in, view.OfUnit(tier.UnitAmount, tier.UnitPrice), c),
			PackageSize:  d.Parse(in+"packageSize", tier.PackageSize),
			PackagePrice: d.Amount(in, view.OfPackage(tier.PackageAmount, tier.PackagePrice), c),
			FlatAmount:   money.Minor(tier.FlatAmount),
		})
	}
	out := plan.Price{Name: f.Name, Once: f.Once, Price: p, Currencies: currenciesOf(d, at, f.Currencies)}
	return out, d.Err
}

func renderPrice(p plan.Price, c money.Currency) Price {
	out := Price{ID: p.ID, Name: p.Name, Amount: int64(p.Amount), PriceModel: PriceModel{
		Once: p.Once, Model: string(p.Model), UnitAmount: p.UnitPrice.InMinor(c).String(), UnitPrice: p.UnitPrice.String(),
		PackageSize: p.PackageSize.String(), PackageAmount: p.PackagePrice.InMinor(c).String(),
		PackagePrice: p.PackagePrice.String(), Included: p.Included.String(),
		Minimum: int64(p.Minimum), Maximum: int64(p.Maximum), Currencies: renderCurrencies(p.Currencies),
	}}
	for _, tier := range p.Tiers {
		out.Tiers = append(out.Tiers, PriceTier{
			UpTo: tier.UpTo.String(), UnitAmount: tier.UnitPrice.InMinor(c).String(), UnitPrice: tier.UnitPrice.String(),
			PackageSize: tier.PackageSize.String(), PackageAmount: tier.PackagePrice.InMinor(c).String(),
			PackagePrice: tier.PackagePrice.String(), FlatAmount: int64(tier.FlatAmount),
		})
	}
	return out
}

// pricesOf reads the prices of a form in the plan's currency: one flat amount, or a list. Absent, there are none.
func pricesOf(amount *int64, forms []PriceForm, c money.Currency) ([]plan.Price, []view.Warning, error) {
	if amount != nil && len(forms) > 0 {
		return nil, nil, fault.InvalidParam("prices", "fields_exclusive",
			"Send `amount`, for one flat price, or `prices`, not both.")
	}
	if amount != nil {
		forms = []PriceForm{{Amount: amount}}
	}
	var d view.UnitAmounts
	prices := make([]plan.Price, 0, len(forms))
	for i, form := range forms {
		price, err := form.price(&d, fmt.Sprintf("prices[%d].", i), c)
		if err != nil {
			return nil, nil, err
		}
		prices = append(prices, price)
	}
	return prices, d.Warnings, nil
}

// undeprecated is the price without the fields that go.
func (p Price) undeprecated() Price {
	p.UnitPrice, p.PackagePrice = "", ""
	for i := range p.Tiers {
		p.Tiers[i].UnitPrice, p.Tiers[i].PackagePrice = "", ""
	}
	for c, a := range p.Currencies {
		a.UnitPrice, a.PackagePrice = "", ""
		for i := range a.Tiers {
			a.Tiers[i].UnitPrice, a.Tiers[i].PackagePrice = "", ""
		}
		p.Currencies[c] = a
	}
	return p
}
