package subscribing

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/costing"
	"perennial/billing/metadata"
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
