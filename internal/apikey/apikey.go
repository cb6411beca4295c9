// Package apikey makes and reads API keys: `sk_test_…`, `sk_live_…`, `pk_test_…`, `pk_live_…` with 32 random bytes.
// Only the SHA-256 of a key is ever stored; the random part has so much entropy that a slow hash would add nothing. It
// does not own what a key may do (api) nor where it is stored (db).
package apikey

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// Kind is the kind of holder that a key is for.
type Kind string

// The kinds.
const (
	Secret      Kind = "secret"      // server to server
	Publishable Kind = "publishable" // in client code: an explicit list of harmless operations
)

// Mode is the kind of environment a key opens.
type Mode string

// The modes.
const (
	Test Mode = "test"
	Live Mode = "live"
)

const (
	randomBytes  = 32
	randomLength = 43 // of 32 bytes in unpadded base64url
	hintLength   = 4
)

var prefixes = map[Kind]string{Secret: "sk_", Publishable: "pk_"}

// Key is a key that has just been made. Plain is shown once and then forgotten.
type Key struct {
	Plain string
	Hash  []byte // the stored form
	Hint  string // prefix and last characters, so that people can tell keys apart
}

// String keeps a key out of logs by accident.
func (k Key) String() string { return k.Hint }

// GoString keeps a key out of %#v too.
func (k Key) GoString() string { return k.Hint }

// New makes a key.
func New(kind Kind, mode Mode) Key {
	var random [randomBytes]byte
	_, _ = rand.Read(random[:]) // crypto/rand never fails: it ends the process instead
	prefix := prefixes[kind] + string(mode) + "_"
	plain := prefix + base64.RawURLEncoding.EncodeToString(random[:])
	return Key{Plain: plain, Hash: Hash(plain), Hint: prefix + "…" + plain[len(plain)-hintLength:]}
}

// Hash returns the hash by which a key is stored and looked up.
func Hash(plain string) []byte {
	sum := sha256.Sum256([]byte(plain))
	return sum[:]
}

// Parse returns kind and mode of a well-formed key. Whether the key exists is another question.
func Parse(plain string) (Kind, Mode, bool) {
	for kind, prefix := range prefixes {
		rest, ok := strings.CutPrefix(plain, prefix)
		if !ok {
			continue
		}
		for _, mode := range []Mode{Test, Live} {
			if random, ok := strings.CutPrefix(rest, string(mode)+"_"); ok {
				return kind, mode, isRandom(random)
			}
		}
	}
	return "", "", false
}

func isRandom(s string) bool {
	if len(s) != randomLength {
		return false
	}
	random, err := base64.RawURLEncoding.Strict().DecodeString(s)
	return err == nil && base64.RawURLEncoding.EncodedLen(len(random)) == len(s) // decoding passes over line breaks
}
