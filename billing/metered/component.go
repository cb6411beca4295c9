// Package metered owns what usage costs: which records a rate of a plan counts, what the quantities of a segment owe,
// and what an invoice bills of it (ADR 58). It does not own how records become quantities (usage), how a quantity
// becomes an amount (rating), nor when a period is rated and by whom it is paid (lifecycle).
package metered

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"perennial/billing/fault"
	"perennial/billing/rating"
	"perennial/billing/text"
	"perennial/billing/usage"
)

// Component is a part of a plan that is billed in arrears: by usage, where it names the version of the metric that
// counts, or by the quantity of the subscription.
type Component struct {
	ID              string `json:"id"`
	Name            string `json:"name,omitempty"`            // for people; empty: it has none of its own
	MetricName      string `json:"metricName"`                // never changes
	MetricVersionID string `json:"metricVersionId,omitempty"` // empty: MetricName is not resolved yet
	// Cumulated counts tiers and included units from the first period on the component, not from the start of each.
	Cumulated bool `json:"cumulated,omitempty"`
	// Rates are asked in their order: the first one that a record's dimensions fit counts it. A record that none fits
	// costs nothing.
	Rates []Rate `json:"rates"`

	// What follows is not stored: a plan says it of its prices when they are put together for a subscription.

	// Fixed: it is a price in arrears, which counts Units, not records. Units are a level.
	Fixed bool  `json:"fixed,omitempty"`
	Units int64 `json:"units,omitempty"`
	// AddOn: it is an add-on's, so that the plan's commitment is not about it.
	AddOn bool `json:"addOn,omitempty"`
}

// Rate prices the records whose dimensions have certain values.
type Rate struct {
	Where map[string]string `json:"where,omitempty"` // by dimension; empty: all that is left
	By    []string          `json:"by,omitempty"`    // dimensions whose values are priced each by itself
	Price rating.Price      `json:"price"`
	// Currencies are the amounts of the price in those that the plan is sold in beside its own; nil: in none.
	Currencies rating.Currencies `json:"currencies,omitempty"`
}

// MaxRates bounds the rates of a component.
const MaxRates = 50

// Validate checks a component of a plan against the metric that it names. The fault names the rate by its place.
// Faults: metered_rates_out_of_range, metered_dimension_unknown, metered_model_unsupported,
// metered_cumulated_unsupported, metered_percentage_unsupported, metered_rate_unreachable, those of rating.Price and of
// text.Check.
func (c Component) Validate(of usage.Metric) error {
	if err := c.check(); err != nil {
		return err
	}
	if c.Cumulated && (of.Aggregation != usage.Sum && of.Aggregation != usage.Count || of.Carries()) {
		return fault.InvalidParam("cumulated", "metered_cumulated_unsupported",
			"`cumulated` needs a metric whose periods add up: a `sum` or `count` that does not carry over.")
	}
	for i, rate := range c.Rates {
		err := rate.divides(of)
		if err == nil {
			err = checkAmounts(rate.Price, of)
		}
		if err != nil {
			return fault.From(err).Within(fmt.Sprintf("rates[%d]", i))
		}
	}
	return nil
}

// check is what Validate checks without the metric.
func (c Component) check() error {
	if len(c.Rates) == 0 || len(c.Rates) > MaxRates {
		return fault.InvalidParam("rates", "metered_rates_out_of_range",
			"A metered price has 1 to %d rates. The request has %d.", MaxRates, len(c.Rates))
	}
	for i, rate := range c.Rates {
		err := c.checkPrice(rate.Price)
		if err == nil {
			err = rate.checkWhere(c.Rates[:i])
		}
		if err != nil {
			return fault.From(err).Within(fmt.Sprintf("rates[%d]", i))
		}
	}
	return nil
}

