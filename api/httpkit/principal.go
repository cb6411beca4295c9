package httpkit

import (
	"perennial/db"
	"perennial/internal/apikey"
)

// Principal is who a request comes from and what it may reach. Handlers see this, not the row of a key, so that other
// ways to sign in can serve the same operations.
type Principal struct {
	TenantID      string
	EnvironmentID string
	Mode          apikey.Mode // of the environment
	TimeZone      string      // of the environment
	KeyID         string
	Scopes        []string
	Publishable   bool // client-side code: it is shown less
}

func principalOf(key db.APIKey) Principal {
	return Principal{
		TenantID: key.TenantID, EnvironmentID: key.EnvironmentID, Mode: apikey.Mode(key.Mode), TimeZone: key.TimeZone,
		KeyID: key.ID, Scopes: key.Scopes, Publishable: key.Kind == string(apikey.Publishable),
	}
}
