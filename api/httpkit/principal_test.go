package httpkit

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/db"
	"perennial/internal/apikey"
)

func TestPrincipal_IsWhatAKeyOpens(t *testing.T) {
	t.Parallel()
	key := db.APIKey{
		ID: "key_1", EnvironmentID: "env_1", TenantID: "ten_1", Mode: "live", Kind: "secret", Scopes: []string{"read"},
		TimeZone: "Africa/Douala", LinkKey: []byte("k"),
	}
	require.Equal(t, Principal{
		TenantID: "ten_1", EnvironmentID: "env_1", Mode: apikey.Live, TimeZone: "Africa/Douala", KeyID: "key_1",
		Scopes: []string{"read"}, LinkKey: []byte("k"),
	}, principalOf(key))
	key.Kind = "publishable"
	require.True(t, principalOf(key).Publishable)
}
