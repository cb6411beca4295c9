package audit

import (
	"crypto/sha256"
	"encoding/binary"
	"net/netip"
	"time"
)

// AddressRetention is the time for which entries keep the address of a call. It may be personal: a person's, at a
// terminal or in a browser.
const AddressRetention = 90 * 24 * time.Hour

// Entry is one call, or one command of an operator, that was carried out. It is written in the transaction of its
// effect and never changes, except that the address is erased when its retention ends.
type Entry struct {
	ID            string
	EnvironmentID string
	Position      int64 // among the rows of the environment's lists; the database gives it out
	CreatedAt     time.Time

	ActorKind   string   // key, cli or operator
	ActorID     string   // of the API key, or user and host of the terminal, or the operator's name
	ActorScopes []string // of the key then

	Operation  string // operationId of the API, or the command line without its arguments
	ObjectType string // customer, subscription; environment where no narrower object is meant
	ObjectID   string
	RequestID  string
	Status     int // of the HTTP response; 0: a command of the command line
	// Changes is the output of Encode, byte for byte.
	Changes []byte

	Address       netip.Addr // of the client; invalid: there was none, or it was erased
	AddressSalt   []byte     // erased with the address
	AddressDigest []byte     // AddressDigest(salt, address), which stays
}

// DigestOfAddress returns the digest of an address that the chain keeps. Its random salt is erased together with the
// address, so that the address cannot be found again by trying all of them.
func DigestOfAddress(salt []byte, address netip.Addr) []byte {
	h := sha256.New()
	_, _ = h.Write(salt) // never fails
	_, _ = h.Write([]byte(address.String()))
	return h.Sum(nil)
}

// format is the first hashed byte. A later layout gets another one.
const format = 1

// Digest returns the SHA-256 of everything that an entry says. Every part is preceded by its length, so that no two
// entries have the same bytes. The address counts by its digest alone, so that its erasure leaves the chain whole.
func (e Entry) Digest() [sha256.Size]byte {
	b := []byte{format}
	text := func(s string) {
		b = binary.BigEndian.AppendUint32(b, uint32(len(s))) //nolint:gosec // a row of PostgreSQL is shorter than 4 GiB
		b = append(b, s...)
	}
	number := func(n int64) { b = binary.BigEndian.AppendUint64(b, uint64(n)) } //nolint:gosec // only its bits count
	text(e.ID)
	text(e.EnvironmentID)
	number(e.Position)
	number(e.CreatedAt.UnixMicro())
	text(e.ActorKind)
	text(e.ActorID)
	number(int64(len(e.ActorScopes)))
	for _, scope := range e.ActorScopes {
		text(scope)
	}
	text(e.Operation)
	text(e.ObjectType)
	text(e.ObjectID)
	text(e.RequestID)
	number(int64(e.Status))
	text(string(e.Changes))
	text(string(e.AddressDigest))
	return sha256.Sum256(b)
}

// AddressIntact reports whether the address is unchanged, or was erased together with its salt.
func (e Entry) AddressIntact() bool {
	if !e.Address.IsValid() {
		return len(e.AddressSalt) == 0
	}
	return string(DigestOfAddress(e.AddressSalt, e.Address)) == string(e.AddressDigest)
}
