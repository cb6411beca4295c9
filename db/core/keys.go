package core

import (
	"context"
	"errors"
	"net/netip"
	"time"

	"github.com/jackc/pgx/v5"

	"perennial/db/internal/dbsqlc"
)

// APIKey has the facts that a request needs about its key. Whether it may be used now and from here is api's judgement.
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
	LinkKey       []byte // of the environment: makes the links to its invoices' pages
}

// KeyByHash finds a key. Global: the hash proves the environment. Fault: api_key_unknown.
func (r Reader) KeyByHash(ctx context.Context, hash []byte) (APIKey, error) {
	row, err := Queries.APIKeyGetByHash(ctx, r.Handle, hash)
	if errors.Is(err, pgx.ErrNoRows) {
		return APIKey{}, ErrAPIKeyUnknown
	}
	return APIKeyFromDB(row.ApiKeyDetail), Translate("APIKeyGetByHash", err)
}

// WithoutResource returns why a joint read of key and resource found nothing: an unknown key is api_key_unknown; with a
// known one the resource is absent or of another environment, and the key is returned, so that a revoked one is
// noticed.
func (r Reader) WithoutResource(ctx context.Context, hash []byte, resource string, err error) (APIKey, error) {
	if !errors.Is(err, pgx.ErrNoRows) {
		return APIKey{}, Translate(resource, err)
	}
	key, err := r.KeyByHash(ctx, hash)
	if err != nil {
		return APIKey{}, err
	}
	return key, NotFound(resource)
}

// APIKeyFromDB returns the key of a joint read.
func APIKeyFromDB(row dbsqlc.ApiKeyDetail) APIKey {
	return APIKey{
		ID: row.ID, EnvironmentID: row.EnvironmentID, TenantID: row.TenantID, Mode: row.Mode, Kind: row.Kind,
		Scopes: row.Scopes, AllowedCIDRs: row.AllowedCidrs, ExpiresAt: Value(row.ExpiresAt), RevokedAt: Value(row.RevokedAt),
		TimeZone: row.TimeZone, LinkKey: row.LinkKey,
	}
}
