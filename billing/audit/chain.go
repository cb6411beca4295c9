package audit

import (
	"bytes"
	"crypto/sha256"
	"fmt"
)

// Seal is one link of an environment's chain. Its hash covers the entry and, through the seal before, every entry
// before.
type Seal struct {
	Number   int64 // counts the seals of the environment from 1
	EntryID  string
	Position int64 // of the entry; seals are in the order of positions
	Hash     []byte
}

// Next returns the seal of the entry that follows s; the zero Seal is before the first.
func (s Seal) Next(e Entry) Seal {
	digest := e.Digest()
	h := sha256.New()
	_, _ = h.Write(s.Hash) // never fails
	_, _ = h.Write(digest[:])
	return Seal{Number: s.Number + 1, EntryID: e.ID, Position: e.Position, Hash: h.Sum(nil)}
}

// Break is the first place at which a chain does not hold.
type Break struct {
	Number  int64 // of the seal
	EntryID string
	Reason  string
}

// Error returns the place and the reason of the break.
func (b *Break) Error() string {
	return fmt.Sprintf("seal %d, entry %s: %s", b.Number, b.EntryID, b.Reason)
}

// Follow checks that a stored seal, and the entry that it names, follow s, and returns the stored seal. found is nil
// where there is no such entry. Error: *Break.
func (s Seal) Follow(stored Seal, found *Entry) (Seal, error) {
	broken := func(reason string) (Seal, error) {
		return stored, &Break{Number: stored.Number, EntryID: stored.EntryID, Reason: reason}
	}
	switch {
	case stored.Number != s.Number+1:
		return broken(fmt.Sprintf("seal %d is missing", s.Number+1))
	case stored.Position <= s.Position:
		return broken("the entry is not behind the one before it")
	case found == nil:
		return broken("the entry is missing")
	case found.Position != stored.Position:
		return broken("the entry was moved to another position")
	case !found.AddressIntact():
		return broken("the address of the entry was changed")
	case !bytes.Equal(s.Next(*found).Hash, stored.Hash):
		return broken("the entry, or its seal, was changed")
	}
	return stored, nil
}
