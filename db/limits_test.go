package db_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/account"
	"perennial/billing/money"
	"perennial/db"
	"perennial/internal/id"
)

// A currency that only a backup takes can be charged, and the limits are those of the account that takes it.
func TestChargeLimits_OfTheFirstAccountThatTakesTheCurrency(t *testing.T) {
	t.Parallel()
	b := setup(t)
	store, err := db.Open(t.Context(), db.Config{
		URL: b.pool.Config().ConnString(), MaxConns: 2, Clock: func() time.Time { return wall },
		Limits: func(provider string, currency money.Currency) money.Limits {
			return money.Limits{
				Minimum:      map[string]money.Minor{"stripe": 50, "pawapay": 500, "flutterwave": 100}[provider],
				Unchargeable: (provider == "stripe") == (currency == "XAF"),
			}
		},
	})
	require.NoError(t, err)
	t.Cleanup(store.Close)
	limits := func(currency money.Currency) (out money.Limits) {
		require.NoError(t, store.InTx(t.Context(), db.BySystem("test"), wall, func(tx *db.Tx) (err error) {
			out, err = tx.Payments.ChargeLimits(t.Context(), b.env, currency)
			return err
		}))
		return out
	}
	add := func(provider string, priority int) string {
		c := db.ProviderConfig{
			ID: id.New(id.ProviderConfig, wall), Provider: provider, Account: account.Account{Priority: priority},
			Credentials: []db.SealedCredentials{{Version: 1, Fields: []string{"apiToken"}, Sealed: []byte("sealed")}},
		}
		b.write(t, func(ctx context.Context, tx *db.Tx) {
			require.NoError(t, tx.Payments.InsertProviderConfig(ctx, b.env, c))
		})
		return c.ID
	}
	require.True(t, limits("XAF").Unchargeable, "nobody takes it")
	first := add("pawapay", 1)
	add("flutterwave", 2)
	require.Equal(t, money.Limits{Minimum: 500}, limits("XAF"))
	require.Equal(t, money.Limits{Minimum: 50}, limits("EUR"), "the primary one takes it")
	_, err = b.pool.Exec(t.Context(), "update provider_configs set disabled_at = now() where id = $1", first)
	require.NoError(t, err)
	require.Equal(t, money.Limits{Minimum: 100}, limits("XAF"))
}
