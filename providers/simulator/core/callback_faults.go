package core

import (
	"slices"
	"time"
)

// CallbackKind is one way for a callback to go wrong.
type CallbackKind string

// The faults of callbacks. A false message is sent in place of the true one.
const (
	CallbackDrop             CallbackKind = "drop"
	CallbackDuplicate        CallbackKind = "duplicate"
	CallbackForged           CallbackKind = "forged" // the signature is wrong
	CallbackLate             CallbackKind = "late"
	CallbackReorder          CallbackKind = "reorder" // it arrives after the next one
	CallbackStale            CallbackKind = "stale"   // signed an hour ago
	CallbackUnknownReference CallbackKind = CallbackKind(UnknownReference)
	CallbackWrongAmount      CallbackKind = CallbackKind(WrongAmount)
)

var callbackKinds = []CallbackKind{
	CallbackDrop, CallbackDuplicate, CallbackForged, CallbackLate, CallbackReorder, CallbackStale,
	CallbackUnknownReference, CallbackWrongAmount,
}

const stale = time.Hour

// CallbackFault waits for the next Count messages of a type.
type CallbackFault struct {
	Kind  CallbackKind `json:"callback"`
	Type  string       `json:"type,omitempty"` // of the message; empty: any
	Count int          `json:"count"`
	Delay string       `json:"delay,omitempty"` // of late, and the most that reorder waits; default 2s
	wait  time.Duration
}

func (f *CallbackFault) kind() CallbackKind {
	if f == nil {
		return ""
	}
	return f.Kind
}

func (s *sender) takeFault(kind string) *CallbackFault {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, f := range s.faults {
		if f.Type != "" && f.Type != kind {
			continue
		}
		if f.Count--; f.Count == 0 {
			s.faults = slices.Delete(s.faults, i, i+1)
		}
		taken := *f
		return &taken
	}
	return nil
}

// sendWith sends a message as often as the settings say and as badly as the fault does.
func (s *sender) sendWith(c Callbacks, m Message, f *CallbackFault) {
	copies := max(c.Copies, 1)
	switch f.kind() {
	case CallbackDrop:
		s.mu.Lock()
		defer s.mu.Unlock()
		s.attempts = append(s.attempts, CallbackAttempt{EventID: m.ID, Type: m.Type, At: s.now().UTC(), Fault: f.Kind})
		return
	case CallbackDuplicate:
		copies *= 2
	case CallbackLate:
		c.Delay += f.wait
	case CallbackReorder:
		s.hold(func() { s.deliver(c, m, f) }, f.wait)
		return
	default: // the message itself is wrong: request makes it so
	}
	waiting := s.release()
	for i := range copies {
		s.background(func() {
			s.deliver(c, m, f)
			if i > 0 {
				return
			}
			for _, next := range waiting {
				s.background(next)
			}
		})
	}
}

// hold keeps a message back until another is delivered, or until the time is up.
func (s *sender) hold(send func(), atMost time.Duration) {
	turn := make(chan struct{})
	s.mu.Lock()
	s.held = append(s.held, func() { close(turn) })
	s.mu.Unlock()
	s.background(func() {
		select {
		case <-turn:
		case <-time.After(atMost):
		case <-s.closing.Done():
			return
		}
		send()
	})
}

func (s *sender) release() []func() {
	s.mu.Lock()
	defer s.mu.Unlock()
	held := s.held
	s.held = nil
	return held
}
