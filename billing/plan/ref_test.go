package plan_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/plan"
)

func TestNext(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 23, 8, 0, 0, 0, time.UTC)
	p := valid()
	p.Version = 1
	alike := func() []plan.Price {
		prices := append([]plan.Price{}, p.Prices...)
		for i := range prices {
			prices[i].ID = ""
		}
		return prices
	}

	next, err := p.Next(plan.Terms{Prices: flat(1, 1200), TrialDays: 7}, at)
	require.NoError(t, err)
	require.Equal(t, plan.Ref{ID: p.ID, Version: 2}, next.Ref())
	require.Equal(t, [3]any{7, at, p.Interval}, [3]any{next.TrialDays, next.VersionAt, next.Interval})
	require.Len(t, p.Prices, 3, "the version before is as it was")
	_, err = p.Next(plan.Terms{Prices: alike(), TrialDays: 1}, at)
	require.NoError(t, err, "another trial is another version")

	_, err = p.Next(plan.Terms{Prices: alike(), TrialDays: p.TrialDays, TrialEnd: plan.TrialEndInvoice}, at)
	require.ErrorContains(t, err, "plan_version_unchanged")
	renamed := alike()
	renamed[0].Name = "Basis"
	_, err = p.Next(plan.Terms{Prices: renamed, TrialDays: p.TrialDays}, at)
	require.NoError(t, err, "customers see the name of a price")
	_, err = p.Next(plan.Terms{Prices: nil, TrialDays: 0}, at)
	require.ErrorContains(t, err, "prices_count_out_of_range")
	p.Version = plan.MaxVersions
	_, err = p.Next(plan.Terms{Prices: flat(1, 1), TrialDays: 0}, at)
	require.ErrorContains(t, err, "plan_versions_exhausted")
}
