package mail

import (
	"bytes"
	"crypto"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"

	"github.com/emersion/go-msgauth/dkim"

	"perennial/billing/fault"
)

// minRSABits is the least size of an RSA key that verifiers accept today (RFC 8301 asks for 1024, and advises 2048).
const minRSABits = 1024

// DKIM signs messages for a domain (RFC 6376). The zero value signs nothing.
type DKIM struct {
	Domain, Selector string // the public key is at <selector>._domainkey.<domain>
	Key              crypto.Signer
}

// ParseKey reads a private key in PEM: RSA (PKCS #1 or #8) or Ed25519 (PKCS #8). Its fault never repeats the text.
// Fault: dkim_key_invalid.
func ParseKey(text string) (crypto.Signer, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, keyInvalid("is not PEM")
	}
	if key, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return bigEnough(key)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, keyInvalid("is neither PKCS #1 nor PKCS #8")
	}
	switch key := parsed.(type) {
	case *rsa.PrivateKey:
		return bigEnough(key)
	case ed25519.PrivateKey:
		return key, nil
	default:
		return nil, keyInvalid("is neither RSA nor Ed25519")
	}
}

func bigEnough(key *rsa.PrivateKey) (crypto.Signer, error) {
	if key.N.BitLen() < minRSABits {
		return nil, keyInvalid("has fewer than 1024 bits")
	}
	return key, nil
}

func keyInvalid(why string) error {
	return fault.InvalidParam("dkim.privateKey", "dkim_key_invalid",
		"`dkim.privateKey` %s. Send a private key of RSA with at least 1024 bits, or of Ed25519, as PEM.", why)
}

// signed are the headers that a signature covers: those that a reader sees, and those that say what the parts are. From
// is there twice, so that a second one makes the signature invalid (RFC 6376, 8.15).
var signed = []string{
	"From", "From", "To", "Subject", "Date", "Message-ID", "Reply-To", "MIME-Version", "Content-Type", "Content-Language",
	"Auto-Submitted",
}

// Sign returns the message with its signature before it.
func (d DKIM) Sign(message []byte) ([]byte, error) {
	if d.Key == nil {
		return message, nil
	}
	var out bytes.Buffer
	err := dkim.Sign(&out, bytes.NewReader(message), &dkim.SignOptions{
		Domain: d.Domain, Selector: d.Selector, Signer: d.Key, Hash: crypto.SHA256,
		HeaderCanonicalization: dkim.CanonicalizationRelaxed, BodyCanonicalization: dkim.CanonicalizationRelaxed,
		HeaderKeys: signed,
	})
	return out.Bytes(), err
}
