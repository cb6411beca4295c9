package db_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/db"
	"perennial/test/scene"
)

// A snapshot has everything that a decision would read, and does not wait for one.
func TestSubscriptionState_IsWhatIsLockedWithoutLocks(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	ref := s.Subscribe(t, s.Customer(t, ""), s.Plan(t, scene.Monthly(1000)))
	require.NoError(t, s.Store.InTx(t.Context(), db.BySystem("test"), s.Clock.Now(), func(tx *db.Tx) error {
		locked, err := tx.Lifecycle.LockSubscription(t.Context(), s.Env, ref.ID)
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()

		seen, err := s.Store.SubscriptionState(ctx, s.Env, ref.ID)

		require.NoError(t, err, "it waits for no lock")
		require.Equal(t, locked, seen)
		return nil
	}))
	_, err := s.Store.SubscriptionState(t.Context(), "env_other", ref.ID)
	require.ErrorIs(t, err, db.ErrSubscriptionNotFound)
}
