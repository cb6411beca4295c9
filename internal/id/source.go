package id

import (
	"crypto/sha256"
	"encoding/binary"
	"time"
)

// Source makes the ids of one decision. Now is real time, which random ids sort by.
type Source struct{ Now time.Time }

// Invoice returns an invoice's id: see make.
func (s Source) Invoice(at time.Time, parts ...string) string { return s.make(Invoice, at, parts) }

// Line returns an invoice line's id: see make.
func (s Source) Line(at time.Time, parts ...string) string { return s.make(InvoiceLine, at, parts) }

// Item returns a subscription item's id: see make.
func (s Source) Item(at time.Time, parts ...string) string {
	return s.make(SubscriptionItem, at, parts)
}

// Transaction returns a transaction's id: see make.
func (s Source) Transaction(at time.Time, parts ...string) string {
	return s.make(Transaction, at, parts)
}

// CreditNote returns a credit note's id: see make.
func (s Source) CreditNote(at time.Time, parts ...string) string {
	return s.make(CreditNote, at, parts)
}

// TakenBack returns the id of lines that were taken back: see make.
func (s Source) TakenBack(at time.Time, parts ...string) string {
	return s.make(TakenBack, at, parts)
}

// Dispute returns a dispute's id: see make.
func (s Source) Dispute(at time.Time, parts ...string) string { return s.make(Dispute, at, parts) }

// ScheduledChange implements lifecycle.IDs.
func (s Source) ScheduledChange(at time.Time, parts ...string) string {
	return s.make(ScheduledChange, at, parts)
}

// make returns a random id without parts, and with parts the id derived from them: at in milliseconds, then 80 bits of
// a hash. A subscription's own id, which is random, is among the parts of every derived id, directly or through another
// derived id, so that none can be guessed.
func (s Source) make(prefix string, at time.Time, parts []string) string {
	if len(parts) == 0 {
		return New(prefix, s.Now)
	}
	hash := sha256.New()
	for _, part := range parts {
		hash.Write(binary.AppendUvarint(nil, uint64(len(part)))) // lengths keep the parts apart
		hash.Write([]byte(part))
	}
	sum := hash.Sum(nil)
	hi := uint64(at.UnixMilli())<<16 | uint64(binary.BigEndian.Uint16(sum))
	return format(prefix, hi, binary.BigEndian.Uint64(sum[2:]))
}
