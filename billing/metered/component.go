// Package metered owns the cost of usage: the records that a rate of a plan counts, the amount owed for the quantities
// of a segment, and the charges of an invoice (ADR 58). Package usage turns records into quantities, rating turns a
// quantity into an amount, and lifecycle decides when a period is rated and who pays.
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

// Component is a part of a plan that is billed in arrears: by usage, where it names a metric version, or by the
// quantity of the subscription.
type Component struct {
	ID              string `json:"id"`
	Name            string `json:"name,omitempty"`            // for people; empty: none
	MetricName      string `json:"metricName"`                // never changes
	MetricVersionID string `json:"metricVersionId,omitempty"` // empty: MetricName is not resolved yet
	// Cumulated counts tiers and included units from the component's first period on, not from the start of each period.
	Cumulated bool `json:"cumulated,omitempty"`
	// Rates are matched in their order: the first one that fits a record's dimensions counts it. A record without a
	// matching rate costs nothing.
	Rates []Rate `json:"rates"`

	// The fields below are not stored: a plan sets them when it composes its prices for a subscription.

	// Fixed: it is a price in arrears, which counts Units instead of records. Units are a level.
	Fixed bool  `json:"fixed,omitempty"`
	Units int64 `json:"units,omitempty"`
	// AddOn: it belongs to an add-on, so the plan's commitment does not include it.
	AddOn bool `json:"addOn,omitempty"`
}

// Rate prices the records with certain values of dimensions.
type Rate struct {
	Where map[string]string `json:"where,omitempty"` // by dimension; empty: all remaining records
	By    []string          `json:"by,omitempty"`    // dimensions whose values are priced separately
	Price rating.Price      `json:"price"`
	// Currencies are the amounts of the price in the plan's further currencies; nil: none.
	Currencies rating.Currencies `json:"currencies,omitempty"`
}

// MaxRates bounds the rates of a component.
const MaxRates = 50

// Validate checks a component of a plan with its metric. The fault names the index of the rate. Faults:
// metered_rates_out_of_range, metered_dimension_unknown, metered_model_unsupported, metered_cumulated_unsupported,
// metered_percentage_unsupported, metered_rate_unreachable, those of rating.Price and of text.Check.
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

// check does the checks of Validate that need no metric.
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

// checkWhere refuses values that no record has, and a rate that is never reached because an earlier one matches its
// records. Faults: metered_dimension_unknown, metered_rate_unreachable, those of text.Check.
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

// divides checks that the rate separates records by dimensions of the metric.
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

// checkAmounts refuses a percentage for a metric that is not an amount of money, and a price by transaction for one
// that is not a sum of them. Fault: metered_percentage_unsupported.
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

// checkPrice refuses models that do not depend on a quantity, and those that cannot be cumulated.
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

// scaled returns the price for a part of a period: amounts for a whole period count for its share. The parts of any
// division sum to the whole.
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

// Title returns the name of the component for people.
func (c Component) Title() string { return cmp.Or(c.Name, c.MetricName) }
