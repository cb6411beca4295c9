package moving

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/db"
	"perennial/internal/apikey"
	"perennial/internal/testkit"
	"perennial/internal/vault"
	"perennial/service/catalog"
	"perennial/service/customers"
	"perennial/service/gateway"
	"perennial/service/subscriptions"
	"perennial/service/tenancy"
	"perennial/service/usecase"
	"perennial/service/webhooks"
	"perennial/test/scene"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// columns are this column and those below it that its tests need.
type columns struct {
	*Service
	Tenancy       *tenancy.Service
	Catalog       *catalog.Service
	Customers     *customers.Service
	Subscriptions *subscriptions.Service
}

func at(s *scene.Scene) (columns, usecase.Caller) { return atWith(s, nil) }

// atSealing is at, able to seal the secrets of webhook endpoints.
func atSealing(t *testing.T, s *scene.Scene) (columns, usecase.Caller) {
	t.Helper()
	keys, err := vault.New(vault.NewKEK())
	require.NoError(t, err)
	var appID string
	require.NoError(t, s.Pool.QueryRow(t.Context(), "select app_id from environments where id = $1", s.Env).Scan(&appID))
	keyset, err := keys.NewAppKeyset(appID)
	require.NoError(t, err)
	s.InTx(t, func(tx *db.Tx) error { return tx.Payments.SaveKeyset(t.Context(), appID, keyset) })
	return atWith(s, keys)
}

func atWith(s *scene.Scene, keys *vault.Vault) (columns, usecase.Caller) {
	b := usecase.Base{Store: s.Store, Now: s.Clock.Now}
	accounts := gateway.New(gateway.Config{})
	payers := customers.New(b, accounts)
	return columns{New(b, webhooks.New(b, keys, nil)), tenancy.New(b, accounts), catalog.New(b), payers, subscriptions.New(b, payers)}, usecase.Caller{
		Actor: db.BySystem("test"), EnvironmentID: s.Env, Mode: apikey.Test, TimeZone: "UTC",
	}
}
