package gateway

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"perennial/billing/fault"
	"perennial/db"
	"perennial/internal/vault"
	"perennial/providers"
)

// FieldWebhookSecret is the name that every provider's callback secret has.
const FieldWebhookSecret = "webhookSecret"

// formerSecretKey is the name of the key that builds before versions sealed in a column of its own.
const formerSecretKey = "secretKey"

// Credentials are the credentials of an account by name, in plain text: keep them in memory only.
type Credentials map[string]string

// String keeps credentials out of logs and messages.
func (c Credentials) String() string { return "[credentials " + strings.Join(c.Names(), ", ") + "]" }

// GoString is String, for %#v.
func (c Credentials) GoString() string { return c.String() }

// Names returns the names of the credentials, sorted.
func (c Credentials) Names() []string { return slices.Sorted(maps.Keys(c)) }

// With returns the credentials with some replaced; an empty value takes one away.
func (c Credentials) With(changed Credentials) Credentials {
	out := Credentials{}
	maps.Copy(out, c)
	maps.Copy(out, changed)
	maps.DeleteFunc(out, func(_, value string) bool { return value == "" })
	return out
}

// Changed returns the sorted names whose values differ from those of before.
func (c Credentials) Changed(before Credentials) (names []string) {
	both := Credentials{}
	maps.Copy(both, before)
	maps.Copy(both, c)
	for _, name := range both.Names() {
		if c[name] != before[name] {
			names = append(names, name)
		}
	}
	return names
}

// Seal encrypts a version of an account's credentials. Fault: keyset_unreadable.
func Seal(v *vault.Vault, c db.ProviderConfig, version int, plain Credentials) (db.SealedCredentials, error) {
	text, err := json.Marshal(map[string]string(plain))
	if err != nil {
		return db.SealedCredentials{}, err
	}
	sealed, err := v.Seal(c.Keyset, vault.Credentials(c.AppID, c.ID, version), text)
	return db.SealedCredentials{Version: version, Fields: plain.Names(), Sealed: sealed}, err
}

// Unseal opens the current credentials of a configuration. Faults: credential_unreadable, keyset_unreadable.
func Unseal(v *vault.Vault, c db.ProviderConfig) (Credentials, error) {
	if len(c.Credentials) > 0 {
		return unseal(v, c, c.Credentials[0])
	}
	out := Credentials{}
	for name, sealed := range map[string][]byte{
		formerSecretKey: c.Former.SecretKeySealed, FieldWebhookSecret: c.Former.WebhookSecretSealed,
	} {
		if len(sealed) == 0 {
			continue
		}
		plain, err := v.Open(c.Keyset, vault.Field{AppID: c.AppID, ConfigID: c.ID, Name: name}, sealed)
		if err != nil {
			return nil, err
		}
		out[name] = string(plain)
	}
	return out, nil
}

func unseal(v *vault.Vault, c db.ProviderConfig, sealed db.SealedCredentials) (out Credentials, err error) {
	plain, err := v.Open(c.Keyset, vault.Credentials(c.AppID, c.ID, sealed.Version), sealed.Sealed)
	if err != nil {
		return nil, err
	}
	err = json.Unmarshal(plain, &out)
	return out, err
}

// fingerprint changes whenever stored credentials do. The keyset is not part of it: a key-encryption key that is
// replaced wraps it anew, and opens the same values.
func fingerprint(c db.ProviderConfig) []byte {
	parts := [][]byte{c.Former.SecretKeySealed, c.Former.WebhookSecretSealed}
	for _, version := range c.Credentials {
		parts = append(parts, version.Sealed)
	}
	return bytes.Join(parts, nil)
}

// known refuses a credential that the provider has no use for: a misspelled name would leave one out in silence.
func known(factory providers.Factory, c Credentials) error {
	var names []string
	for _, field := range factory.Fields() {
		names = append(names, field.Name)
	}
	for _, name := range c.Names() {
		if !slices.Contains(names, name) {
			return fault.InvalidParam(name, "credential_unknown",
				"%s has no credential %s. Its credentials are %s.", factory.Name(), name, strings.Join(names, ", "))
		}
	}
	return nil
}
