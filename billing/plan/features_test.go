package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/billing/plan"
)

func limit(n int64) *int64 { return &n }

func TestFeatures_Check(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		of          plan.Features
		code, param string
	}{
		"none": {},
		"all kinds": {of: plan.Features{
			{Key: "sso"}, {Key: "projects", Limit: limit(0)}, {Key: "seats.max_2-x", Limit: limit(plan.MaxFeatureLimit), PerUnit: true},
			{Key: "calls", Limit: limit(1), MetricName: "api_calls", SoftLimit: true},
		}},
		"without key": {plan.Features{{}}, "feature_key_invalid", "features[0].key"},
		"upper case":  {plan.Features{{Key: "a"}, {Key: "SSO"}}, "feature_key_invalid", "features[1].key"},
		"twice":       {plan.Features{{Key: "a"}, {Key: "a", Limit: limit(1)}}, "feature_repeated", "features[1].key"},
		"per unit of nothing": {
			plan.Features{{Key: "a", PerUnit: true}}, "feature_limit_invalid", "features[0].perUnit",
		},
		"soft without a limit": {
			plan.Features{{Key: "a", MetricName: "calls", SoftLimit: true}}, "feature_limit_invalid", "features[0].softLimit",
		},
		"soft and not counted": {
			plan.Features{{Key: "a", Limit: limit(1), SoftLimit: true}}, "feature_limit_invalid", "features[0].softLimit",
		},
		"below 0":   {plan.Features{{Key: "a", Limit: limit(-1)}}, "feature_limit_invalid", "features[0].limit"},
		"too large": {plan.Features{{Key: "a", Limit: limit(plan.MaxFeatureLimit + 1)}}, "feature_limit_invalid", "features[0].limit"},
		"too many":  {make(plan.Features, plan.MaxFeatures+1), "features_count_out_of_range", "features"},
	} {
		err := c.of.Check()
		if c.code == "" {
			require.NoError(t, err, name)
			continue
		}
		require.Equal(t, [2]string{c.code, c.param}, [2]string{fault.From(err).Code, fault.From(err).Param}, name)
	}
}

func TestFeatures_Same(t *testing.T) {
	t.Parallel()
	all := plan.Features{{Key: "sso"}, {Key: "projects", Limit: limit(3)}}
	require.True(t, all.Same(plan.Features{{Key: "projects", Limit: limit(3)}, {Key: "sso"}}))
	require.True(t, plan.Features(nil).Same(plan.Features{}))
	for _, other := range []plan.Features{
		nil, {{Key: "sso"}}, {{Key: "sso"}, {Key: "projects"}}, {{Key: "sso"}, {Key: "projects", Limit: limit(4)}},
		{{Key: "sso"}, {Key: "projects", Limit: limit(3), PerUnit: true}}, {{Key: "sso"}, {Key: "teams", Limit: limit(3)}},
		{{Key: "sso"}, {Key: "projects", Limit: limit(3), MetricName: "projects"}},
	} {
		require.False(t, all.Same(other))
		require.False(t, other.Same(all))
	}
}
