package money_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/money"
)

func TestLimits_Collectable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		limits       money.Limits
		amount, want money.Minor
	}{
		{money.Limits{}, 1, 1},
		{money.Limits{}, -1, 0},
		{money.Limits{Minimum: 50}, 49, 0},
		{money.Limits{Minimum: 50}, 50, 50},
		{money.Limits{Granularity: 10}, 1239, 1230},
		{money.Limits{Granularity: 10}, 9, 0},
		{money.Limits{Minimum: 155, Granularity: 10}, 159, 0},
		{money.Limits{Minimum: 155, Granularity: 10}, 160, 160},
	} {
		require.Equal(t, c.want, c.limits.Collectable(c.amount), "%+v of %d", c.limits, c.amount)
	}
}

func TestLimits_AnyAmount(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l := money.Limits{
			Minimum:     money.Minor(rapid.Int64Range(0, 500).Draw(t, "minimum")),
			Granularity: money.Minor(rapid.Int64Range(0, 100).Draw(t, "granularity")),
		}
		amount := money.Minor(rapid.Int64Range(0, 10_000).Draw(t, "amount"))
		part := l.Collectable(amount)
		require.True(t, part == 0 || part >= l.Minimum)
		require.Zero(t, part%max(l.Granularity, 1))
		require.Less(t, amount-part, l.Minimum+max(l.Granularity, 1), "what is left over stays small")
	})
}
