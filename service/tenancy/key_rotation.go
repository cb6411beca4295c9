package tenancy

import (
	"context"

	"perennial/billing/fault"
	"perennial/db"
	"perennial/internal/vault"
	"perennial/service/usecase"
)

// KeyRotation says what is rotated.
type KeyRotation struct {
	DataKeys bool   // also the keys of the apps' keysets, with which everything is sealed anew
	After    string // begins behind this app, where an earlier rotation of data keys ended; empty: with the first
}

// KeysetRotated is the result of a rotation for the keyset of one app.
type KeysetRotated struct {
	AppID     string
	Rewrapped bool // it was wrapped with another key-encryption key before
	Resealed  int  // values that were sealed anew
	Err       error
}

// keysetsAtOnce is the number of keysets that a rotation reads at a time.
const keysetsAtOnce = 500

// RotateKeys wraps the keysets of all apps with the first key-encryption key of keys, app by app, in the order of their
// IDs, and reports each. Processes that have the old and the new key notice nothing. A keyset that is wrapped so
// already is left, so that a repeat continues where one was interrupted; every repeat renews data keys. A keyset that
// cannot be opened does not stop the others. The error is that of the database, or of ctx.
func (s *Service) RotateKeys(
	ctx context.Context, by db.Actor, keys *vault.Vault, r KeyRotation, tell func(KeysetRotated) error,
) error {
	if err := usecase.NeedsVault(keys); err != nil {
		return err
	}
	for after := r.After; ; {
		found, err := s.Store.Reconcile.Keysets(ctx, after, keysetsAtOnce)
		if err != nil || len(found) == 0 {
			return err
		}
		for _, k := range found {
			if err := ctx.Err(); err != nil {
				return err
			}
			done, err := s.rotateKeyset(ctx, by, keys, k, r.DataKeys)
			if err != nil {
				return err
			}
			if err := tell(done); err != nil {
				return err
			}
			after = k.AppID
		}
	}
}

// rotateKeyset is one transaction. A keyset or a value that does not open is its app's trouble, and is in the result.
func (s *Service) rotateKeyset(
	ctx context.Context, by db.Actor, keys *vault.Vault, k db.Keyset, dataKeys bool,
) (out KeysetRotated, err error) {
	if !dataKeys && keys.Current(k.Wrapped, k.AppID) {
		return KeysetRotated{AppID: k.AppID}, nil
	}
	err = s.Store.InTx(ctx, by, s.Now(), func(tx *db.Tx) error {
		stored, err := tx.Payments.LockKeyset(ctx, k.AppID)
		if err != nil {
			return err
		}
		out = KeysetRotated{AppID: k.AppID, Rewrapped: !keys.Current(stored, k.AppID)}
		if !dataKeys {
			next, err := keys.Rewrap(stored, k.AppID)
			if err != nil {
				return err
			}
			return saveKeyset(ctx, tx, k.AppID, next, "keysetWrapped")
		}
		next, sealed, err := renewed(ctx, tx, keys, k.AppID, stored)
		if err != nil {
			return err
		}
		out.Resealed = sealed.Count()
		if err := tx.Payments.SaveSealed(ctx, sealed); err != nil {
			return err
		}
		return saveKeyset(ctx, tx, k.AppID, next, "keysetRenewed")
	})
	if err == nil {
		return out, nil
	}
	switch fault.From(err).Code {
	case "keyset_unreadable", "credential_unreadable":
		return KeysetRotated{AppID: k.AppID, Err: err}, nil
	default:
		return out, err
	}
}

func saveKeyset(ctx context.Context, tx *db.Tx, appID string, next []byte, how string) error {
	if err := tx.Payments.SaveKeyset(ctx, appID, next); err != nil {
		return err
	}
	return tx.Payments.NoteKeysetChange(ctx, appID, how)
}

// renewed is a keyset with a new data key, and all that was sealed with the stored one, sealed anew.
func renewed(
	ctx context.Context, tx *db.Tx, keys *vault.Vault, appID string, stored []byte,
) (next []byte, sealed db.Sealed, err error) {
	if next, err = keys.Renew(stored, appID); err != nil {
		return nil, sealed, err
	}
	if sealed, err = tx.Payments.LockSealed(ctx, appID); err != nil {
		return nil, sealed, err
	}
	again := func(field vault.Field, value *[]byte) {
		if err == nil {
			*value, err = keys.Reseal(stored, next, field, *value)
		}
	}
	for i := range sealed.Credentials {
		c := &sealed.Credentials[i]
		again(vault.Credentials(appID, c.ConfigID, c.Version), &c.Sealed)
	}
	for i := range sealed.Former {
		c := &sealed.Former[i]
		again(vault.Field{AppID: appID, ConfigID: c.ConfigID, Name: "secretKey"}, &c.SecretKeySealed)
		again(vault.Field{AppID: appID, ConfigID: c.ConfigID, Name: "webhookSecret"}, &c.WebhookSecretSealed)
	}
	for i := range sealed.Endpoints {
		e := &sealed.Endpoints[i]
		again(vault.EndpointSecret(appID, e.EndpointID), &e.Secret)
		again(vault.EndpointSecret(appID, e.EndpointID), &e.Previous)
	}
	for i := range sealed.Senders {
		s := &sealed.Senders[i]
		again(vault.MailPassword(appID, s.SenderID), &s.Password)
		again(vault.DKIMKey(appID, s.SenderID), &s.DKIMKey)
	}
	return next, sealed, err
}
