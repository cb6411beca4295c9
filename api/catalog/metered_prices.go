package catalog

import (
	"fmt"

	"perennial/api/view"
	"perennial/billing/metered"
	"perennial/billing/money"
	"perennial/billing/rating"
	"perennial/billing/usage"
)

// MeteredPrice is what a plan charges for the usage of one metric, after each period.
type MeteredPrice struct {
	ID            string `json:"id" example:"price_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	MetricID      string `json:"metricId" example:"met_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"The metric that metricName names."`
	MetricVersion int    `json:"metricVersion" example:"1" doc:"The version of the metric that counts: the one that counted when the price was written. Later versions of the plan that leave it as it is keep it."`
	MeteredPriceForm
}

// MeteredPriceForm is one metered price of a new plan.
type MeteredPriceForm struct {
	Name       string        `json:"name,omitempty" maxLength:"200" example:"API calls" doc:"Customers see it on invoices. Default: the name of the metric."`
	MetricName string        `json:"metricName" minLength:"1" maxLength:"100" example:"api_calls" doc:"The metric that counts, which takes records."`
	Cumulated  bool          `json:"cumulated,omitempty" doc:"true: tiers and included units count from the first period of a subscription on, not from the start of each period. Of a sum or count."`
	Rates      []MeteredRate `json:"rates" minItems:"1" maxItems:"50" doc:"Asked in their order: the first one that the dimensions of a record fit prices it. Records that none fits cost nothing."`
}

// MeteredRate prices the usage whose dimensions have certain values.
type MeteredRate struct {
	Where         map[string]string `json:"where,omitempty" minProperties:"1" maxProperties:"5" doc:"Values that dimensions of the metric must have. Absent: all usage that no rate before it prices."`
	By            []string          `json:"by,omitempty" minItems:"1" maxItems:"5" doc:"Dimensions of the metric whose values are priced each by itself, with tiers and lines of their own."`
	Model         string            `json:"model" enum:"per_unit,graduated,volume,package,tiered_flat" example:"per_unit" doc:"How the quantity becomes an amount; see the prices of a plan."`
	UnitAmount    string            `json:"unitAmount,omitempty" maxLength:"30" example:"0.35" doc:"Of per_unit: what one unit costs, a decimal in minor units, which may be a part of one."`
	PackageSize   string            `json:"packageSize,omitempty" maxLength:"30" example:"1000" doc:"Of package: the units in one."`
	PackageAmount string            `json:"packageAmount,omitempty" maxLength:"30" example:"250" doc:"Of package: what one costs, a decimal in minor units."`
	Included      string            `json:"included,omitempty" maxLength:"30" example:"10000" doc:"Units that are free, in each period."`
	Minimum       int64             `json:"minimum,omitempty" minimum:"0" maximum:"999999999999" doc:"The least that a period costs, in minor units."`
	Maximum       int64             `json:"maximum,omitempty" minimum:"0" maximum:"999999999999" doc:"The most that a period costs, in minor units."`
	Tiers         []MeteredTier     `json:"tiers,omitempty" maxItems:"100" doc:"Of graduated, volume and tiered_flat, in ascending order."`
}

// MeteredTier prices the units above the tier before it, up to its own bound.
type MeteredTier struct {
	UpTo          string `json:"upTo,omitempty" maxLength:"30" example:"10000" doc:"The last unit of the tier. Absent: the last tier."`
	UnitAmount    string `json:"unitAmount,omitempty" maxLength:"30" example:"0.35" doc:"What one unit costs, a decimal in minor units."`
	PackageSize   string `json:"packageSize,omitempty" maxLength:"30" doc:"Where started packages are charged: the units in one."`
	PackageAmount string `json:"packageAmount,omitempty" maxLength:"30" doc:"What a package costs, a decimal in minor units."`
	FlatAmount    int64  `json:"flatAmount,omitempty" minimum:"0" maximum:"999999999999" doc:"Charged once when the tier is reached, in minor units."`
}

// Commitment is the least that the metered prices of a plan cost together.
type Commitment struct {
	Amount        int64  `json:"amount" minimum:"0" maximum:"999999999999" example:"50000" doc:"The least that they cost together in a period, in minor units."`
	OverageFactor string `json:"overageFactor,omitempty" maxLength:"30" example:"0.8" doc:"What exceeds the amount is multiplied by it. Absent: 1."`
}

