package plan

import (
	"encoding/json"
	"slices"
	"time"

	"perennial/billing/fault"
	"perennial/billing/metered"
	"perennial/billing/rating"
)

// Ref names one version of a plan. A subscription has one, so that it keeps the prices that it was sold.
type Ref struct {
	ID      string `json:"id"`
	Version int    `json:"version"` // counts from 1
}

// Ref returns the name of this version of the plan.
func (p Plan) Ref() Ref { return Ref{ID: p.ID, Version: p.Version} }

// MaxVersions bounds the versions of one plan, so that they can be listed at once.
const MaxVersions = 100

// Terms are the part of a plan that a version fixes.
type Terms struct {
	Prices    []Price
	Metered   *metered.Prices
	TrialDays int
	TrialEnd  TrialEnd
}

// Terms returns the terms of this version.
func (p Plan) Terms() Terms {
	return Terms{Prices: p.Prices, Metered: p.Metered, TrialDays: p.TrialDays, TrialEnd: p.TrialEnd}
}

// Changed names the fields of the API that differ, whatever the ids of prices.
func (t Terms) Changed(from Terms) (fields []string) {
	for _, f := range []struct {
		name string
		same bool
	}{
		{"prices", SamePrices(t.Prices, from.Prices)},
		{"meteredPrices", t.Metered.Same(from.Metered)},
		{"commitment", t.Metered.SameCommitment(from.Metered)},
		{"usageThresholds", t.Metered.SameThresholds(from.Metered)},
		{"minimum", t.Metered.SameMinimum(from.Metered)},
		{"trialDays", t.TrialDays == from.TrialDays},
		{"trialEndBehavior", t.TrialEnd.Same(from.TrialEnd)},
	} {
		if !f.same {
			fields = append(fields, f.name)
		}
	}
	return fields
}

// Next returns the version of the plan that new subscribers get from now on. Its currency and interval cannot change,
// so that every subscription in that currency can be moved to it; the other currencies are those of the prices. Faults:
// plan_version_unchanged, plan_versions_exhausted and those of Validate.
func (p Plan) Next(t Terms, now time.Time) (Plan, error) {
	if p.Version >= MaxVersions {
		return Plan{}, fault.New(fault.Conflict, "plan_versions_exhausted",
			"The plan has %d versions, which is the most. Create a new plan.", p.Version)
	}
	if len(t.Changed(p.Terms())) == 0 {
		return Plan{}, fault.New(fault.Conflict, "plan_version_unchanged",
			"The plan's current version has these prices and this trial already. Send other ones.").In("prices")
	}
	p.Version++
	p.Prices, p.Metered, p.TrialDays, p.TrialEnd, p.VersionAt = t.Prices, t.Metered, t.TrialDays, t.TrialEnd, now
	return p, p.Validate()
}

// SamePrices reports whether two lists of prices charge the same and have the same descriptions, whatever their ids and
// their order: each price is rated separately, so that the order does not change the total.
func SamePrices(a, b []Price) bool {
	one, err := written(a)
	other, errOther := written(b)
	return err == nil && errOther == nil && slices.Equal(one, other)
}

// Repeats reports whether a price of the plan and one of another version of it charge the same in the currency of their
// amounts, and have the same description.
func (p Plan) Repeats(priceID string, other Plan, otherID string) bool {
	price, has := p.price(priceID)
	before, had := other.price(otherID)
	price.Currencies, before.Currencies = nil, nil
	return has && had && p.ID == other.ID && p.Currency == other.Currency && p.TaxCategory == other.TaxCategory &&
		SamePrices([]Price{price}, []Price{before})
}

func (p Plan) price(id string) (Price, bool) {
	i := slices.IndexFunc(p.Prices, func(price Price) bool { return price.ID == id })
	if i < 0 {
		return Price{}, false
	}
	return p.Prices[i], true
}

// written returns each price as a text without its id, in the order of these texts.
func written(prices []Price) ([]string, error) {
	texts := make([]string, len(prices))
	for i, p := range prices {
		text, err := json.Marshal(struct {
			Name       string       `json:"name"`
			Once       bool         `json:"once"`
			Arrears    bool         `json:"arrears"`
			Price      rating.Price `json:"price"`
			Currencies Currencies   `json:"currencies,omitempty"`
		}{p.Name, p.Once, p.Arrears, p.Price, p.Currencies})
		if err != nil {
			return nil, err
		}
		texts[i] = string(text)
	}
	slices.Sort(texts)
	return texts, nil
}
