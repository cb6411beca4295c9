package customers

import (
	"perennial/api/view"
	"perennial/billing/plan"
)

// CustomerFeature is a customer's own feature, which replaces that of plans and add-ons.
type CustomerFeature struct {
	Key            string `json:"key" minLength:"1" maxLength:"64" example:"projects" doc:"The feature, as plans name it."`
	SubscriptionID string `json:"subscriptionId,omitempty" maxLength:"64" example:"sub_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"A subscription of the customer: takes the place of what its plan and add-ons give. Absent: takes the place of what all subscriptions give together."`
	Excluded       bool   `json:"excluded,omitempty" doc:"true: the customer has not got the feature, whatever plans give."`
	Limit          *int64 `json:"limit,omitempty" minimum:"0" maximum:"1000000000000" example:"50" doc:"How much of it the customer may use. Absent: as much as they like. What counts is the metric of the plan that has the feature."`
	SoftLimit      bool   `json:"softLimit,omitempty" doc:"true: the feature may be used beyond the limit."`
	Until          int64  `json:"until,omitempty" minimum:"1" maximum:"253402300799" example:"1766232000" doc:"When plans count again, in Unix seconds. Absent: not by itself."`
}

func featuresOf(forms []CustomerFeature) plan.FeatureOverrides {
	var all plan.FeatureOverrides
	for _, f := range forms {
		all = append(all, plan.FeatureOverride{
			Key: f.Key, SubscriptionID: f.SubscriptionID, Excluded: f.Excluded, Limit: f.Limit, SoftLimit: f.SoftLimit,
			Until: view.Instant(f.Until),
		})
	}
	return all
}

func renderFeatures(all plan.FeatureOverrides) []CustomerFeature {
	var out []CustomerFeature
	for _, o := range all {
		out = append(out, CustomerFeature{
			Key: o.Key, SubscriptionID: o.SubscriptionID, Excluded: o.Excluded, Limit: o.Limit, SoftLimit: o.SoftLimit,
			Until: view.Unix(o.Until),
		})
	}
	return out
}
