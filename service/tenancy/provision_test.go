package tenancy

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/subscription"
	"perennial/db"
	"perennial/internal/apikey"
	"perennial/internal/vault"
)

func TestProvisionKey_MakesWhatIsAbsentOnce(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	by := db.ByCLI("ada").Doing(db.Call{Operation: "test"})
	keys, err := vault.New(vault.NewKEK())
	require.NoError(t, err)
	k := NewKey{Tenant: "Acme", App: "Shop", Mode: apikey.Test, Kind: apikey.Secret, Scopes: []string{"*"}}
	_, err = h.ProvisionKey(t.Context(), by, nil, k)
	require.ErrorContains(t, err, "kek_missing", "a new app has credentials to encrypt")

	first, err := h.ProvisionKey(t.Context(), by, keys, k)
	require.NoError(t, err)
	require.Len(t, first.Created, 3)
	second, err := h.ProvisionKey(t.Context(), by, nil, k)
	require.NoError(t, err)
	require.Empty(t, second.Created)
	require.Equal(t, first.Environment.ID, second.Environment.ID)

	k.Settings = Choices{{Name: "--time-zone", Set: func(s *subscription.Settings) { s.TimeZone = "Africa/Douala" }}}
	_, err = h.ProvisionKey(t.Context(), by, keys, k)
	require.ErrorContains(t, err, "Omit --time-zone", "an environment that exists keeps its settings")
}

func TestRevokeKey_EndsItAtOnce(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	by := db.ByCLI("ada").Doing(db.Call{Operation: "test"})
	keys, err := vault.New(vault.NewKEK())
	require.NoError(t, err)
	made, err := h.ProvisionKey(t.Context(), by, keys,
		NewKey{Tenant: "Acme", App: "Shop", Mode: apikey.Test, Kind: apikey.Secret, Scopes: []string{"*"}})
	require.NoError(t, err)
	require.NoError(t, h.RevokeKey(t.Context(), by, made.ID))
	key, err := h.Store.KeyByHash(t.Context(), made.Key.Hash)
	require.NoError(t, err)
	require.False(t, key.RevokedAt.IsZero())
	require.ErrorContains(t, h.RevokeKey(t.Context(), by, "key_x"), "api_key_not_found")
}
