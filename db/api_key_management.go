package db

import (
	"context"
	"net/netip"
	"time"

	"perennial/db/internal/dbsqlc"
)

// ManagedKey is an API key as people manage it: all but the secret itself, which nobody has.
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
func (r Reader) APIKeyWithKey(ctx context.Context, hash []byte, id string) (APIKey, ManagedKey, error) {
	row, err := queries.ManagedKeyGetWithKey(ctx, r.handle, dbsqlc.ManagedKeyGetWithKeyParams{Hash: hash, ID: id})
	if err != nil {
		key, err := r.withoutResource(ctx, hash, "api_key", err)
		return key, ManagedKey{}, err
	}
	return apiKeyFromDB(row.ApiKeyDetail), managedKeyFromDB(row.ApiKey), nil
}

// APIKeys lists an environment's.
func (r Reader) APIKeys(
	ctx context.Context, environmentID string, f APIKeyFilter, page Page,
) (keys []ManagedKey, hasMore bool, err error) {
	span, err := r.bounds(ctx, environmentID, page)
	if err != nil {
		return nil, false, err
	}
	rows, err := queries.ManagedKeyList(ctx, r.lists(), dbsqlc.ManagedKeyListParams{
		EnvironmentID: environmentID, Ended: f.Ended, Now: &f.Now, Below: span.below, Above: span.above,
		Forward: page.forward(), RowLimit: page.rowLimit(),
	})
	if err != nil {
		return nil, false, translate("ManagedKeyList", err)
	}
	keys, hasMore = cut(page, rows, func(row dbsqlc.ManagedKeyListRow) ManagedKey { return managedKeyFromDB(row.ApiKey) })
	return keys, hasMore, nil
}

// LockAPIKey reads one that nobody else may change until the transaction ends. Fault: api_key_not_found.
func (tx *Tx) LockAPIKey(ctx context.Context, environmentID, id string) (ManagedKey, error) {
	row, err := queries.ManagedKeyLock(ctx, tx.pipe, dbsqlc.ManagedKeyLockParams{EnvironmentID: environmentID, ID: id})
	return managedKeyFromDB(row.ApiKey), readError("api_key", err)
}

// SaveAPIKey writes the name, and until when the key holds. The caller holds the lock. Fault:
// api_key_not_found.
func (tx *Tx) SaveAPIKey(ctx context.Context, environmentID string, k ManagedKey) error {
	return queries.ManagedKeyUpdate(ctx, tx.pipe.orElse(notFound("api_key")), dbsqlc.ManagedKeyUpdateParams{
		EnvironmentID: environmentID, ID: k.ID, Name: k.Name, ExpiresAt: nullTime(k.ExpiresAt),
	})
}

// NoteKeysUsed writes when keys were last used.
func (tx *Tx) NoteKeysUsed(ctx context.Context, last map[string]time.Time) error {
	ids, times := make([]string, 0, len(last)), make([]time.Time, 0, len(last))
	for id, at := range last {
		ids, times = append(ids, id), append(times, at)
	}
	return queries.APIKeyNoteUse(ctx, tx.pipe, dbsqlc.APIKeyNoteUseParams{Ids: ids, Times: times})
}

func managedKeyFromDB(row dbsqlc.ApiKey) ManagedKey {
	return ManagedKey{
		ID: row.ID, Name: row.Name, Kind: row.Kind, Hint: row.Hint, Scopes: row.Scopes, AllowedCIDRs: row.AllowedCidrs,
		ExpiresAt: value(row.ExpiresAt), RevokedAt: value(row.RevokedAt), Replaces: value(row.Replaces),
		LastUsedAt: value(row.LastUsedAt), CreatedAt: row.CreatedAt,
	}
}
