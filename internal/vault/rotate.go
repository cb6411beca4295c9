package vault

import (
	"bytes"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/keyset"
)

// Current reports whether an app's keyset is wrapped with the first KEK, so that the others are not needed for it.
func (v *Vault) Current(wrapped []byte, appID string) bool {
	_, err := keyset.ReadWithAssociatedData(keyset.NewBinaryReader(bytes.NewReader(wrapped)), v.keks[0],
		associated("keyset", appID))
	return err == nil
}

// Renew gives an app's keyset a new key, which seals from now on. The previous key stays, to open values that a process
// seals with it at this moment; older ones are removed. Everything sealed must be sealed again, with Reseal, before the
// result replaces the stored keyset. Fault: keyset_unreadable.
func (v *Vault) Renew(wrapped []byte, appID string) ([]byte, error) {
	handle, err := v.unwrap(wrapped, appID)
	if err != nil {
		return nil, err
	}
	before, err := handle.Primary()
	if err != nil {
		return nil, err
	}
	manager := keyset.NewManagerFromHandle(handle)
	added, err := manager.Add(aead.AES256GCMKeyTemplate())
	if err != nil {
		return nil, err
	}
	if err := manager.SetPrimary(added); err != nil {
		return nil, err
	}
	for i := range handle.Len() {
		entry, err := handle.Entry(i)
		if err != nil {
			return nil, err
		}
		if entry.KeyID() == before.KeyID() {
			continue
		}
		if err := manager.Delete(entry.KeyID()); err != nil {
			return nil, err
		}
	}
	if handle, err = manager.Handle(); err != nil {
		return nil, err
	}
	return v.wrap(handle, appID)
}

// Reseal opens a value with one keyset of its app and seals it with another, for the same field. Empty stays empty.
// Faults: keyset_unreadable, credential_unreadable.
func (v *Vault) Reseal(from, to []byte, field Field, sealed []byte) ([]byte, error) {
	if len(sealed) == 0 {
		return sealed, nil
	}
	plain, err := v.Open(from, field, sealed)
	if err != nil {
		return nil, err
	}
	return v.Seal(to, field, plain)
}
