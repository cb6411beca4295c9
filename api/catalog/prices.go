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

// arrears is the billing of a price after each period.
const arrears = "arrears"

// Price is one component of a plan, charged for each period.
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

// PriceModel is the way in which a price turns the subscription's quantity into an amount.
type PriceModel struct {
	Once    bool   `json:"once,omitempty" doc:"Charged once, on the first invoice of a subscription, such as a setup fee. Otherwise every period has it."`
	Billing string `json:"billing,omitempty" enum:"advance,arrears" example:"arrears" doc:"When a period is billed. advance: when it begins. arrears: when it is over, as usage is, for the time in it. Default: advance."`
	Model   string `json:"model,omitempty" enum:"flat,per_unit,graduated,volume,package,tiered_flat" example:"flat" doc:"flat: the amount. per_unit: each unit costs unitAmount. graduated: the units of each tier cost its price. volume: all units cost the price of the tier that the quantity reaches. package: started packages. tiered_flat: the flat amount of the tier that the quantity reaches. Default: flat."`
	PriceRule
	UnitPrice    string      `json:"unitPrice,omitempty" maxLength:"30" deprecated:"true" doc:"unitAmount in major units of the currency: 4.50 where that is 450."`
	PackagePrice string      `json:"packagePrice,omitempty" maxLength:"30" deprecated:"true" doc:"packageAmount in major units."`
	Tiers        []PriceTier `json:"tiers,omitempty" maxItems:"100" doc:"Of graduated, volume and tiered_flat, in ascending order."`
	// Currencies are in a file of their own.
	Currencies map[string]PriceAmounts `json:"currencies,omitempty" doc:"The amounts of the price in the currencies that the plan is sold in beside its own, by ISO 4217 code. All prices of a plan have the same ones, at most 50."`
}

// PriceTier is a tier of a price.
type PriceTier struct {
	TierRule
	UnitPrice    string `json:"unitPrice,omitempty" maxLength:"30" deprecated:"true" doc:"unitAmount in major units."`
	PackagePrice string `json:"packagePrice,omitempty" maxLength:"30" deprecated:"true" doc:"packageAmount in major units."`
}

// price returns the price of the form; at names it in faults.
func (f PriceForm) price(d *view.UnitAmounts, at string, c money.Currency) (plan.Price, error) {
	model := cmp.Or(rating.Model(f.Model), rating.Flat)
	if model == rating.Flat && f.Amount == nil { // 0 says that it is free, and a forgotten field does not
		return plan.Price{}, fault.InvalidParam(at+"amount", "field_missing",
			"A flat price must have an `amount`. Send 0 if it is free.")
	}
	p := f.PriceRule.price(d, at, c, inMajor{f.UnitPrice, f.PackagePrice})
	p.Model, p.Amount = model, money.Minor(view.Given(f.Amount))
	for i, tier := range f.Tiers {
		in := fmt.Sprintf("%stiers[%d].", at, i)
		p.Tiers = append(p.Tiers, tier.tier(d, in, c, inMajor{tier.UnitPrice, tier.PackagePrice}))
	}
	out := plan.Price{
		Name: f.Name, Once: f.Once, Arrears: f.Billing == arrears, Price: p, Currencies: currenciesOf(d, at, f.Currencies),
	}
	return out, d.Err
}

func renderPrice(p plan.Price, c money.Currency) Price {
	out := Price{ID: p.ID, Name: p.Name, Amount: int64(p.Amount), PriceModel: PriceModel{
		Once: p.Once, Model: string(p.Model), PriceRule: renderRule(p.Price, c), UnitPrice: p.UnitPrice.String(),
		PackagePrice: p.PackagePrice.String(), Currencies: renderCurrencies(p.Currencies),
	}}
	if p.Arrears {
		out.Billing = arrears
	}
	for _, tier := range p.Tiers {
		out.Tiers = append(out.Tiers, PriceTier{
			TierRule: renderTier(tier, c), UnitPrice: tier.UnitPrice.String(), PackagePrice: tier.PackagePrice.String(),
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
