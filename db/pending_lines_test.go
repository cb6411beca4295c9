package db_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
)

// Lines that cannot be read are not billed as if there were none.
func TestSubscription_PendingLinesOfAnotherShape(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.pool.Exec(t.Context(), `update subscriptions set pending_lines = '[{"amount": "ten"}]' where id = $1`,
		b.subscription.ID)
	require.NoError(t, err)

	_, err = b.store.Subscriptions.Get(t.Context(), b.env, b.subscription.ID)

	require.Error(t, err)
	require.False(t, fault.From(err).Refusal(), err)
}
