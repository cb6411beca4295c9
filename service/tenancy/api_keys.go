package tenancy

import (
	"context"
	"net/netip"
	"slices"
	"time"

	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/text"
	"perennial/db"
	"perennial/internal/apikey"
	"perennial/internal/id"
	"perennial/internal/quota"
	"perennial/service/usecase"
)

// APIKeyForm asks for a key.
type APIKeyForm struct {
	Name         string
	Kind         apikey.Kind
	Scopes       []string       // of a secret key; none: all
	AllowedCIDRs []netip.Prefix // none: from anywhere
	ExpiresAt    time.Time      // zero: never
}

// APIKey is one as it is managed. Plain is the key itself where it has just been made.
type APIKey struct {
	db.ManagedKey
	Plain string
}

// CreateAPIKey creates a key of the caller's environment. It has no more rights than the caller's key: neither from
// other addresses nor for longer. Faults: those of text, key_allows_more, key_expiry_past.
func (s *Service) CreateAPIKey(
	ctx context.Context, by usecase.Caller, f APIKeyForm, also usecase.Also[APIKey],
) (APIKey, error) {
	if err := text.Check("name", f.Name); err != nil {
		return APIKey{}, err
	}
	return usecase.Transact(ctx, s.Base, by, also, func(tx *db.Tx) (APIKey, error) {
		return makeAPIKey(ctx, tx, by, f, "")
	})
}

// makeAPIKey writes a key that allows no more than the caller's, and announces it. It replaces another, or none.
// Faults: key_allows_more, key_expiry_past.
func makeAPIKey(ctx context.Context, tx *db.Tx, by usecase.Caller, f APIKeyForm, replaces string) (APIKey, error) {
	asks, err := maker(ctx, tx, by)
	if err != nil {
		return APIKey{}, err
	}
	if err := f.within(asks, tx.Real); err != nil {
		return APIKey{}, err
	}
	k := newAPIKey(f, by.Mode, tx.Real)
	k.Replaces = replaces
	if err := k.insert(ctx, tx, by.EnvironmentID); err != nil {
		return APIKey{}, err
	}
	created := event.APIKeyCreated{ID: k.ID, Replaces: replaces}
	return APIKey{k.ManagedKey, k.key.Plain}, tx.Emit(ctx, by.EnvironmentID, event.New(created, tx.Real))
}

// maker is the key that asks; a person at a terminal has none, and no limits.
func maker(ctx context.Context, tx *db.Tx, by usecase.Caller) (db.ManagedKey, error) {
	if by.Actor.Kind() != db.ActorKey {
		return db.ManagedKey{}, nil
	}
	return tx.Tenancy.LockAPIKey(ctx, by.EnvironmentID, by.Actor.ID())
}

// within refuses a key that allows more than its maker, or nothing: key_allows_more, key_expiry_past. The operation
// requires that a maker has all scopes.
func (f APIKeyForm) within(maker db.ManagedKey, now time.Time) error {
	if !f.ExpiresAt.IsZero() && !f.ExpiresAt.After(now) {
		return fault.InvalidParam("expiresAt", "key_expiry_past",
			"`expiresAt` is not in the future. Send Unix seconds of a later time, or leave it out.")
	}
	if until := maker.ExpiresAt; !until.IsZero() && (f.ExpiresAt.IsZero() || f.ExpiresAt.After(until)) {
		return fault.InvalidParam("expiresAt", "key_allows_more",
			"A key that is made with this one must expire when it does, at %d, or before. Send `expiresAt`.", until.Unix())
	}
	if len(maker.AllowedCIDRs) == 0 {
		return nil
	}
	inside := func(p netip.Prefix) bool {
		return slices.ContainsFunc(maker.AllowedCIDRs, func(of netip.Prefix) bool {
			return of.Bits() <= p.Bits() && of.Contains(p.Addr())
		})
	}
	if len(f.AllowedCIDRs) == 0 || slices.ContainsFunc(f.AllowedCIDRs, func(p netip.Prefix) bool { return !inside(p) }) {
		return fault.InvalidParam("allowedCidrs", "key_allows_more",
			"This key may be used from some networks only, and so must those that are made with it. "+
				"Send `allowedCidrs` that lie within its own.")
	}
	return nil
}

// newKey is a key that has just been made, and how it is managed.
type newKey struct {
	db.ManagedKey
	key apikey.Key
}

func newAPIKey(f APIKeyForm, mode apikey.Mode, now time.Time) newKey {
	key := apikey.New(f.Kind, mode)
	scopes := f.Scopes
	if len(scopes) == 0 {
		scopes = []string{"*"}
	}
	return newKey{db.ManagedKey{
		ID: id.New(id.APIKey, now), Name: f.Name, Kind: string(f.Kind), Hint: key.Hint, Scopes: scopes,
		AllowedCIDRs: f.AllowedCIDRs, ExpiresAt: f.ExpiresAt, CreatedAt: now,
	}, key}
}

func (k newKey) insert(ctx context.Context, tx *db.Tx, environmentID string) error {
	return tx.Tenancy.InsertAPIKey(ctx, environmentID, db.NewAPIKey{
		ID: k.ID, Name: k.Name, Kind: k.Kind, Hash: k.key.Hash, Hint: k.Hint, Scopes: k.Scopes, AllowedCIDRs: k.AllowedCIDRs,
		ExpiresAt: k.ExpiresAt, Replaces: k.Replaces,
	})
}

// RenameAPIKey names a key. Faults: api_key_not_found, those of text.
func (s *Service) RenameAPIKey(
	ctx context.Context, by usecase.Caller, keyID, name string, also usecase.Also[APIKey],
) (APIKey, error) {
	if err := text.Check("name", name); err != nil {
		return APIKey{}, err
	}
	return usecase.Transact(ctx, s.Base, by, also, func(tx *db.Tx) (APIKey, error) {
		k, err := tx.Tenancy.LockAPIKey(ctx, by.EnvironmentID, keyID)
		if err != nil || k.Name == name {
			return APIKey{ManagedKey: k}, err
		}
		k.Name = name
		if err := tx.Tenancy.SaveAPIKey(ctx, by.EnvironmentID, k); err != nil {
			return APIKey{}, err
		}
		updated := event.APIKeyUpdated{ID: k.ID, Changed: []string{"name"}}
		return APIKey{ManagedKey: k}, tx.Emit(ctx, by.EnvironmentID, event.New(updated, tx.Real))
	})
}

// SpendKeyRequests subtracts requests, by key, from the shared quota of all processes, and returns the rest of each;
// below zero where processes granted the same requests.
func (s *Service) SpendKeyRequests(
	ctx context.Context, spent map[string]quota.Spent, limit quota.Limit,
) (left map[string]float64, err error) {
	err = s.Store.InTx(ctx, db.BySystem("api"), s.Now(), func(tx *db.Tx) (err error) {
		left, err = tx.Tenancy.SpendKeyRequests(ctx, spent, limit)
		return err
	})
	return left, err
}

// NoteKeyUse writes when keys were last used, by id.
func (s *Service) NoteKeyUse(ctx context.Context, last map[string]time.Time) error {
	if len(last) == 0 {
		return nil
	}
	return s.Store.InTx(ctx, db.BySystem("api"), s.Now(),
		func(tx *db.Tx) error { return tx.Tenancy.NoteKeysUsed(ctx, last) })
}
