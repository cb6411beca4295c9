package tenancy

import (
	"context"
	"net/netip"
	"time"

	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// NewAPIKey is a key to store. Hash is the SHA-256 of the whole key, Hint what people may see of it.
type NewAPIKey struct {
	ID           string
	Name         string
	Kind         string
	Hash         []byte
	Hint         string
	Scopes       []string
	AllowedCIDRs []netip.Prefix
	ExpiresAt    time.Time
	Replaces     string // the key that it was made from; empty: none
}

// InsertAPIKey writes one.
func (tx *Tx) InsertAPIKey(ctx context.Context, environmentID string, k NewAPIKey) error {
	return core.Queries.APIKeyInsert(ctx, tx.Pipe, dbsqlc.APIKeyInsertParams{
		ID: k.ID, EnvironmentID: environmentID, Name: k.Name, Kind: k.Kind, Hash: k.Hash, Hint: k.Hint,
		Scopes: core.PresentList(k.Scopes), AllowedCidrs: core.PresentList(k.AllowedCIDRs),
		ExpiresAt: core.NullTime(k.ExpiresAt),
		Replaces:  core.Null(k.Replaces), CreatedAt: tx.Real,
	})
}

// RevokeAPIKey ends a key at once. Fault: api_key_not_found.
func (tx *Tx) RevokeAPIKey(ctx context.Context, environmentID, id string) error {
	return core.Queries.APIKeyRevoke(ctx, tx.Pipe.OrElse(core.NotFound("api_key")), dbsqlc.APIKeyRevokeParams{
		EnvironmentID: environmentID, ID: id, RevokedAt: &tx.Real,
	})
}
