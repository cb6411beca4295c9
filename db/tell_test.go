package db_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/db"
)

// A signal that may be lost needs no mark: the workflow reads the row at its next date. A workflow that reads the row
// anyway gets no signal.
func TestTell_LeavesNoMark(t *testing.T) {
	t.Parallel()
	b := setup(t)
	tell := func() []db.Effect {
		var told told
		require.NoError(t, b.store.With(&told).InTx(t.Context(), db.BySystem("test"), wall, func(tx *db.Tx) error {
			state, err := tx.Lifecycle.LockSubscription(t.Context(), b.env, b.subscription.ID)
			tx.Tell(b.env, state, "cancel")
			return err
		}))
		return told.effects
	}
	effects := tell()
	require.Len(t, effects, 1)
	signal, ok := effects[0].(db.SignalSubscription)
	require.True(t, ok)
	require.Equal(t, b.subscription.Revision, signal.Revision)
	require.Equal(t, b.subscription.ID, signal.Told.Subscription.ID)
	require.Zero(t, b.count(t, "select count(wake_pending_since) from subscriptions"))

	_, err := b.wakes(t.Context(), "pay")
	require.NoError(t, err)
	require.Empty(t, tell(), "the workflow is about to read the row")
}

type told struct{ effects []db.Effect }

func (d *told) Dispatch(_ context.Context, _ db.Actor, effects []db.Effect) { d.effects = effects }
