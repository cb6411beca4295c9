package vault

import (
	"crypto/rand"
	"encoding/base64"
	"strings"

	"github.com/tink-crypto/tink-go/v2/aead/subtle"
	"github.com/tink-crypto/tink-go/v2/tink"

	"perennial/billing/fault"
)

// kekPrefix lets people and secret scanners recognise a key-encryption key.
const kekPrefix = "kek_"

// kekSize is the size of an AES-256 key.
const kekSize = 32

// NewKEK makes a key-encryption key: "kek_" and 32 random bytes in unpadded URL-safe base 64. PERENNIAL_KEK holds one,
// or several separated by commas while one is being replaced: the first wraps, all unwrap.
func NewKEK() string {
	key := make([]byte, kekSize)
	_, _ = rand.Read(key) // crypto/rand never fails: it ends the process instead
	return kekPrefix + base64.RawURLEncoding.EncodeToString(key)
}

// parseKEKs never repeats the text in its faults: it is a secret.
func parseKEKs(text string) ([]tink.AEAD, error) {
	var keks []tink.AEAD
	for one := range strings.SplitSeq(text, ",") {
		encoded, ok := strings.CutPrefix(strings.TrimSpace(one), kekPrefix)
		if !ok {
			return nil, invalidKEK("does not begin with " + kekPrefix)
		}
		key, err := base64.RawURLEncoding.DecodeString(encoded)
		if err != nil {
			return nil, invalidKEK("is not base64 after " + kekPrefix)
		}
		if len(key) != kekSize {
			return nil, invalidKEK("does not have 32 bytes")
		}
		kek, err := subtle.NewAESGCM(key)
		if err != nil {
			return nil, err
		}
		keks = append(keks, kek)
	}
	return keks, nil
}

func invalidKEK(why string) error {
	return fault.New(fault.Invalid, "kek_invalid",
		"The key-encryption key %s. Restore the one that this installation was set up with: with a new one, all stored "+
			"credentials are lost.", why)
}
