package core

import (
	"bytes"
	"encoding/json"
	"time"
)

// The kinds of movements: what moved money, or made sure that none will.
const (
	Capture          = "capture"
	Refunded         = "refund"
	RefundReturned   = "refund_returned" // a refund that had succeeded came back
	Canceled         = "cancel"
	DisputeWithdrawn = "dispute_withdrawn" // a bank took the money of a dispute
	DisputeReturned  = "dispute_reinstated"
)

const keysForgotten = "keys_forgotten"

// Movement is one entry of the provider's books, in the same form for every provider. Amount is in ISO 4217 minor
// units; WireAmount is the amount of the protocol, because the ledger records the provider's action and not the
// caller's intention. The server fills in Provider, At and Key.
type Movement struct {
	Provider      string    `json:"provider"`
	Kind          string    `json:"kind"`
	At            time.Time `json:"at"`
	TransactionID string    `json:"txn_id,omitempty"` // our reference on the wire, of the charge or of the refund
	Charge        string    `json:"charge"`           // the provider's reference of the charge
	Refund        string    `json:"refund,omitempty"`
	Dispute       string    `json:"dispute,omitempty"`
	Amount        int64     `json:"amount"`
	WireAmount    string    `json:"wire_amount"`
	Currency      string    `json:"currency"` // ISO 4217, upper case
	Customer      string    `json:"customer,omitempty"`
	Invoice       string    `json:"invoice,omitempty"`
	Key           string    `json:"key,omitempty"` // idempotency key of the request that moved the money
	Live          bool      `json:"live"`
}

// line is one line of the ledger. A change and the key whose answer it was share a line because they must survive or
// vanish together: a capture without its key would be charged again by an honest client.
type line struct {
	Kind      string     `json:"kind"`
	At        time.Time  `json:"at"`
	Movements []Movement `json:"movements,omitempty"`
	Key       *usedKey   `json:"key,omitempty"`
	Change    any        `json:"change,omitempty"`
}

// Ledger lists what moved, oldest first.
func (s *Server) Ledger() []Movement {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settleDue()
	return append([]Movement{}, s.movements...)
}

// Durable is Ledger once all of it is on disk.
func (s *Server) Durable() ([]Movement, error) {
	list := s.Ledger()
	return list, s.journal.wait(s.journal.last())
}

// commitAndSend applies a change that no request made, and sends its messages once it is on disk. The caller holds the
// lock.
func (s *Server) commitAndSend(e *Effect) {
	n := s.commit(e, nil)
	s.sender.after(func() error { return s.journal.wait(n) }, e.Messages...)
}

// commit applies a change and hands it to the journal; the number it returns is the line to wait for. The caller
// holds the lock.
func (s *Server) commit(e *Effect, key *usedKey) uint64 {
	if e == nil && key == nil {
		return s.journal.last()
	}
	if e == nil {
		e = &Effect{Kind: "key"}
	}
	l := line{Kind: e.Kind, At: s.Now().UTC(), Movements: e.Movements, Key: key, Change: e.Change}
	for i := range l.Movements {
		m := &l.Movements[i]
		m.Provider, m.At = s.dialect.Name(), l.At
		if key != nil && m.Key == "" {
			m.Key = key.Key
		}
	}
	s.apply(l)
	return s.journal.append(l)
}

// apply is the only function that changes the ledger's state in memory.
func (s *Server) apply(l line) {
	if l.Change != nil {
		s.dialect.Apply(l.Change)
	}
	if l.Kind == keysForgotten {
		s.keys = map[string]*usedKey{}
	}
	if l.Key != nil {
		s.keys[l.Key.Key] = l.Key
	}
	s.movements = append(s.movements, l.Movements...)
}

// restore applies a line that was read back.
func (s *Server) restore(raw []byte) error {
	var change json.RawMessage
	l := line{Change: &change}
	if err := strict(raw, &l); err != nil {
		return err
	}
	l.Change = nil
	if len(change) > 0 {
		var err error
		if l.Change, err = s.dialect.Decode(change); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.apply(l)
	return nil
}

// Decode is a Dialect's Decode for changes of type T.
func Decode[T any](change json.RawMessage) (any, error) {
	into := new(T)
	return into, strict(change, into)
}

func strict(raw []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	return d.Decode(into)
}
