package core

import (
	"encoding/json"
	"net/http"
	"time"
)

// usedKey is a used idempotency key with its answer.
type usedKey struct {
	Key         string          `json:"key"`
	Fingerprint string          `json:"fingerprint"`
	At          time.Time       `json:"at"`
	Status      int             `json:"status"`
	Header      http.Header     `json:"header,omitempty"`
	Body        json.RawMessage `json:"body,omitempty"`
}

// reserve claims a key for the present call. If the key is taken it returns another answer: the first answer again, a
// refusal because the fingerprint differs, or one because the first call is still running. A key older than the window
// is as good as new, which is what makes charging twice possible.
func (s *Server) reserve(key, mark string) (instead *Answer, replayed bool) {
	if key == "" {
		return nil, false
	}
	refuse := func(r Refusal) *Answer {
		a := s.dialect.Refuse(r, key)
		return &a
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if running, busy := s.inFlight[key]; busy {
		if running != mark {
			return refuse(KeyMisused), false
		}
		return refuse(KeyInUse), false
	}
	if used := s.keys[key]; used != nil {
		if s.Now().Sub(used.At) < s.config.IdempotencyWindow {
			if used.Fingerprint != mark {
				return refuse(KeyMisused), false
			}
			return &Answer{Status: used.Status, Header: used.Header, Body: used.Body}, true
		}
		delete(s.keys, key)
	}
	s.inFlight[key] = mark
	return nil, false
}

func (s *Server) release(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.inFlight, key)
}
