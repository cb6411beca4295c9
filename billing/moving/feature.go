package moving

import "perennial/billing/plan"

// Feature replaces a feature of plans for a customer, in all subscriptions.
type Feature struct {
	Key       string `json:"key"`
	Excluded  bool   `json:"excluded,omitempty"`
	Limit     *int64 `json:"limit,omitempty"` // nil: none
	SoftLimit bool   `json:"softLimit,omitempty"`
	Until     Time   `json:"until,omitzero"` // zero: for good
}

// FeaturesOf returns the records of a customer's features. of reports whether there are others, of one subscription
// alone, whose ids differ elsewhere.
func FeaturesOf(all plan.FeatureOverrides) (features []Feature, others bool) {
	for _, o := range all {
		if o.SubscriptionID != "" {
			others = true
			continue
		}
		features = append(features, Feature{
			Key: o.Key, Excluded: o.Excluded, Limit: o.Limit, SoftLimit: o.SoftLimit, Until: At(o.Until),
		})
	}
	return features, others
}

func overridesOf(features []Feature) (all plan.FeatureOverrides) {
	for _, f := range features {
		all = append(all, plan.FeatureOverride{
			Key: f.Key, Excluded: f.Excluded, Limit: f.Limit, SoftLimit: f.SoftLimit, Until: f.Until.Time,
		})
	}
	return all
}

// Overrides returns the customer's features. Faults: those of plan.FeatureOverrides.
func (c Customer) Overrides() (plan.FeatureOverrides, error) {
	all := overridesOf(c.Features)
	return all, all.Check()
}
