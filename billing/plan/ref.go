package plan

import (
	"encoding/json"
	"slices"
	"time"

	"perennial/billing/fault"
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

// Next returns the version of the plan that new subscribers get from now on: with other prices, or another trial and
// what its end leads to. Currency and interval stay the plan's, so that every subscription in that currency can be
// moved to it; the other currencies are those of the prices. Faults: plan_version_unchanged, plan_versions_exhausted
// and those of Validate.
func (p Plan) Next(prices []Price, trialDays int, end TrialEnd, now time.Time) (Plan, error) {
	if p.Version >= MaxVersions {
		return Plan{}, fault.New(fault.Conflict, "plan_versions_exhausted",
			"The plan has %d versions, which is the most. Create a new plan.", p.Version)
	}
	if trialDays == p.TrialDays && end.Same(p.TrialEnd) && SamePrices(prices, p.Prices) {
		return Plan{}, fault.New(fault.Conflict, "plan_version_unchanged",
			"The plan's current version has these prices and this trial already. Send other ones.").In("prices")
	}
	p.Version++
	p.Prices, p.TrialDays, p.TrialEnd, p.VersionAt = prices, trialDays, end, now
	return p, p.Validate()
}

// SamePrices reports whether two lists of prices charge the same and are described alike, whatever their ids and their
// order: each price is rated by itself, so that an order makes no other total.
func SamePrices(a, b []Price) bool {
	one, err := written(a)
	other, errOther := written(b)
	return err == nil && errOther == nil && slices.Equal(one, other)
}

// written returns each price as a text without its id, in the order of these texts.
func written(prices []Price) ([]string, error) {
	texts := make([]string, len(prices))
	for i, p := range prices {
		text, err := json.Marshal(struct {
			Name       string       `json:"name"`
			Once       bool         `json:"once"`
			Price      rating.Price `json:"price"`
			Currencies Currencies   `json:"currencies,omitempty"`
		}{p.Name, p.Once, p.Price, p.Currencies})
		if err != nil {
			return nil, err
		}
		texts[i] = string(text)
	}
	slices.Sort(texts)
	return texts, nil
}
