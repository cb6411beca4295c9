// Package plan owns the catalogue: a plan, its price components and what one period of it costs. It does not own
// when a period is billed (subscription) nor what happens on a change within one (proration).
package plan

import (
	"fmt"
	"slices"
	"time"

	"perennial/billing/dunning"
	"perennial/billing/fault"
	"perennial/billing/metadata"
	"perennial/billing/money"
	"perennial/billing/period"
)

// Model is how a price component turns into an amount.
type Model string

// Flat charges Amount once a period, in advance.
const Flat Model = "flat"

// Price is one component of a plan. Amount is in minor units of the plan's currency.
type Price struct {
	ID     string
	Name   string
	Model  Model
	Amount money.Minor
}

// Plan is what a customer subscribes to. A plan's prices never change: a new price is a new plan. Its name, its dunning
// policy and its metadata may change.
type Plan struct {
	ID        string
	Name      string
	Currency  money.Currency
	Interval  period.Interval
	TrialDays int
	Prices    []Price
	Active    bool
	Dunning   *dunning.Policy // of its subscriptions; nil: the environment's
	Metadata  metadata.Pairs
	CreatedAt time.Time
}

// MaxTrialDays bounds a trial at two years: longer is a typing error.
const MaxTrialDays = 730

// MaxPrices bounds the components of one plan.
const MaxPrices = 20

// Validate checks a new plan. Faults: plan_name_missing, currency_unknown, interval_*, trial_days_out_of_range,
// prices_count_out_of_range, price_model_unknown, amount_negative, amount_too_large, those of dunning.Policy. The fault
// names the price by its place.
func (p Plan) Validate() error {
	if p.Name == "" {
		return fault.InvalidParam("name", "plan_name_missing",
			"The plan's name is missing. Send a name, which customers see on their invoices.")
	}
	if _, err := money.ParseCurrency(string(p.Currency)); err != nil {
		return err
	}
	if err := p.Interval.Validate(); err != nil {
		return err
	}
	if err := ValidateTrialDays(p.TrialDays); err != nil {
		return err
	}
	if p.Dunning != nil {
		if err := p.Dunning.Validate(); err != nil {
			return err
		}
	}
	if len(p.Prices) == 0 || len(p.Prices) > MaxPrices {
		return fault.InvalidParam("prices", "prices_count_out_of_range",
			"A plan must have 1 to %d prices. The request has %d.", MaxPrices, len(p.Prices))
	}
	var total money.Minor
	for i, price := range p.Prices {
		if price.Model != Flat {
			return fault.InvalidParam(fmt.Sprintf("prices[%d].model", i), "price_model_unknown",
				"The price model %q does not exist. Send %q.", price.Model, Flat)
		}
		amount := fmt.Sprintf("prices[%d].amount", i)
		if price.Amount < 0 {
			return fault.InvalidParam(amount, "amount_negative",
				"A price cannot be negative. The request has %d.", price.Amount)
		}
		var err error
		if total, err = money.Sum(total, price.Amount); err != nil {
			return fault.From(err).In(amount)
		}
	}
	return nil
}

// ValidateTrialDays refuses a negative or absurd trial: trial_days_out_of_range.
func ValidateTrialDays(days int) error {
	if days < 0 || days > MaxTrialDays {
		return fault.InvalidParam("trialDays", "trial_days_out_of_range",
			"`trialDays` must be 0 to %d. The request has %d.", MaxTrialDays, days)
	}
	return nil
}

// Free reports whether no period of it costs anything.
func (p Plan) Free() bool {
	return !slices.ContainsFunc(p.Prices, func(price Price) bool { return price.Amount > 0 })
}

// FlatTotal is what one whole period costs in advance. Fault: amount_too_large.
func (p Plan) FlatTotal() (money.Minor, error) {
	amounts := make([]money.Minor, 0, len(p.Prices))
	for _, price := range p.Prices {
		amounts = append(amounts, price.Amount)
	}
	return money.Sum(amounts...)
}
