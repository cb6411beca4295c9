// Package metered owns what usage costs: which records a rate of a plan counts, what the quantities of a segment owe,
// and what an invoice bills of it (ADR 58). It does not own how records become quantities (usage), how a quantity
// becomes an amount (rating), nor when a period is rated and by whom it is paid (lifecycle).
package metered

import (
	"fmt"
	"slices"

	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/rating"
	"perennial/billing/usage"
)

// Component is a part of a plan that is billed by usage, in arrears. It names the version of the metric that counts.
type Component struct {
	ID              string
	MetricVersionID string
	// Cumulated counts tiers and included units from the first period on the component, not from the start of each.
	Cumulated bool
	// Rates are asked in their order: the first one that a record's dimensions fit counts it. A record that none fits
	// costs nothing.
	Rates []Rate
}

// Rate prices the records whose dimensions have certain values.
type Rate struct {
	Where map[string]string // by dimension; empty: all that is left
	By    []string          // dimensions whose values are priced each by itself
	Price rating.Price
}

// MaxRates bounds the rates of a component.
const MaxRates = 50

// Validate checks a component of a plan against the metric that it names. Faults: metered_rates_out_of_range,
// metered_dimension_unknown, metered_model_unsupported, metered_cumulated_unsupported, those of rating.Price. The fault
// names the rate by its place.
func (c Component) Validate(of usage.Metric) error {
	if len(c.Rates) == 0 || len(c.Rates) > MaxRates {
		return fault.InvalidParam("rates", "metered_rates_out_of_range",
			"A metered price has 1 to %d rates. The request has %d.", MaxRates, len(c.Rates))
	}
	for i, rate := range c.Rates {
		if err := c.validate(rate, of); err != nil {
			f := fault.From(err)
			return f.In(fmt.Sprintf("rates[%d].%s", i, f.Param))
		}
	}
	return nil
}

func (c Component) validate(rate Rate, of usage.Metric) error {
	for name := range rate.Where {
		if !slices.Contains(of.GroupBy, name) {
			return unknownDimension("where", name)
		}
	}
	for i, name := range rate.By {
		if _, fixed := rate.Where[name]; fixed || !slices.Contains(of.GroupBy, name) || slices.Contains(rate.By[:i], name) {
			return unknownDimension("by", name)
		}
	}
	switch model := rate.Price.Model; {
	case model == rating.Flat:
		return fault.InvalidParam("model", "metered_model_unsupported",
			"A price of the model `flat` has no regard to usage. Make it a price of the plan.")
	case counts(rate.Price.Transactions):
		return fault.InvalidParam("transactions", "metered_model_unsupported",
			"A metered price cannot count transactions. Omit `transactions`.")
	case c.Cumulated && (of.Aggregation != usage.Sum && of.Aggregation != usage.Count || of.Carries()):
		return fault.InvalidParam("cumulated", "metered_cumulated_unsupported",
			"`cumulated` needs a metric whose periods add up: a `sum` or `count` that does not carry over.")
	case c.Cumulated && (model == rating.Volume || model == rating.TieredFlat):
		return fault.InvalidParam("model", "metered_cumulated_unsupported",
			"More units may cost less under the model `%s`, so that a period would owe a credit. Omit `cumulated`.", model)
	case c.Cumulated && (rate.Price.Minimum > 0 || rate.Price.Maximum > 0):
		return fault.InvalidParam("minimum", "metered_cumulated_unsupported",
			"`minimum` and `maximum` are for one period. Omit them where tiers are `cumulated`.")
	}
	return rate.Price.Validate()
}

// counts reports whether the price asks for single transactions, which quantities do not know any more.
func counts(t rating.Transactions) bool {
	return t.Free > 0 || t.Fee.IsGiven() || t.Minimum.IsGiven() || t.Maximum.IsGiven() || t.FreeAmount.IsGiven()
}

func unknownDimension(field, name string) error {
	return fault.InvalidParam(field, "metered_dimension_unknown",
		"%.30q is not a dimension of the metric, or it occurs twice. Send those of its `groupBy`.", name)
}

// scaled is the price for a part of a period: what is for a whole period counts for its share. Parts of any division
// sum to the whole.
func scaled(p rating.Price, share Share) rating.Price {
	if share.Whole() {
		return p
	}
	if p.Included.Sign() > 0 {
		upTo := func(n int64) money.Decimal {
			return p.Included.Mul(money.Whole(n)).Quo(money.Whole(share.Length))
		}
		p.Included = upTo(share.To).Sub(upTo(share.From))
	}
	p.Minimum, p.Maximum = share.Of(p.Minimum), share.atMost(p.Maximum)
	return p
}
