package tenancy

import (
	"context"
	"time"

	"perennial/billing/audit"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/db"
	"perennial/internal/apikey"
	"perennial/service/usecase"
)

// MaxOverlap bounds the life of a key after its replacement.
const MaxOverlap = 7 * 24 * time.Hour

// RotateAPIKey makes a key that can do what another can, which ends: at once, so that the next request with it is
// refused by every process, or when overlap has passed. Faults: api_key_not_found, api_key_ended, key_allows_more.
func (s *Service) RotateAPIKey(
	ctx context.Context, by usecase.Caller, keyID string, overlap time.Duration, around usecase.Around[APIKey],
) error {
	return around.Transact(ctx, s.Base, by, func(tx *db.Tx) (APIKey, error) {
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
		_, err = end(ctx, tx, by.EnvironmentID, old, overlap)
		return k, err
	})
}

// RevokeAPIKey ends a key at once: the next request with it is refused by every process. It may be the caller's own.
// Faults: api_key_not_found, api_key_ended.
func (s *Service) RevokeAPIKey(
	ctx context.Context, by usecase.Caller, keyID string, around usecase.Around[APIKey],
) error {
	return around.Transact(ctx, s.Base, by, func(tx *db.Tx) (APIKey, error) {
		k, err := lockLiving(ctx, tx, by, keyID)
		if err != nil {
			return APIKey{}, err
		}
		k, err = end(ctx, tx, by.EnvironmentID, k, 0)
		return APIKey{ManagedKey: k}, err
	})
}

// lockLiving locks a key that still opens something. Faults: api_key_not_found, api_key_ended.
func lockLiving(ctx context.Context, tx *db.Tx, by usecase.Caller, keyID string) (db.ManagedKey, error) {
	k, err := tx.Tenancy.LockAPIKey(ctx, by.EnvironmentID, keyID)
	if err == nil && k.Ended(tx.Real) {
		err = fault.New(fault.Conflict, "api_key_ended",
			"The API key %s was revoked or has expired. Nothing is left to end.", keyID)
	}
	return k, err
}

// end has a key end after a while, or at once, and announces when. One that ends before stays as it is.
func end(
	ctx context.Context, tx *db.Tx, environmentID string, k db.ManagedKey, overlap time.Duration,
) (db.ManagedKey, error) {
	var err error
	at, was := tx.Real, k
	if overlap == 0 {
		k.RevokedAt = at
		err = tx.Tenancy.RevokeAPIKey(ctx, environmentID, k.ID)
	} else {
		if until := at.Add(overlap); k.ExpiresAt.IsZero() || until.Before(k.ExpiresAt) {
			k.ExpiresAt = until
		}
		at = k.ExpiresAt
		err = tx.Tenancy.SaveAPIKey(ctx, environmentID, k)
	}
	if err != nil {
		return k, err
	}
	tx.AuditAlso(audit.Of(k.ID, audit.Changes("api_key", audit.Differing(was, k), was, k))...)
	return k, tx.Emit(ctx, environmentID, event.New(event.APIKeyRevoked{ID: k.ID, EndsAt: at.Unix()}, tx.Real))
}
