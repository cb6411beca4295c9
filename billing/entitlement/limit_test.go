package entitlement_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/access"
	"perennial/billing/entitlement"
	"perennial/billing/money"
	"perennial/billing/plan"
)

// A limit for each unit is bounded only if the product exceeds the bound.
func TestOf_LimitForEachUnit(t *testing.T) {
	t.Parallel()
	const most = plan.MaxFeatureLimit
	for _, c := range []struct{ each, quantity, want int64 }{
		{0, 5, 0},
		{1, 1, 1},
		{7, 3, 21},
		{1, most, most},              // just the bound
		{most, 1, most},              // just the bound
		{2, most, most},              // twice the bound
		{most, 2, most},              // twice the bound
		{most, most, most},           // the square of the bound
		{3, most / 3, most - most%3}, // the last multiple below it
	} {
		h := entitlement.Held{
			Claims:   []access.Claim{on("seats", c.quantity, later)},
			Answers:  []access.Answer{{Allowed: true, Reason: access.Paid}},
			Features: map[string]plan.Features{"seats": {{Key: "storage", Limit: limit(c.each), PerUnit: true}}},
			Now:      now,
		}
		got := entitlement.Of("storage", h)
		require.Equal(t, limit(c.want), got.Limit, "%d for each of %d", c.each, c.quantity)
		require.Equal(t, limit(c.want), got.Sources[0].Limit, "%d for each of %d", c.each, c.quantity)
	}
}

// Only a limit with a count can be reached.
func TestAnswer_Reached(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		limit *int64
		used  money.Decimal
		want  bool
	}{
		{nil, money.Decimal{}, false},
		{nil, money.Whole(9), false},
		{limit(0), money.Decimal{}, false},
		{limit(9), money.Decimal{}, false},
		{limit(9), money.Whole(8), false},
		{limit(9), money.Whole(9), true},
		{limit(9), money.Whole(10), true},
	} {
		got := entitlement.Answer{Limit: c.limit, Used: c.used}.Reached()
		require.Equal(t, c.want, got, "%v of %v", c.used, c.limit)
	}
}

func TestHeld_Metered(t *testing.T) {
	t.Parallel()
	require.Empty(t, entitlement.Held{}.Metered())
	require.Equal(t, []string{"calls"}, entitlement.Held{Features: features}.Metered(), "once, of two plans")
	require.Equal(t, []string{"calls", "gigabytes"}, entitlement.Held{Features: map[string]plan.Features{
		"team": {{Key: "gigabytes", MetricName: "traffic"}, {Key: "sso"}, {Key: "calls", MetricName: "api_calls"}},
	}}.Metered(), "in the order of the alphabet")
}
