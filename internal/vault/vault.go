// Package vault owns the encryption of provider credentials at rest. It does not own where the sealed bytes are kept
// (db) nor where the key-encryption key comes from (config).
//
// Each app has a Tink keyset of its own (AES-256-GCM), stored wrapped by the key-encryption key (KEK). Every sealed
// value is bound to its app, provider configuration, field and version, and every keyset to its app: a value or a
// keyset that is copied to another row does not decrypt there.
package vault

import (
	"bytes"
	"encoding/binary"
	"strconv"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/tink"

	"perennial/billing/fault"
)

// Field names the one place where a sealed value belongs.
type Field struct {
	AppID    string // app_…
	ConfigID string // pp_…
	Name     string // of the value: credentials, endpointSecret, …
	Version  int    // of the value; 0: it has none
}

// associated returns the data that a value is bound to.
func (f Field) associated() []byte {
	parts := []string{"credential", f.AppID, f.ConfigID, f.Name}
	if f.Version != 0 { // values from before versions existed are bound to nothing more
		parts = append(parts, strconv.Itoa(f.Version))
	}
	return associated(parts...)
}

// Credentials returns the field of a version of the credentials of an account at a provider.
func Credentials(appID, configID string, version int) Field {
	return Field{AppID: appID, ConfigID: configID, Name: "credentials", Version: version}
}

// Vault seals and opens with a key-encryption key. It is safe for concurrent use.
type Vault struct {
	keks []tink.AEAD // the first wraps; all unwrap
}

// New makes a vault from the text of PERENNIAL_KEK, see NewKEK. Fault: kek_invalid.
func New(kek string) (*Vault, error) {
	keks, err := parseKEKs(kek)
	if err != nil {
		return nil, err
	}
	return &Vault{keks: keks}, nil
}

// NewAppKeyset makes the keyset of a new app, wrapped for storage.
func (v *Vault) NewAppKeyset(appID string) ([]byte, error) {
	handle, err := keyset.NewHandle(aead.AES256GCMKeyTemplate())
	if err != nil {
		return nil, err
	}
	return v.wrap(handle, appID)
}

// Rewrap wraps an app's keyset with the present first KEK, which lets an old one be taken out of PERENNIAL_KEK. Values
// sealed with the keyset stay as they are. Fault: keyset_unreadable.
func (v *Vault) Rewrap(wrapped []byte, appID string) ([]byte, error) {
	handle, err := v.unwrap(wrapped, appID)
	if err != nil {
		return nil, err
	}
	return v.wrap(handle, appID)
}

// Seal encrypts a value for its field with the app's wrapped keyset. Fault: keyset_unreadable.
func (v *Vault) Seal(wrapped []byte, field Field, plaintext []byte) ([]byte, error) {
	primitive, err := v.primitive(wrapped, field.AppID)
	if err != nil {
		return nil, err
	}
	return primitive.Encrypt(plaintext, field.associated())
}

// Open decrypts what Seal made for the same field. Faults: keyset_unreadable, credential_unreadable.
func (v *Vault) Open(wrapped []byte, field Field, sealed []byte) ([]byte, error) {
	primitive, err := v.primitive(wrapped, field.AppID)
	if err != nil {
		return nil, err
	}
	plaintext, err := primitive.Decrypt(sealed, field.associated())
	if err != nil {
		return nil, fault.New(fault.Internal, "credential_unreadable",
			"The field %s of %s does not decrypt: its value was changed, or moved from another row. Enter it again.",
			field.Name, field.ConfigID).Because(err)
	}
	return plaintext, nil
}

func (v *Vault) primitive(wrapped []byte, appID string) (tink.AEAD, error) {
	handle, err := v.unwrap(wrapped, appID)
	if err != nil {
		return nil, err
	}
	return aead.New(handle)
}

func (v *Vault) wrap(handle *keyset.Handle, appID string) ([]byte, error) {
	var out bytes.Buffer
	err := handle.WriteWithAssociatedData(keyset.NewBinaryWriter(&out), v.keks[0], associated("keyset", appID))
	return out.Bytes(), err
}

func (v *Vault) unwrap(wrapped []byte, appID string) (*keyset.Handle, error) {
	var last error
	for _, kek := range v.keks {
		handle, err := keyset.ReadWithAssociatedData(keyset.NewBinaryReader(bytes.NewReader(wrapped)), kek,
			associated("keyset", appID))
		if err == nil {
			return handle, nil
		}
		last = err
	}
	return nil, fault.New(fault.Internal, "keyset_unreadable",
		"The keyset of %s does not unwrap: PERENNIAL_KEK is not the key it was wrapped with, or the row was changed.",
		appID).Because(last)
}

// associated joins parts so that no two lists give the same bytes.
func associated(parts ...string) []byte {
	var out []byte
	for _, part := range parts {
		out = binary.BigEndian.AppendUint32(out, uint32(len(part)))
		out = append(out, part...)
	}
	return out
}

// EndpointSecret returns the field of the signing secrets of a webhook endpoint, the present and the previous one: a
// rotation moves the sealed bytes from one column to the other.
func EndpointSecret(appID, endpointID string) Field {
	return Field{AppID: appID, ConfigID: endpointID, Name: "endpointSecret"}
}

// MailPassword returns the field of the password at the mail server of a sender.
func MailPassword(appID, senderID string) Field {
	return Field{AppID: appID, ConfigID: senderID, Name: "mailPassword"}
}

// DKIMKey returns the field of the private key that signs a sender's mails.
func DKIMKey(appID, senderID string) Field {
	return Field{AppID: appID, ConfigID: senderID, Name: "dkimKey"}
}
