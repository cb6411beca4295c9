package plan

import (
	"fmt"
	"slices"
	"time"

	"perennial/billing/fault"
)

// FeatureOverride replaces a feature of plans and add-ons for one customer. The metric that counts is still that of the
// plans.
type FeatureOverride struct {
	Key            string `json:"key"`
	SubscriptionID string `json:"subscriptionId,omitempty"` // empty: of all subscriptions of the customer together
	Excluded       bool   `json:"excluded,omitempty"`       // the customer does not have it, even where plans have it
	Limit          *int64 `json:"limit,omitempty"`          // nil: none
	SoftLimit      bool   `json:"softLimit,omitempty"`
	// Until is the time at which the plans' feature applies again; zero: it never does automatically.
	Until time.Time `json:"until,omitzero"`
}

// FeatureOverrides are the overrides of one customer.
type FeatureOverrides []FeatureOverride

// Check checks them; the fault names one by its place. Faults: features_count_out_of_range, feature_key_invalid,
// feature_repeated, feature_limit_invalid.
func (all FeatureOverrides) Check() error {
	if len(all) > MaxFeatures {
		return fault.InvalidParam("features", "features_count_out_of_range",
			"A customer has at most %d features of its own. The request has %d.", MaxFeatures, len(all))
	}
	for i, o := range all {
		if err := o.check(all[:i]); err != nil {
			return fault.From(err).Within(fmt.Sprintf("features[%d]", i))
		}
	}
	return nil
}

func (o FeatureOverride) check(before FeatureOverrides) error {
	if err := CheckFeatureKey(o.Key); err != nil {
		return err
	}
	same := func(other FeatureOverride) bool {
		return other.Key == o.Key && other.SubscriptionID == o.SubscriptionID
	}
	switch {
	case slices.ContainsFunc(before, same):
		return fault.InvalidParam("key", "feature_repeated", "The feature %s is in the list already. Send it once.", o.Key)
	case o.Excluded && o.Limit != nil:
		return fault.InvalidParam("limit", "feature_limit_invalid",
			"A feature that is `excluded` has no `limit`. Omit one of them.")
	case o.SoftLimit && o.Limit == nil:
		return fault.InvalidParam("softLimit", "feature_limit_invalid",
			"`softLimit` is about a `limit`. Send one, or omit `softLimit`.")
	}
	return checkLimit(o.Limit)
}

// checkLimit refuses a limit that is out of range. Fault: feature_limit_invalid.
func checkLimit(limit *int64) error {
	if limit == nil || *limit >= 0 && *limit <= MaxFeatureLimit {
		return nil
	}
	return fault.InvalidParam("limit", "feature_limit_invalid",
		"`limit` must be 0 to %d. The request has %d.", MaxFeatureLimit, *limit)
}

// InForce returns what replaces a feature for a subscription, or, without one, for the customer; ok is false where
// nothing does.
func (all FeatureOverrides) InForce(key, subscriptionID string, now time.Time) (o FeatureOverride, ok bool) {
	for _, o := range all {
		if o.Key == key && o.SubscriptionID == subscriptionID && (o.Until.IsZero() || now.Before(o.Until)) {
			return o, true
		}
	}
	return o, false
}
