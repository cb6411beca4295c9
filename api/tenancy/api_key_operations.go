package tenancy

import (
	"net/http"

	"perennial/api/httpkit"
	"perennial/db"
	"perennial/internal/id"
)

// apiKeyOperations that change something need a key that may do everything, so that no key can give itself more.
func (h *Handler) apiKeyOperations() {
	example := Key{
		ID: "key_01jcz6dyqx4w9s1c2k7v5h8m3n", Name: "shop server", Hint: "sk_test_…x7Fq", Kind: "secret",
		Scopes: []string{"*"}, AllowedCIDRs: []string{"203.0.113.0/24"}, CreatedAt: 1763640000,
	}
	made, revoked := example, example
	made.Key = "sk_test_dGhpcyBpcyBhbiBleGFtcGxlLCAzMiBieXRlcyBsb25nISE"
	revoked.RevokedAt = 1763726400
	rotated := made
	rotated.ID, rotated.Replaces = "key_01jcz6f0a1w9s1c2k7v5h8m3np", example.ID
	load := httpkit.LoadByID(h.kit, id.APIKey, db.ErrAPIKeyNotFound, h.store.Tenancy.APIKeyWithKey)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "createAPIKey", Method: http.MethodPost, Path: "/api-keys", Tag: "Environment", Summary: "Create an API key",
		Description: "The key is of the same environment as the one that asks, and is shown in this response only. It can do " +
			"no more: it can be used neither from elsewhere nor for longer.",
		Status: http.StatusCreated, Access: httpkit.WriteAccess, Response: made,
		Request: KeyForm{Name: "shop server", AllowedCIDRs: []string{"203.0.113.0/24"}},
	}, h.createAPIKey)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "getAPIKey", Method: http.MethodGet, Path: "/api-keys/{id}", Tag: "Environment", Summary: "Get an API key",
		Description: "By its id. The key itself cannot be read again.",
		Status:      http.StatusOK, Access: httpkit.ReadAccess, Load: load, Response: example,
	}, h.getAPIKey)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "listAPIKeys", Method: http.MethodGet, Path: "/api-keys", Tag: "Environment", Summary: "List API keys",
		Status: http.StatusOK, Access: httpkit.ReadAccess, Response: httpkit.List[Key]{Data: []Key{example}},
	}, h.listAPIKeys)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "updateAPIKey", Method: http.MethodPatch, Path: "/api-keys/{id}", Tag: "Environment",
		Summary: "Name an API key",
		Status:  http.StatusOK, Access: httpkit.WriteAccess, Load: load, Request: KeyChange{Name: "shop server"},
		Response: example,
	}, h.updateAPIKey)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "rotateAPIKey", Method: http.MethodPost, Path: "/api-keys/{id}/rotate", Tag: "Environment",
		Summary: "Replace an API key",
		Description: "Makes a key that may do the same. The old one ends at once: the next request with it gets 401 from every " +
			"process. With `overlapSeconds` it goes on for that long, so that servers can change keys one after another.",
		Status: http.StatusCreated, Access: httpkit.WriteAccess, Load: load, Request: KeyRotation{OverlapSeconds: 3600},
		Response: rotated,
	}, h.rotateAPIKey)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "revokeAPIKey", Method: http.MethodPost, Path: "/api-keys/{id}/revoke", Tag: "Environment",
		Summary: "Revoke an API key",
		Description: "The next request with it gets 401 from every process. It may be the key that asks. A revocation cannot be " +
			"undone.",
		Status: http.StatusOK, Access: httpkit.WriteAccess, Load: load, Response: revoked,
	}, h.revokeAPIKey)
}
