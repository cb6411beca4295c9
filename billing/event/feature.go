package event

// TypeFeatureLimitReached is the type about what customers use of features.
const TypeFeatureLimitReached Type = "customer.feature_limit_reached"

// FeatureLimitReached means that a customer has used a feature up to its limit. It is sent once until the limit begins
// again or changes. Beyond a soft limit the feature is still allowed.
type FeatureLimitReached struct {
	ID       string `json:"id" doc:"The customer."`
	Feature  string `json:"feature" doc:"Its key."`
	Limit    int64  `json:"limit" doc:"How many units of it the customer may use."`
	Used     string `json:"used" doc:"How much was used when it was noticed, a decimal."`
	Allowed  bool   `json:"allowed" doc:"Whether it may be used on: a limit that is soft refuses nothing."`
	ResetsAt int64  `json:"resetsAt,omitempty" doc:"When used begins again from 0, in Unix seconds. Absent: it does not."`
}

func (e FeatureLimitReached) about() about {
	return about{objectID: e.ID, customerID: e.ID}
}

// Type implements Data.
func (FeatureLimitReached) Type() Type { return TypeFeatureLimitReached }
