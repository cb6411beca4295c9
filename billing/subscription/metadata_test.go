package subscription

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/metadata"
)

func TestSetMetadata(t *testing.T) {
	t.Parallel()
	s, _, now := inStatus(Active)
	to := metadata.Pairs{"team": "blue"}

	d, err := With(s, Facts{}).SetMetadata(to, now)
	require.NoError(t, err)
	require.Equal(t, to, d.Subscription.Metadata)
	require.Len(t, d.Events, 1)

	again, err := With(d.Subscription, Facts{}).SetMetadata(to, now)
	require.NoError(t, err)
	require.Empty(t, again.Events, "nothing changed")

	canceled, _, now := inStatus(Canceled)
	_, err = With(canceled, Facts{}).SetMetadata(to, now)
	require.Equal(t, ErrCanceled, err)
}
