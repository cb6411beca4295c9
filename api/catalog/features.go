package catalog

import "perennial/billing/plan"

// Feature is something that the subscribers of a plan or an add-on may use.
type Feature struct {
	Key        string `json:"key" minLength:"1" maxLength:"64" example:"projects" doc:"What the app calls it: lowercase letters, digits and _ . -, beginning with a letter."`
	Limit      *int64 `json:"limit,omitempty" minimum:"0" maximum:"1000000000000" example:"10" doc:"How much of it a subscriber may use. Absent: as much as they like, as of a switch that is on."`
	PerUnit    bool   `json:"perUnit,omitempty" doc:"true: the limit is for each unit of the quantity of the plan or the add-on."`
	MetricName string `json:"metricName,omitempty" maxLength:"100" example:"api_calls" doc:"The metric that counts what a subscriber uses of it in each period: GET /customers/{id}/access then says used. Absent: the app counts."`
	SoftLimit  bool   `json:"softLimit,omitempty" doc:"true: it may be used beyond the limit. false: access is refused where the metric has reached it."`
}

func featuresOf(forms []Feature) plan.Features {
	var all plan.Features
	for _, f := range forms {
		all = append(all, plan.Feature(f))
	}
	return all
}

func renderFeatures(all plan.Features) []Feature {
	var out []Feature
	for _, f := range all {
		out = append(out, Feature(f))
	}
	return out
}
