package subscribing

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/costing"
	"perennial/billing/fault"
	"perennial/billing/metadata"
	"perennial/billing/metered"
	"perennial/billing/subscription"
)

func TestSetMetadata(t *testing.T) {
	t.Parallel()
	s, _, now := inStatus(subscription.Active)
	to := metadata.Pairs{"team": "blue"}

	d, err := With(s, costing.Facts{}).SetMetadata(to, now)
	require.NoError(t, err)
	require.Equal(t, to, d.Subscription.Metadata)
	require.Len(t, d.Events, 1)

	again, err := With(d.Subscription, costing.Facts{}).SetMetadata(to, now)
	require.NoError(t, err)
	require.Empty(t, again.Events, "nothing changed")

	canceled, _, now := inStatus(subscription.Canceled)
	_, err = With(canceled, costing.Facts{}).SetMetadata(to, now)
	require.Equal(t, ErrCanceled, err)
}

func TestSetUsageThresholds(t *testing.T) {
	t.Parallel()
	s, _, now := inStatus(subscription.Active)
	f := costing.Facts{Plan: team}
	f.Plan.Metered = &metered.Prices{}
	to, bad := &subscription.UsageThresholds{{Amount: 500}}, &subscription.UsageThresholds{{Amount: -1}}

	d, err := With(s, f).SetUsageThresholds(to, now)
	require.NoError(t, err)
	require.Equal(t, to, d.Subscription.UsageThresholds)
	require.Len(t, d.Events, 1)
	again, err := With(d.Subscription, f).SetUsageThresholds(&subscription.UsageThresholds{{Amount: 500}}, now)
	require.NoError(t, err)
	require.Empty(t, again.Events, "nothing changed")
	none, err := With(d.Subscription, f).SetUsageThresholds(nil, now)
	require.NoError(t, err)
	require.Nil(t, none.Subscription.UsageThresholds)
	require.Len(t, none.Events, 1)

	_, err = With(s, f).SetUsageThresholds(bad, now)
	require.Equal(t, "usage_threshold_invalid", fault.From(err).Code)
	_, err = With(s, costing.Facts{Plan: team}).SetUsageThresholds(to, now)
	require.Equal(t, "usage_thresholds_unmetered", fault.From(err).Code)
	canceled, _, now := inStatus(subscription.Canceled)
	_, err = With(canceled, f).SetUsageThresholds(to, now)
	require.Equal(t, ErrCanceled, err)
}
