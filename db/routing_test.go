package db_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/routing"
	"perennial/db"
)

// Each charge reads it: the accounts, what opens them, their breakers and the rules are one round trip.
func TestRouting_OneRoundTrip(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := newCounter(t, b)
	for range 2 { // statements are prepared
		_, err := c.store.Payments.Routing(t.Context(), b.env)
		require.NoError(t, err)
	}
	c.trips()
	found, err := c.store.Payments.Routing(t.Context(), b.env)
	require.NoError(t, err)
	require.Equal(t, 1, c.trips())
	require.Len(t, found.Accounts, 1)
	require.Empty(t, found.Rules)
}

func TestRouting_RoundTrip(t *testing.T) {
	t.Parallel()
	b := setup(t)
	written := []routing.Rule{
		{
			Position: 1, Country: "CM", Currency: "XAF", Method: "mobile_money_*", MinAmount: 1, MaxAmount: 9,
			AccountID: b.provider,
		},
		{Position: 2, AccountID: b.provider},
	}
	open := routing.Breaker{Failures: 7, FailingSince: wall.Add(-time.Hour), OpenedAt: wall,
		ProbeAt: wall.Add(time.Minute)}
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Payments.ReplaceRoutingRules(ctx, b.env, []routing.Rule{{Position: 9, AccountID: b.provider}}))
		require.NoError(t, tx.Payments.ReplaceRoutingRules(ctx, b.env, written))
		_, err := tx.Payments.LockBreaker(ctx, b.env, b.provider)
		require.NoError(t, err)
		require.NoError(t, tx.Payments.SaveBreaker(ctx, b.env, b.provider, open))
	})
	found, err := b.store.Payments.Routing(t.Context(), b.env)
	require.NoError(t, err)
	require.Equal(t, written, found.Rules)
	require.NotZero(t, found.Charging.AccountsRevision)
	only, err := b.store.Payments.ProviderConfigOf(t.Context(), b.env, b.provider)
	require.NoError(t, err)
	only.Breaker = open
	require.Equal(t, []db.ProviderConfig{only}, found.Accounts)

	_, err = b.pool.Exec(t.Context(), "update environments set charging_paused_at = now() where id = $1", b.env)
	require.NoError(t, err)
	found, err = b.store.Payments.Routing(t.Context(), b.env)
	require.NoError(t, err)
	require.False(t, found.Charging.PausedAt.IsZero())
	_, err = b.pool.Exec(t.Context(),
		"update provider_configs set deleted_at = now(), is_primary = false where id = $1", b.provider)
	require.NoError(t, err)
	found, err = b.store.Payments.Routing(t.Context(), b.env)
	require.NoError(t, err)
	require.Empty(t, found.Accounts)
	for since, want := range map[time.Duration]int{-time.Hour: 1, time.Hour: 0} {
		found, err = b.store.Payments.RoutingSince(t.Context(), b.env, time.Now().Add(since))
		require.NoError(t, err)
		require.Len(t, found.Accounts, want, "deleted since then")
	}
}

// Of the payments that come when it is time for a probe, one makes it.
func TestBreaker_OneProbeAtATime(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		_, err := tx.Payments.LockBreaker(ctx, b.env, b.provider)
		require.NoError(t, err)
		require.NoError(t, tx.Payments.SaveBreaker(ctx, b.env, b.provider, routing.Breaker{
			Failures: 5, FailingSince: wall, OpenedAt: wall, ProbeAt: wall,
		}))
	})
	claims := make(chan bool, 8)
	for range cap(claims) {
		go func() {
			mine := false
			_ = b.try(t, func(ctx context.Context, tx *db.Tx) (err error) { // the count below shows a failure
				mine, err = tx.Payments.ClaimProbe(ctx, b.env, b.provider, wall)
				return err
			})
			claims <- mine
		}()
	}
	won := 0
	for range cap(claims) {
		if <-claims {
			won++
		}
	}
	require.Equal(t, 1, won)
}
