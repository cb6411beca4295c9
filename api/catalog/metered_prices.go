package catalog

import (
	"fmt"

	"perennial/api/view"
	"perennial/billing/metered"
	"perennial/billing/money"
	"perennial/billing/rating"
	"perennial/billing/usage"
)

// MeteredPrice is a plan's price for the usage of one metric, charged after each period.
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
	Where map[string]string `json:"where,omitempty" minProperties:"1" maxProperties:"5" doc:"Values that dimensions of the metric must have. Absent: all usage that no rate before it prices."`
	By    []string          `json:"by,omitempty" minItems:"1" maxItems:"5" doc:"Dimensions of the metric whose values are priced each by itself, with tiers and lines of their own."`
	Model string            `json:"model" enum:"per_unit,graduated,volume,package,tiered_flat,percentage,graduated_percentage" example:"per_unit" doc:"How the quantity becomes an amount; see the prices of a plan. percentage: a share of the quantity, which is an amount in major units of the subscription's currency. graduated_percentage: such a share in each tier."`
	PriceRule
	Percent      string            `json:"percent,omitempty" maxLength:"30" example:"2.9" doc:"Of percentage: how many hundredths of the quantity, at most 100."`
	Transactions *TransactionRule  `json:"transactions,omitempty" doc:"Of percentage: what depends on each record, which is a transaction then. The metric must be a sum that does not carry over, of at most 1,000,000 records a period."`
	Tiers        []MeteredRateTier `json:"tiers,omitempty" maxItems:"100" doc:"Of graduated, volume, tiered_flat and graduated_percentage, in ascending order."`
	// Currencies are in a file of their own.
	Currencies map[string]RateAmounts `json:"currencies,omitempty" doc:"The amounts of the price in the currencies that the plan is sold in beside its own, by ISO 4217 code. All prices of a plan have the same ones, at most 50."`
}

// MeteredRateTier is a tier of a metered price.
type MeteredRateTier struct {
	TierRule
	Percent string `json:"percent,omitempty" maxLength:"30" example:"1.5" doc:"Of graduated_percentage: how many hundredths of the part of the quantity that is in the tier. Its upTo is an amount in major units, as the quantity is."`
}

// TransactionRule has the charges of a percentage for each transaction in addition to its share, and the free
// transactions.
type TransactionRule struct {
	FeeAmount     string `json:"feeAmount,omitempty" maxLength:"30" example:"30" doc:"What each transaction costs that is not free, beside its share: a decimal in minor units."`
	MinimumAmount string `json:"minimumAmount,omitempty" maxLength:"30" example:"50" doc:"The least that one transaction costs, its fee included, in minor units."`
	MaximumAmount string `json:"maximumAmount,omitempty" maxLength:"30" example:"500" doc:"The most that one transaction costs, its fee included, in minor units."`
	Free          int    `json:"free,omitempty" minimum:"0" maximum:"1000000" example:"10" doc:"How many transactions of a period are free, in the order of time."`
	FreeAmount    string `json:"freeAmount,omitempty" maxLength:"30" example:"100000" doc:"How much of their sum is free, in minor units. With free: what is free ends with whichever is used up first."`
}

// Commitment is the least that the metered prices of a plan cost together.
type Commitment struct {
	Amount        int64  `json:"amount" minimum:"0" maximum:"999999999999" example:"50000" doc:"The least that they cost together in a period, in minor units."`
	OverageFactor string `json:"overageFactor,omitempty" maxLength:"30" example:"0.8" doc:"What exceeds the amount is multiplied by it. Absent: 1."`

	Currencies map[string]CommitmentAmount `json:"currencies,omitempty" doc:"The amount in the currencies that the plan is sold in beside its own, by ISO 4217 code."`
}

// CommitmentAmount is a commitment or a minimum in another currency than the plan's.
type CommitmentAmount struct {
	Amount int64 `json:"amount" minimum:"1" maximum:"999999999999" example:"45000" doc:"Minor units of this currency."`
}

// Minimum is the least that all lines of a period come to.
type Minimum struct {
	Amount     int64                       `json:"amount" minimum:"0" maximum:"999999999999" example:"10000" doc:"The least that all lines of a period come to together, in minor units: prices in advance and in arrears, usage, and those of add-ons. A line after the period raises them to it, for the time that the plan counted."`
	Currencies map[string]CommitmentAmount `json:"currencies,omitempty" doc:"The amount in the currencies that the plan is sold in beside its own, by ISO 4217 code."`
}

