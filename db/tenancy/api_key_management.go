package tenancy

import (
	"context"
	"net/netip"
	"time"

	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// ManagedKey is an API key as people manage it: all but the secret itself, which is not stored.
type ManagedKey struct {
	ID           string
	Name         string
	Kind         string // "secret" or "publishable"
	Hint         string
	Scopes       []string
	AllowedCIDRs []netip.Prefix // empty: from anywhere
	ExpiresAt    time.Time
	RevokedAt    time.Time
	Replaces     string    // the key that it was made from
	LastUsedAt   time.Time // to about a minute
	CreatedAt    time.Time
}

// Ended reports whether it opens nothing any more.
func (k ManagedKey) Ended(now time.Time) bool {
	return !k.RevokedAt.IsZero() || !k.ExpiresAt.IsZero() && !now.Before(k.ExpiresAt)
}

// APIKeyFilter narrows a list; nil: any.
type APIKeyFilter struct {
	Ended *bool
	Now   time.Time // by which keys have ended or not
}

// APIKeyWithKey reads the caller's key and another in one round trip. Faults: api_key_unknown; api_key_not_found, with
// the caller's.
func (r Reader) APIKeyWithKey(ctx context.Context, hash []byte, id string) (core.APIKey, ManagedKey, error) {
	row, err := core.Queries.ManagedKeyGetWithKey(ctx, r.Handle, dbsqlc.ManagedKeyGetWithKeyParams{Hash: hash, ID: id})
	if err != nil {
		key, err := r.WithoutResource(ctx, hash, "api_key", err)
		return key, ManagedKey{}, err
	}
	return core.APIKeyFromDB(row.ApiKeyDetail), managedKeyFromDB(row.ApiKey), nil
}

// APIKeys lists an environment's.
func (r Reader) APIKeys(
	ctx context.Context, environmentID string, f APIKeyFilter, page core.Page,
) (keys []ManagedKey, hasMore bool, err error) {
	span, err := r.Bounds(ctx, environmentID, page)
	if err != nil {
		return nil, false, err
	}
	rows, err := core.Queries.ManagedKeyList(ctx, r.Lists(), dbsqlc.ManagedKeyListParams{
		EnvironmentID: environmentID, Ended: f.Ended, Now: &f.Now, Below: span.Below, Above: span.Above,
		Forward: page.Forward(), RowLimit: page.RowLimit(),
	})
	if err != nil {
		return nil, false, core.Translate("ManagedKeyList", err)
	}
	keys, hasMore = core.Cut(page, rows,
		func(row dbsqlc.ManagedKeyListRow) ManagedKey { return managedKeyFromDB(row.ApiKey) })
	return keys, hasMore, nil
}

// LockAPIKey reads a key and locks it until this transaction ends. Fault: api_key_not_found.
func (tx *Tx) LockAPIKey(ctx context.Context, environmentID, id string) (ManagedKey, error) {
	row, err := core.Queries.ManagedKeyLock(ctx, tx.Pipe,
		dbsqlc.ManagedKeyLockParams{EnvironmentID: environmentID, ID: id})
	return managedKeyFromDB(row.ApiKey), core.ReadError("api_key", err)
}

// SaveAPIKey writes the name, and until when the key holds. The caller holds the lock. Fault:
// api_key_not_found.
func (tx *Tx) SaveAPIKey(ctx context.Context, environmentID string, k ManagedKey) error {
	return core.Queries.ManagedKeyUpdate(ctx, tx.Pipe.OrElse(core.NotFound("api_key")), dbsqlc.ManagedKeyUpdateParams{
		EnvironmentID: environmentID, ID: k.ID, Name: k.Name, ExpiresAt: core.NullTime(k.ExpiresAt),
	})
}

// NoteKeysUsed writes when keys were last used.
func (tx *Tx) NoteKeysUsed(ctx context.Context, last map[string]time.Time) error {
	ids, times := make([]string, 0, len(last)), make([]time.Time, 0, len(last))
	for id, at := range last {
		ids, times = append(ids, id), append(times, at)
	}
	return core.Queries.APIKeyNoteUse(ctx, tx.Pipe, dbsqlc.APIKeyNoteUseParams{Ids: ids, Times: times})
}

func managedKeyFromDB(row dbsqlc.ApiKey) ManagedKey {
	return ManagedKey{
		ID: row.ID, Name: row.Name, Kind: row.Kind, Hint: row.Hint, Scopes: row.Scopes, AllowedCIDRs: row.AllowedCidrs,
		ExpiresAt: core.Value(row.ExpiresAt), RevokedAt: core.Value(row.RevokedAt), Replaces: core.Value(row.Replaces),
		LastUsedAt: core.Value(row.LastUsedAt), CreatedAt: row.CreatedAt,
	}
}
