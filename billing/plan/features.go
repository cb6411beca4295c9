package plan

import (
	"fmt"
	"regexp"
	"slices"

	"perennial/billing/fault"
)

// Feature is something that a plan or an add-on lets its subscribers use. One that a plan does not list is not part of
// it.
type Feature struct {
	Key string `json:"key"` // what the app calls it
	// Limit is the amount that a subscriber may use; nil: there is no limit, as for a switch that is on.
	Limit *int64 `json:"limit,omitempty"`
	// PerUnit multiplies the limit by the quantity of the plan or the add-on.
	PerUnit bool `json:"perUnit,omitempty"`
	// MetricName is the metric that counts a subscriber's use in each period; empty: the app counts.
	MetricName string `json:"metricName,omitempty"`
	// SoftLimit: the feature may be used beyond the limit, which is announced.
	SoftLimit bool `json:"softLimit,omitempty"`
}

// Features are the features of one plan or add-on, in all of its versions.
type Features []Feature

// The bounds of the features of one plan.
const (
	MaxFeatures     = 100
	MaxFeatureLimit = 1_000_000_000_000
)

var featureKey = regexp.MustCompile(`^[a-z][a-z0-9_.-]{0,63}$`)

// CheckFeatureKey refuses an invalid key of a feature. Fault: feature_key_invalid.
func CheckFeatureKey(key string) error {
	if featureKey.MatchString(key) {
		return nil
	}
	return fault.InvalidParam("key", "feature_key_invalid",
		"%.70q is not the key of a feature. Send up to 64 lowercase letters, digits and _ . -, beginning with a letter.", key)
}

// Check checks them; the fault names one by its place. Faults: features_count_out_of_range,
// feature_key_invalid, feature_repeated, feature_limit_invalid.
func (all Features) Check() error {
	if len(all) > MaxFeatures {
		return fault.InvalidParam("features", "features_count_out_of_range",
			"A plan has at most %d features. The request has %d.", MaxFeatures, len(all))
	}
	for i, f := range all {
		if err := f.check(all[:i]); err != nil {
			return fault.From(err).Within(fmt.Sprintf("features[%d]", i))
		}
	}
	return nil
}

func (f Feature) check(before Features) error {
	if err := CheckFeatureKey(f.Key); err != nil {
		return err
	}
	switch {
	case slices.ContainsFunc(before, func(other Feature) bool { return other.Key == f.Key }):
		return fault.InvalidParam("key", "feature_repeated", "The feature %s is in the list already. Send it once.", f.Key)
	case f.Limit == nil && f.PerUnit:
		return fault.InvalidParam("perUnit", "feature_limit_invalid",
			"`perUnit` multiplies a `limit`. Send one, or omit `perUnit`.")
	case f.SoftLimit && (f.Limit == nil || f.MetricName == ""):
		return fault.InvalidParam("softLimit", "feature_limit_invalid",
			"`softLimit` is about a `limit` of what `metricName` counts. Send both, or omit `softLimit`.")
	}
	return checkLimit(f.Limit)
}

// Same reports whether two lists give the same features, in any order.
func (all Features) Same(other Features) bool {
	missing := func(f Feature) bool { return !slices.ContainsFunc(other, f.same) }
	return len(all) == len(other) && !slices.ContainsFunc(all, missing)
}

func (f Feature) same(other Feature) bool {
	if (f.Limit == nil) != (other.Limit == nil) || f.Limit != nil && *f.Limit != *other.Limit {
		return false
	}
	f.Limit, other.Limit = nil, nil
	return f == other
}
