package moving

import (
	"cmp"
	"slices"
	"time"

	"perennial/billing/dunning"
	"perennial/billing/fault"
	"perennial/billing/metadata"
	"perennial/billing/metered"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/proration"
	"perennial/billing/rating"
	"perennial/billing/usage"
)

// Plan is a record of one version of a plan.
type Plan struct {
	ID            string         `json:"id"`                // external, of all versions
	Version       int            `json:"version,omitempty"` // 0: the first
	CatalogKey    string         `json:"catalogKey,omitempty"`
	Kind          string         `json:"kind,omitempty"`    // add_on; empty: a plan
	Product       string         `json:"product,omitempty"` // external id of a product's record, or the id of one here
	Name          string         `json:"name"`
	Currency      money.Currency `json:"currency"`
	Interval      period.Unit    `json:"interval"`
	IntervalCount int            `json:"intervalCount,omitempty"` // 0: one
	TrialDays     int            `json:"trialDays,omitempty"`
	TrialEnd      plan.TrialEnd  `json:"trialEndBehavior,omitempty"`
	Active        *bool          `json:"active,omitempty"` // nil: true
	Prices        []Price        `json:"prices"`
	// Metered has its charges after each period: usage, a commitment, a minimum and thresholds; absent: none. Ids in it
	// are of the environment that the record is of.
	Metered          *metered.Prices   `json:"metered,omitempty"`
	Features         plan.Features     `json:"features,omitempty"`
	Dunning          *dunning.Dunning  `json:"dunning,omitempty"` // nil: the environment's
	ProrationMeasure proration.Measure `json:"prorationMeasure,omitempty"`
	Metadata         metadata.Pairs    `json:"metadata,omitempty"`
	CreatedAt        Time              `json:"createdAt,omitzero"` // zero: now
}

// Price is a price of a plan.
type Price struct {
	ID      string `json:"id,omitempty"` // of the environment that the record is of
	Label   string `json:"name,omitempty"`
	Once    bool   `json:"once,omitempty"`
	Billing string `json:"billing,omitempty"` // arrears; empty: in advance
	rating.Price
	Currencies plan.Currencies `json:"currencies,omitempty"`
}

const (
	arrears = "arrears"
	addOn   = "add_on"
)

// PlanOf returns the record of a version.
func PlanOf(p plan.Plan, product string) Plan {
	r := Plan{
		ID: p.ID, Version: p.Version, CatalogKey: p.Key, Product: product, Name: p.Name, Currency: p.Currency,
		Interval: p.Interval.Unit, IntervalCount: p.Interval.Count, TrialDays: p.TrialDays, TrialEnd: p.TrialEnd,
		Active: &p.Active, Prices: make([]Price, len(p.Prices)), Metered: p.Metered, Features: p.Features,
		Dunning: DunningOf(p.Dunning), ProrationMeasure: p.ProrationMeasure, Metadata: p.Metadata, CreatedAt: At(p.CreatedAt),
	}
	if p.AddOn {
		r.Kind = addOn
	}
	for i, price := range p.Prices {
		r.Prices[i] = Price{
			ID: price.ID, Label: price.Name, Once: price.Once, Price: price.Price, Currencies: price.Currencies,
		}
		if price.Arrears {
			r.Prices[i].Billing = arrears
		}
	}
	return r
}

// WithoutIDs returns the record without the ids within it, which are of the environment that it was exported from. Of
// metrics the number of the version stays.
func (r Plan) WithoutIDs() Plan {
	r.Prices = slices.Clone(r.Prices)
	for i := range r.Prices {
		r.Prices[i].ID = ""
	}
	if r.Metered == nil {
		return r
	}
	own := *r.Metered
	own.Components = slices.Clone(own.Components)
	for i, c := range own.Components {
		own.Components[i].ID = ""
		if _, version := usage.SplitVersionID(c.MetricVersionID); c.MetricVersionID != "" {
			own.Components[i].MetricVersionID = usage.Metric{ID: "met", Version: version}.VersionID()
		}
	}
	if own.Commitment != nil {
		commitment := *own.Commitment
		commitment.ID, own.Commitment = "", &commitment
	}
	if own.Minimum != nil {
		minimum := *own.Minimum
		minimum.ID, own.Minimum = "", &minimum
	}
	r.Metered = &own
	return r
}

// Plan returns the version of a record, without the ids of its prices. Faults: those of plan.Plan, import_plan_invalid,
// import_time_invalid.
func (r Plan) Plan(id, productID string, now time.Time) (plan.Plan, error) {
	p := plan.Plan{
		ID: id, Version: max(r.Version, 1), Key: r.CatalogKey, ProductID: productID, AddOn: r.Kind == addOn, Name: r.Name,
		Currency: r.Currency, Interval: period.Interval{Unit: r.Interval, Count: cmp.Or(r.IntervalCount, 1)},
		TrialDays: r.TrialDays, TrialEnd: r.TrialEnd, Active: orTrue(r.Active), Features: r.Features,
		ProrationMeasure: r.ProrationMeasure, Metadata: r.Metadata, CreatedAt: cmp.Or(r.CreatedAt.Time, now), VersionAt: now,
	}
	if r.Kind != "" && r.Kind != addOn && r.Kind != "plan" {
		return p, fault.InvalidParam("kind", "import_plan_invalid", "`kind` must be `plan` or `add_on`.")
	}
	if r.Dunning != nil {
		policy, err := r.Dunning.Policy()
		if err != nil {
			return p, err
		}
		p.Dunning = &policy
	}
	for _, price := range r.Prices {
		if price.Billing != "" && price.Billing != arrears && price.Billing != "advance" {
			return p, fault.InvalidParam("prices", "import_plan_invalid", "`billing` of a price must be `advance` or `arrears`.")
		}
		p.Prices = append(p.Prices, plan.Price{
			Name: price.Label, Once: price.Once, Arrears: price.Billing == arrears, Price: price.Price,
			Currencies: price.Currencies,
		})
	}
	p.Metered = r.WithoutIDs().Metered
	return p, fault.Joined(p.Validate(), CheckPairs(p.Metadata), p.Metadata.Check(), checkCreated(r.CreatedAt, now))
}