// afterPeriod has the parts of a form that are billed after each period. An absent part stays as it is.
type afterPeriod struct {
	prices     []MeteredPriceForm
	commitment *Commitment
	minimum    *Minimum
}

// meteredOf reads the metered prices of a form in the plan's currency.
func meteredOf(form afterPeriod, c money.Currency) (metered.Revision, error) {
	forms, commitment := form.prices, form.commitment
	var d view.UnitAmounts
	var r metered.Revision
	if forms != nil {
		r.Components = []metered.Component{}
	}
	for i, f := range forms {
		one := metered.Component{Name: f.Name, MetricName: f.MetricName, Cumulated: f.Cumulated}
		for n, rate := range f.Rates {
			at := fmt.Sprintf("meteredPrices[%d].rates[%d].", i, n)
			one.Rates = append(one.Rates, rate.rate(&d, at, c))
		}
		r.Components = append(r.Components, one)
	}
	if commitment != nil {
		r.Commitment = &metered.Commitment{
			Amount:        money.Minor(commitment.Amount),
			OverageFactor: d.Parse("commitment.overageFactor", commitment.OverageFactor),
			Currencies:    amountsOf(commitment.Currencies),
		}
	}
	if m := form.minimum; m != nil {
		r.Minimum = &metered.Minimum{Amount: money.Minor(m.Amount), Currencies: amountsOf(m.Currencies)}
	}
	return r, d.Err
}

// rate returns the rate of the form; at names it in faults.
func (r MeteredRate) rate(d *view.UnitAmounts, at string, c money.Currency) metered.Rate {
	p := r.PriceRule.price(d, at, c, inMajor{})
	p.Model, p.Percent = rating.Model(r.Model), d.Parse(at+"percent", r.Percent)
	if r.Transactions != nil {
		p.Transactions = r.Transactions.rules(d, at+"transactions.", c)
	}
	for i, tier := range r.Tiers {
		in := fmt.Sprintf("%stiers[%d].", at, i)
		one := tier.tier(d, in, c, inMajor{})
		one.Percent = d.Parse(in+"percent", tier.Percent)
		p.Tiers = append(p.Tiers, one)
	}
	return metered.Rate{Where: r.Where, By: r.By, Price: p, Currencies: rateCurrenciesOf(d, at, r.Currencies)}
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
	return out, &Commitment{
		Amount: int64(p.Commitment.Amount), OverageFactor: p.Commitment.OverageFactor.String(),
		Currencies: renderCommitments(p.Commitment.Currencies),
	}
}

func renderMinimum(p *metered.Prices) *Minimum {
	if p == nil || p.Minimum == nil {
		return nil
	}
	return &Minimum{Amount: int64(p.Minimum.Amount), Currencies: renderCommitments(p.Minimum.Currencies)}
}

func renderRates(rates []metered.Rate, c money.Currency) []MeteredRate {
	out := make([]MeteredRate, len(rates))
	for i, r := range rates {
		out[i] = MeteredRate{
			Where: r.Where, By: r.By, Model: string(r.Price.Model), PriceRule: renderRule(r.Price, c),
			Percent: r.Price.Percent.String(), Transactions: renderTransactions(r.Price.Transactions, c),
			Currencies: renderRateCurrencies(r.Currencies),
		}
		for _, tier := range r.Price.Tiers {
			out[i].Tiers = append(out[i].Tiers, MeteredRateTier{renderTier(tier, c), tier.Percent.String()})
		}
	}
	return out
}

// rules returns the rules of the form; at names it in faults.
func (r TransactionRule) rules(d *view.UnitAmounts, at string, c money.Currency) rating.Transactions {
	amount := func(name, minor string) money.Decimal {
		return d.Amount(at, view.UnitAmount{Name: name, Minor: minor}, c)
	}
	return rating.Transactions{
		Fee: amount("feeAmount", r.FeeAmount), Minimum: amount("minimumAmount", r.MinimumAmount),
		Maximum: amount("maximumAmount", r.MaximumAmount), Free: r.Free, FreeAmount: amount("freeAmount", r.FreeAmount),
	}
}

func renderTransactions(t rating.Transactions, c money.Currency) *TransactionRule {
	if t == (rating.Transactions{}) {
		return nil
	}
	return &TransactionRule{
		FeeAmount: t.Fee.InMinor(c).String(), MinimumAmount: t.Minimum.InMinor(c).String(),
		MaximumAmount: t.Maximum.InMinor(c).String(), Free: t.Free, FreeAmount: t.FreeAmount.InMinor(c).String(),
	}
}
