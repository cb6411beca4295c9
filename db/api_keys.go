package db

import (
	"context"
	"errors"
	"net/netip"
	"time"

	"github.com/jackc/pgx/v5"

	"perennial/db/internal/dbsqlc"
)

// APIKey is what a request needs to know about its key. Whether it may be used now and from here is api's judgement.
type APIKey struct {
	ID            string
	EnvironmentID string
	TenantID      string
	Mode          string // "test" or "live"
	Kind          string // "secret" or "publishable"
	Scopes        []string
	AllowedCIDRs  []netip.Prefix // empty: from anywhere
	ExpiresAt     time.Time
	RevokedAt     time.Time
	TimeZone      string // of the environment
}

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

// KeyByHash finds a key. Global: the hash is what proves the environment. Fault: api_key_unknown.
func (r Reader) KeyByHash(ctx context.Context, hash []byte) (APIKey, error) {
	row, err := queries.APIKeyGetByHash(ctx, r.handle, hash)
	if errors.Is(err, pgx.ErrNoRows) {
		return APIKey{}, ErrAPIKeyUnknown
	}
	return apiKeyFromDB(row.ApiKeyDetail), translate("APIKeyGetByHash", err)
}

// withoutResource says why a joint read of key and resource found nothing: an unknown key is api_key_unknown; with a
// known one the resource is absent or of another environment, and the key comes back, so that a revoked one is noticed.
func (r Reader) withoutResource(ctx context.Context, hash []byte, resource string, err error) (APIKey, error) {
	if !errors.Is(err, pgx.ErrNoRows) {
		return APIKey{}, translate(resource, err)
	}
	key, err := r.KeyByHash(ctx, hash)
	if err != nil {
		return APIKey{}, err
	}
	return key, notFound(resource)
}

// InsertAPIKey writes one.
func (tx *Tx) InsertAPIKey(ctx context.Context, environmentID string, k NewAPIKey) error {
	return queries.APIKeyInsert(ctx, tx.pipe, dbsqlc.APIKeyInsertParams{
		ID: k.ID, EnvironmentID: environmentID, Name: k.Name, Kind: k.Kind, Hash: k.Hash, Hint: k.Hint,
		Scopes: presentList(k.Scopes), AllowedCidrs: presentList(k.AllowedCIDRs), ExpiresAt: nullTime(k.ExpiresAt),
		Replaces: null(k.Replaces), CreatedAt: tx.Real,
	})
}

// RevokeAPIKey ends a key at once. Fault: api_key_not_found.
func (tx *Tx) RevokeAPIKey(ctx context.Context, environmentID, id string) error {
	return queries.APIKeyRevoke(ctx, tx.pipe.orElse(notFound("api_key")), dbsqlc.APIKeyRevokeParams{
		EnvironmentID: environmentID, ID: id, RevokedAt: &tx.Real,
	})
}

func apiKeyFromDB(row dbsqlc.ApiKeyDetail) APIKey {
	return APIKey{
		ID: row.ID, EnvironmentID: row.EnvironmentID, TenantID: row.TenantID, Mode: row.Mode, Kind: row.Kind,
		Scopes: row.Scopes, AllowedCIDRs: row.AllowedCidrs, ExpiresAt: value(row.ExpiresAt), RevokedAt: value(row.RevokedAt),
		TimeZone: row.TimeZone,
	}
}
