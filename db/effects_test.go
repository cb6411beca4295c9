package db_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/db"
)

// collector is a dispatcher that remembers.
type collector struct {
	mu      sync.Mutex
	by      []db.Actor
	effects []db.Effect
}

func (c *collector) Dispatch(_ context.Context, by db.Actor, effects []db.Effect) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.by, c.effects = append(c.by, by), append(c.effects, effects...)
}

func TestInTx_DispatchesEffectsAfterTheCommitOnly(t *testing.T) {
	t.Parallel()
	b := setup(t)
	d := &collector{}
	store, key := b.store.With(d), db.BySystem("test")
	first, second := db.StartPayment{EnvironmentID: "env_1", ID: "txn_1"}, db.SignalSubscription{
		EnvironmentID: "env_1", ID: "sub_1",
	}
	require.NoError(t, store.InTx(t.Context(), key, now, func(tx *db.Tx) error {
		tx.AfterCommit(first)
		tx.AfterCommit(second)
		require.Equal(t, key, tx.By)
		require.Empty(t, d.effects)
		return nil
	}))
	require.Equal(t, []db.Effect{first, second}, d.effects)
	require.Equal(t, []db.Actor{key}, d.by, "the effects of one transaction are dispatched together")

	refused := errors.New("refused")
	require.ErrorIs(t, store.InTx(t.Context(), key, now, func(tx *db.Tx) error {
		tx.AfterCommit(first)
		return refused
	}), refused)
	require.Error(t, store.InTx(t.Context(), key, now, func(tx *db.Tx) error {
		tx.AfterCommit(first)
		// fails with the commit
		return tx.Tenancy.InsertApp(t.Context(),
			db.App{ID: "app_1", TenantID: "ten_absent", Keyset: []byte("k"), CreatedAt: now})
	}))
	require.Len(t, d.effects, 2, "what was not committed has no effects")
	require.NoError(t, b.store.InTx(t.Context(), key, now, func(tx *db.Tx) error {
		tx.AfterCommit(first)
		return nil
	}), "without a dispatcher the reconciler does it")
}

func TestInTx_RefusesNobody(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.ErrorContains(t, b.store.InTx(t.Context(), db.Actor{}, now, func(*db.Tx) error {
		return nil
	}), "without an actor")
}

func TestActor_SaysWhoWrites(t *testing.T) {
	t.Parallel()
	for want, actor := range map[string]db.Actor{
		"key key_1": db.ByKey("key_1"), "operator ada": db.ByOperator("ada"), "workflow sub_1": db.ByWorkflow("sub_1"),
		"cli ada": db.ByCLI("ada"), "system reconciler": db.BySystem("reconciler"),
	} {
		require.Equal(t, want, actor.String())
		require.Equal(t, want, string(actor.Kind())+" "+actor.ID())
	}
}
