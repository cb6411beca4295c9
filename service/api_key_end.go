package service

import (
	"context"
	"time"

	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/db"
	"perennial/internal/apikey"
)

// MaxOverlap bounds how long a key that was replaced goes on.
const MaxOverlap = 7 * 24 * time.Hour

// RotateAPIKey makes a key that can do what another can, which ends: at once, so that the next request with it is refused
// by every process, or when overlap has passed. Faults: api_key_not_found, api_key_ended, key_allows_more.
func (s *Service) RotateAPIKey(
	ctx context.Context, by Caller, keyID string, overlap time.Duration, around Around[APIKey],
) error {
	return around.transact(ctx, s, by, func(tx *db.Tx) (APIKey, error) {
		old, err := lockLiving(ctx, tx, by, keyID)
		if err != nil {
			return APIKey{}, err
		}
		k, err := makeAPIKey(ctx, tx, by, APIKeyForm{
			Name: old.Name, Kind: apikey.Kind(old.Kind), Scopes: old.Scopes, AllowedCIDRs: old.AllowedCIDRs,
			ExpiresAt: old.ExpiresAt,
		}, old.ID)
		if err != nil {
			return APIKey{}, err
		}
		if err := end(ctx, tx, by.EnvironmentID, &old, overlap); err != nil {
			return APIKey{}, err
		}
		return k, tx.Emit(ctx, by.EnvironmentID, event.New(ended(old), tx.Real))
	})
}

// RevokeAPIKey ends a key at once: the next request with it is refused by every process. It may be the caller's own.
// Faults: api_key_not_found, api_key_ended.
func (s *Service) RevokeAPIKey(ctx context.Context, by Caller, keyID string, around Around[APIKey]) error {
	return around.transact(ctx, s, by, func(tx *db.Tx) (APIKey, error) {
		k, err := lockLiving(ctx, tx, by, keyID)
		if err != nil {
			return APIKey{}, err
		}
		if err := end(ctx, tx, by.EnvironmentID, &k, 0); err != nil {
			return APIKey{}, err
		}
		return APIKey{ManagedKey: k}, tx.Emit(ctx, by.EnvironmentID, event.New(ended(k), tx.Real))
	})
}

// lockLiving locks a key that still opens something. Faults: api_key_not_found, api_key_ended.
func lockLiving(ctx context.Context, tx *db.Tx, by Caller, keyID string) (db.ManagedKey, error) {
	k, err := tx.LockAPIKey(ctx, by.EnvironmentID, keyID)
	if err == nil && k.Ended(tx.Real) {
		err = fault.New(fault.Conflict, "api_key_ended", "The API key %s was revoked or has expired. Nothing is left to end.", keyID)
	}
	return k, err
}

// end has a key end after a while, or at once. One that ends before stays as it is.
func end(ctx context.Context, tx *db.Tx, environmentID string, k *db.ManagedKey, overlap time.Duration) error {
	if overlap == 0 {
		k.RevokedAt = tx.Real
		return tx.RevokeAPIKey(ctx, environmentID, k.ID)
	}
	if until := tx.Real.Add(overlap); k.ExpiresAt.IsZero() || until.Before(k.ExpiresAt) {
		k.ExpiresAt = until
	}
	return tx.SaveAPIKey(ctx, environmentID, *k)
}

// ended tells when a key ends.
func ended(k db.ManagedKey) event.APIKeyRevoked {
	at := k.RevokedAt
	if at.IsZero() {
		at = k.ExpiresAt
	}
	return event.APIKeyRevoked{ID: k.ID, EndsAt: at.Unix()}
}
