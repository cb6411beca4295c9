package httpkit

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"perennial/billing/audit"
	"perennial/billing/fault"
	"perennial/db"
	"perennial/internal/apikey"
)

// Principal is the caller of a request and the environment that it may reach. Handlers see this, not the row of a key,
// so that other ways to sign in can serve the same operations.
type Principal struct {
	TenantID      string
	EnvironmentID string
	Mode          apikey.Mode // of the environment
	TimeZone      string      // of the environment
	LinkKey       []byte      // of the environment
	KeyID         string
	Scopes        []string
	Publishable   bool // client-side code: it is shown less
}

func principalOf(key db.APIKey) Principal {
	return Principal{
		TenantID: key.TenantID, EnvironmentID: key.EnvironmentID, Mode: apikey.Mode(key.Mode), TimeZone: key.TimeZone,
		LinkKey: key.LinkKey,
		KeyID:   key.ID, Scopes: key.Scopes, Publishable: key.Kind == string(apikey.Publishable),
	}
}

const actorHeader = "Perennial-Actor"

// parseActor reads for whom the app says that it acts; empty: it does not say. Fault: header_malformed.
func parseActor(header http.Header) (string, error) {
	values := header.Values(actorHeader)
	if len(values) == 0 {
		return "", nil
	}
	if len(values) > 1 || values[0] == "" || !audit.Claimable(values[0]) {
		return "", fault.InvalidParam(actorHeader, "header_malformed",
			"The Perennial-Actor header is malformed. Send one line of 1 to %d characters in UTF-8.", audit.MaxClaim)
	}
	return values[0], nil
}

func actorParameter() *huma.Param {
	least, most := 1, audit.MaxClaim
	return &huma.Param{
		Name: actorHeader, In: "header", Example: "user 4711",
		Description: "For whom the app acts, such as the id of its user. The audit log keeps it for good, as a claim: send an id " +
			"and not a name.",
		Schema: &huma.Schema{Type: huma.TypeString, MinLength: &least, MaxLength: &most},
	}
}
