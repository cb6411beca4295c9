package webhooks

import (
	"encoding/base64"
	"fmt"
	"io"

	"perennial/billing/fault"
	"perennial/webhooks/verify"
)

// The bounds of a secret, in characters. A shorter one could be guessed from a single delivery.
const (
	minSecret = 16
	maxSecret = 256
)

// secretBytes is the strength of a secret that Perennial makes. Standard Webhooks asks for 24 to 64 bytes.
const secretBytes = 32

// NewSecret returns a signing secret in the form of Standard Webhooks: `whsec_` and 32 random bytes in base64. random
// is crypto/rand.Reader outside of tests; its error is returned.
func NewSecret(random io.Reader) (string, error) {
	key := make([]byte, secretBytes)
	if _, err := io.ReadFull(random, key); err != nil {
		return "", fmt.Errorf("webhooks: making a secret: %w", err)
	}
	return verify.SecretPrefix + base64.StdEncoding.EncodeToString(key), nil
}

// CheckSecret reports whether an app may sign with a secret of its own: 16 to 256 visible ASCII characters. Anything in
// base64, with or without `whsec_`, works with Standard Webhooks libraries as it is, any other with their raw mode
// (verify.Key). Faults: webhook_secret_invalid, of the field `secret`.
func CheckSecret(secret string) error {
	if len(secret) < minSecret || len(secret) > maxSecret {
		return fault.InvalidParam("secret", "webhook_secret_invalid",
			"`secret` has %d characters. Send %d to %d characters, or leave the field out to get a generated secret.",
			len(secret), minSecret, maxSecret)
	}
	for i := range len(secret) {
		if c := secret[i]; c <= ' ' || c > '~' {
			return fault.InvalidParam("secret", "webhook_secret_invalid",
				"`secret` contains a space, a control character or a character outside ASCII at position %d. "+
					"Send letters, digits and punctuation, or leave the field out to get a generated secret.", i+1)
		}
	}
	return nil
}
