// Package plan owns the catalogue: a plan, its price components and the cost of one period. It does not own when a
// period is billed (subscription) nor the effect of a change within one (proration).
package plan

import (
	"fmt"
	"slices"
	"time"

	"perennial/billing/dunning"
	"perennial/billing/fault"
	"perennial/billing/metadata"
	"perennial/billing/metered"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/proration"
	"perennial/billing/rating"
	"perennial/billing/tax"
)

// Price is one component of a plan, charged for each period in advance or in arrears: by its model, and for all but a
// flat one by the subscription's quantity. One in arrears is billed as usage is, for the time that it counted
// (AfterPeriod). One that is charged once is a fee on the first invoice of a subscription, such as for
// setting it up: it has no time, so that no change within a period divides it.
type Price struct {
	ID   string
	Name string
	Once bool
	// Arrears: it is billed after each period.
	Arrears bool
	rating.Price
	// Currencies has its amounts in further currencies of the plan; nil: there are none.
	Currencies Currencies
}

// Flat returns a price that costs the same amount in every period, in minor units.
func Flat(id, name string, amount money.Minor) Price {
	return Price{ID: id, Name: name, Price: rating.Price{Model: rating.Flat, Amount: amount}}
}

// Plan is a plan or an add-on in one of its versions. The prices and the trial of a version never change: a new price
// is a new version. Its name, its product, its features, its dunning policy and its metadata are the same in all
// versions, and may change.
type Plan struct {
	ID        string
	Key       string // in the catalogue file that describes it; empty: none does
	ProductID string // empty: it belongs to none
	// TaxCategory is the store's copy of the product's: decisions read no products.
	TaxCategory tax.Category
	AddOn       bool // it is sold only together with plans of its interval and currency
	Version     int  // counts from 1; new subscribers get the last one
	Name        string
	Currency    money.Currency // of its prices' own amounts; Currencies returns all
	Interval    period.Interval
	TrialDays   int
	TrialEnd    TrialEnd // the effect of a trial's end without a payment method; empty: TrialEndInvoice
	Prices      []Price
	Metered     *metered.Prices // the prices of usage; nil: none
	Features    Features        // what its subscribers may use
	Active      bool
	Dunning     *dunning.Policy // of its subscriptions; nil: the environment's
	// ProrationMeasure divides periods that begin on the plan; empty: the environment's.
	ProrationMeasure proration.Measure
	Metadata         metadata.Pairs
	CreatedAt        time.Time
	VersionAt        time.Time // when this version was made
}

// MaxTrialDays bounds a trial at two years: longer is a typing error.
const MaxTrialDays = 730

// MaxPrices bounds the components of one plan.
const MaxPrices = 20

// Validate checks a new plan. Faults: plan_name_missing, currency_unknown, interval_*, trial_days_out_of_range,
// trial_end_behavior_unknown, add_on_field_unsupported, prices_count_out_of_range, price_model_needs_usage, those of
// rating.Price, of dunning.Policy, of proration.Measure, of Features.Check and of metered.Prices.Check, and of prices
// in further currencies: currencies_count_out_of_range, currency_repeated, price_currency_missing. The fault names the
// price by its place.
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
	if err := p.TrialEnd.Validate(); err != nil {
		return err
	}
	if p.Dunning != nil {
		if err := p.Dunning.Validate(); err != nil {
			return err
		}
	}
	if p.ProrationMeasure != "" {
		if err := p.ProrationMeasure.Validate(); err != nil {
			return err
		}
	}
	if err := p.CheckAddOn(); err != nil {
		return err
	}
	if err := p.Features.Check(); err != nil {
		return err
	}
	if len(p.Prices) == 0 || len(p.Prices) > MaxPrices {
		return fault.InvalidParam("prices", "prices_count_out_of_range",
			"A plan must have 1 to %d prices. The request has %d.", MaxPrices, len(p.Prices))
	}
	for i, price := range p.Prices {
		if err := price.validate(); err != nil {
			return fault.From(err).Within(fmt.Sprintf("prices[%d]", i))
		}
	}
	if err := p.checkTotal(func(i int) string { return fmt.Sprintf("prices[%d].amount", i) }); err != nil {
		return err
	}
	if p.Metered != nil {
		if err := p.Metered.Check(); err != nil {
			return err
		}
	}
	return p.checkCurrencies()
}

// validate refuses models whose quantity is an amount of money, which no subscription has in advance.
func (p Price) validate() error {
	if p.Model == rating.Percentage || p.Model == rating.GraduatedPercentage {
		return fault.InvalidParam("model", "price_model_needs_usage",
			"A price of the model `%s` is of usage. Send it in `meteredPrices`, or another model.", p.Model)
	}
	if p.Once && p.Arrears {
		return fault.InvalidParam("billing", "price_billing_invalid",
			"A price that is charged `once` is on the first invoice. Omit `billing`, or `once`.")
	}
	return p.Price.Validate()
}

// ValidateTrialDays refuses a negative or absurd trial: trial_days_out_of_range.
func ValidateTrialDays(days int) error {
	if days < 0 || days > MaxTrialDays {
		return fault.InvalidParam("trialDays", "trial_days_out_of_range",
			"`trialDays` must be 0 to %d. The request has %d.", MaxTrialDays, days)
	}
	return nil
}

// Free reports whether no period of it costs anything, whatever the quantity. The first invoice may have fees.
func (p Plan) Free() bool {
	costs := func(price Price) bool { return !price.Once && !price.Free() }
	return p.Metered == nil && !slices.ContainsFunc(p.Prices, costs)
}

// FreeFromTheStart reports whether a subscription to it never costs anything: it is free, and has no fees.
func (p Plan) FreeFromTheStart() bool {
	costs := func(price Price) bool { return !price.Free() }
	return p.Metered == nil && !slices.ContainsFunc(p.Prices, costs)
}