// checkWhere refuses values that no record has, and a rate that is never asked: one before it fits all that it fits.
// Faults: metered_dimension_unknown, metered_rate_unreachable, those of text.Check.
func (r Rate) checkWhere(before []Rate) error {
	for _, name := range slices.Sorted(maps.Keys(r.Where)) {
		value := r.Where[name]
		if utf8.RuneCountInString(value) > usage.MaxProperty {
			return fault.InvalidParam("where", "metered_dimension_unknown",
				"No record has a value of more than %d characters.", usage.MaxProperty)
		}
		if err := text.Check("where", value); err != nil {
			return err
		}
	}
	covers := func(earlier Rate) bool {
		for name, value := range earlier.Where {
			if has, fixed := r.Where[name]; !fixed || has != value {
				return false
			}
		}
		return true
	}
	if slices.ContainsFunc(before, covers) {
		return fault.InvalidParam("where", "metered_rate_unreachable",
			"A rate before this one prices all that it would. Put the one with fewer conditions behind it.")
	}
	return nil
}

// divides checks that the rate tells records apart by dimensions of the metric.
func (r Rate) divides(of usage.Metric) error {
	for _, name := range slices.Sorted(maps.Keys(r.Where)) {
		if !slices.Contains(of.GroupBy, name) {
			return unknownDimension("where", name)
		}
	}
	for i, name := range r.By {
		if _, fixed := r.Where[name]; fixed || !slices.Contains(of.GroupBy, name) || slices.Contains(r.By[:i], name) {
			return unknownDimension("by", name)
		}
	}
	return nil
}

// checkAmounts refuses a percentage of what is no amount of money, and one by transactions of what is no sum of them.
// Fault: metered_percentage_unsupported.
func checkAmounts(p rating.Price, of usage.Metric) error {
	switch {
	case p.Model != rating.Percentage && p.Model != rating.GraduatedPercentage:
		return nil
	case of.Aggregation == usage.Count || of.Aggregation == usage.UniqueCount:
		return fault.InvalidParam("model", "metered_percentage_unsupported",
			"A percentage is of an amount, and the metric counts (`%s`). Name a metric that adds up amounts, in major units "+
				"of the currency.", of.Aggregation)
	case p.ByTransaction() && (of.Aggregation != usage.Sum || of.Carries() || of.Conversion.Rounding != ""):
		return fault.InvalidParam("transactions", "metered_percentage_unsupported",
			"`transactions` needs a metric of the aggregation `sum` that does not carry over, each record of which is a "+
				"transaction, and whose conversion does not round.")
	}
	return nil
}

// checkPrice refuses models that say nothing of a quantity, and what cannot be told from all units so far.
func (c Component) checkPrice(p rating.Price) error {
	switch model := p.Model; {
	case model == rating.Flat:
		return fault.InvalidParam("model", "metered_model_unsupported",
			"A price of the model `flat` has no regard to usage. Make it a price of the plan.")
	case c.Cumulated && p.ByTransaction():
		return fault.InvalidParam("transactions", "metered_cumulated_unsupported",
			"Transactions are counted in each period. Omit `cumulated`, or `transactions`.")
	case c.Cumulated && (model == rating.Volume || model == rating.TieredFlat):
		return fault.InvalidParam("model", "metered_cumulated_unsupported",
			"More units may cost less under the model `%s`, so that a period would owe a credit. Omit `cumulated`.", model)
	case c.Cumulated && (p.Minimum > 0 || p.Maximum > 0):
		return fault.InvalidParam("minimum", "metered_cumulated_unsupported",
			"`minimum` and `maximum` are for one period. Omit them where tiers are `cumulated`.")
	}
	return p.Validate()
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
		p.Included = p.Included.Part(share.From, share.To, share.Length)
	}
	if p.ByTransaction() {
		p.Transactions = p.Transactions.During(share.From, share.To, share.Length)
	}
	p.Minimum, p.Maximum = share.Of(p.Minimum), share.atMost(p.Maximum)
	return p
}

// Title names the component for people.
func (c Component) Title() string { return cmp.Or(c.Name, c.MetricName) }