// meteredOf reads the metered prices of a form in the plan's currency. Absent, both stay as they are.
func meteredOf(forms []MeteredPriceForm, commitment *Commitment, c money.Currency) (metered.Revision, error) {
	var d view.UnitAmounts
	var r metered.Revision
	if forms != nil {
		r.Components = []metered.Component{}
	}
	for i, f := range forms {
		one := metered.Component{Name: f.Name, MetricName: f.MetricName, Cumulated: f.Cumulated}
		for n, rate := range f.Rates {
			at := fmt.Sprintf("meteredPrices[%d].rates[%d].", i, n)
			one.Rates = append(one.Rates, metered.Rate{Where: rate.Where, By: rate.By, Price: rate.price(&d, at, c)})
		}
		r.Components = append(r.Components, one)
	}
	if commitment != nil {
		r.Commitment = &metered.Commitment{
			Amount:        money.Minor(commitment.Amount),
			OverageFactor: d.Parse("commitment.overageFactor", commitment.OverageFactor),
		}
	}
	return r, d.Err
}

// price is what the form says; at names it in faults.
func (r MeteredRate) price(d *view.UnitAmounts, at string, c money.Currency) rating.Price {
	p := rating.Price{
		Model: rating.Model(r.Model), UnitPrice: d.Amount(at, view.OfUnit(r.UnitAmount, ""), c),
		PackageSize:  d.Parse(at+"packageSize", r.PackageSize),
		PackagePrice: d.Amount(at, view.OfPackage(r.PackageAmount, ""), c), Included: d.Parse(at+"included", r.Included),
		Minimum: money.Minor(r.Minimum), Maximum: money.Minor(r.Maximum),
	}
	for i, tier := range r.Tiers {
		in := fmt.Sprintf("%stiers[%d].", at, i)
		p.Tiers = append(p.Tiers, rating.Tier{
			UpTo: d.Parse(in+"upTo", tier.UpTo), UnitPrice: d.Amount(in, view.OfUnit(tier.UnitAmount, ""), c),
			PackageSize:  d.Parse(in+"packageSize", tier.PackageSize),
			PackagePrice: d.Amount(in, view.OfPackage(tier.PackageAmount, ""), c), FlatAmount: money.Minor(tier.FlatAmount),
		})
	}
	return p
}

func renderMetered(p *metered.Prices, c money.Currency) ([]MeteredPrice, *Commitment) {
	if p == nil {
		return nil, nil
	}
	out := make([]MeteredPrice, len(p.Components))
	for i, one := range p.Components {
		id, version := usage.SplitVersionID(one.MetricVersionID)
		out[i] = MeteredPrice{ID: one.ID, MetricID: id, MetricVersion: version, MeteredPriceForm: MeteredPriceForm{
			Name: one.Name, MetricName: one.MetricName, Cumulated: one.Cumulated, Rates: renderRates(one.Rates, c),
		}}
	}
	if p.Commitment == nil {
		return out, nil
	}
	return out, &Commitment{Amount: int64(p.Commitment.Amount), OverageFactor: p.Commitment.OverageFactor.String()}
}

func renderRates(rates []metered.Rate, c money.Currency) []MeteredRate {
	out := make([]MeteredRate, len(rates))
	for i, r := range rates {
		p := r.Price
		out[i] = MeteredRate{
			Where: r.Where, By: r.By, Model: string(p.Model), UnitAmount: p.UnitPrice.InMinor(c).String(),
			PackageSize: p.PackageSize.String(), PackageAmount: p.PackagePrice.InMinor(c).String(),
			Included: p.Included.String(), Minimum: int64(p.Minimum), Maximum: int64(p.Maximum),
		}
		for _, tier := range p.Tiers {
			out[i].Tiers = append(out[i].Tiers, MeteredTier{
				UpTo: tier.UpTo.String(), UnitAmount: tier.UnitPrice.InMinor(c).String(),
				PackageSize: tier.PackageSize.String(), PackageAmount: tier.PackagePrice.InMinor(c).String(),
				FlatAmount: int64(tier.FlatAmount),
			})
		}
	}
	return out
}
