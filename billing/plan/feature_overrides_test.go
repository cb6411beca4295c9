package plan_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/billing/plan"
)

func TestFeatureOverrides_Check(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		of          plan.FeatureOverrides
		code, param string
	}{
		"none": {},
		"all kinds": {of: plan.FeatureOverrides{
			{Key: "sso", Excluded: true}, {Key: "calls", Limit: limit(0), SoftLimit: true}, {Key: "calls", SubscriptionID: "sub_1"},
		}},
		"without key": {plan.FeatureOverrides{{}}, "feature_key_invalid", "features[0].key"},
		"twice": {
			plan.FeatureOverrides{{Key: "a"}, {Key: "a", Excluded: true}}, "feature_repeated", "features[1].key",
		},
		"excluded with a limit": {
			plan.FeatureOverrides{{Key: "a", Excluded: true, Limit: limit(1)}}, "feature_limit_invalid", "features[0].limit",
		},
		"soft without a limit": {
			plan.FeatureOverrides{{Key: "a", SoftLimit: true}}, "feature_limit_invalid", "features[0].softLimit",
		},
		"below 0":  {plan.FeatureOverrides{{Key: "a", Limit: limit(-1)}}, "feature_limit_invalid", "features[0].limit"},
		"too many": {make(plan.FeatureOverrides, plan.MaxFeatures+1), "features_count_out_of_range", "features"},
	} {
		err := c.of.Check()
		if c.code == "" {
			require.NoError(t, err, name)
			continue
		}
		require.Equal(t, [2]string{c.code, c.param}, [2]string{fault.From(err).Code, fault.From(err).Param}, name)
	}
}

func TestFeatureOverrides_InForce(t *testing.T) {
	t.Parallel()
	until := time.Unix(1000, 0)
	all := plan.FeatureOverrides{{Key: "a", Limit: limit(1), Until: until}, {Key: "a", SubscriptionID: "sub_1"}}
	o, ok := all.InForce("a", "", until.Add(-1))
	require.True(t, ok)
	require.Equal(t, limit(1), o.Limit)
	_, ok = all.InForce("a", "", until)
	require.False(t, ok, "it has ended")
	o, ok = all.InForce("a", "sub_1", until)
	require.True(t, ok)
	require.Nil(t, o.Limit)
	_, ok = all.InForce("b", "", time.Time{})
	require.False(t, ok)
}
