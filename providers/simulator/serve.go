package simulator

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"time"
)

// call is one request on its way to an endpoint.
type call struct {
	live   bool
	params url.Values
	path   func(name string) string
}

// endpoint is one path of the provider's API. run is called with the state locked and must not wait; what takes time
// is declared: delay before it, answer.hang after it.
type endpoint struct {
	accepts params
	delay   func(s *Server, c call) time.Duration
	run     func(s *Server, c call) answer
}

// serve takes a request through the same steps for every endpoint: who, what, was it done before, do it, make it
// durable, and only then tell.
func (s *Server) serve(e endpoint) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		live, refused := s.authenticate(r)
		if refused != nil {
			write(w, *refused)
			return
		}
		values, refused := readParams(w, r, e.accepts)
		if refused != nil {
			write(w, *refused)
			return
		}
		key := ""
		if r.Method == http.MethodPost {
			key = r.Header.Get("Idempotency-Key")
		}
		mark := fingerprint(r.URL.Path, live, values)
		if earlier := s.reserve(key, mark); earlier != nil {
			earlier(w)
			return
		}
		c := call{live: live, params: values, path: r.PathValue}
		a, err := s.perform(e, c, key, mark)
		switch {
		case err != nil:
			write(w, broken())
		case a.hang:
			s.hang(r)
		default:
			write(w, a)
		}
	}
}

// perform runs the endpoint to the end even if the client has left, as a provider does.
func (s *Server) perform(e endpoint, c call, key, mark string) (answer, error) {
	defer s.release(key)
	if e.delay != nil {
		s.mu.Lock()
		d := e.delay(s, c)
		s.mu.Unlock()
		s.pause(d)
	}
	s.mu.Lock()
	s.settleDue()
	a := e.run(s, c)
	if key != "" && a.remember {
		used, err := s.usedKey(key, mark, a)
		if err != nil {
			s.mu.Unlock()
			return a, err
		}
		if a.record == nil {
			a.record = &record{Kind: keyUsed}
		}
		a.record.Key = used
	}
	line := s.commit(a.record)
	s.mu.Unlock()
	if err := s.journal.wait(line); err != nil {
		return a, err
	}
	s.sender.send(a.events...)
	return a, nil
}

// commit applies a change and hands it to the journal; the number it returns is the line to wait for. The caller
// holds the lock.
func (s *Server) commit(rec *record) uint64 {
	if rec == nil {
		return s.journal.last()
	}
	rec.At = s.config.Now().UTC()
	s.state.apply(*rec)
	if rec.Intent != nil {
		s.armTimer(rec.Intent)
	}
	return s.journal.append(*rec)
}

func (s *Server) usedKey(key, mark string, a answer) (*usedKey, error) {
	body, err := json.Marshal(a.body)
	return &usedKey{Key: key, Fingerprint: mark, At: s.config.Now().UTC(), Status: a.status, Body: body}, err
}

// hang keeps the connection open and silent until the client gives up, then cuts it.
func (s *Server) hang(r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-s.closing.Done():
	case <-time.After(s.config.HangFor):
	}
	panic(http.ErrAbortHandler)
}

func (s *Server) pause(d time.Duration) {
	if d <= 0 {
		return
	}
	select {
	case <-s.closing.Done():
	case <-time.After(d):
	}
}

// fingerprint identifies a request apart from its key. Encode sorts the parameters.
func fingerprint(path string, live bool, values url.Values) string {
	mode := "test"
	if live {
		mode = "live"
	}
	sum := sha256.Sum256([]byte(mode + " " + path + "?" + values.Encode()))
	return hex.EncodeToString(sum[:])
}
