package core

import (
	"encoding/json"
	"io"
	"net/http"
	"time"
)

const maxBody = 1 << 20

// serve takes a request through the same steps for every endpoint: faults on the way, authentication, reading, repeats,
// the action, the disk, and only then the answer.
func (s *Server) serve(e Endpoint) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c := &Call{
			Method: r.Method, Host: r.Host, Path: r.URL.Path, Header: r.Header, Query: r.URL.Query(), value: r.PathValue,
		}
		// The body is read first: net/http notices only then that a client has left.
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		c.Body = body
		fault := s.arrived(r, body)
		if s.suffer(w, r, c) || s.strike(w, r, c, fault) {
			return
		}
		if err != nil {
			s.write(w, r, c, s.dialect.Refuse(TooLarge, c.Method+" "+c.Path), reply{})
			return
		}
		a, replayed := s.decide(e, c, fault)
		s.write(w, r, c, a, reply{replayed: replayed, fault: fault})
	}
}

func (s *Server) decide(e Endpoint, c *Call, f *Fault) (a Answer, replayed bool) {
	if !e.Open {
		if refused := s.dialect.Authenticate(c); refused != nil {
			return *refused, false
		}
	}
	if e.Read != nil {
		if refused := e.Read(c); refused != nil {
			return *refused, false
		}
	}
	key, mark, refused := s.dialect.Key(c)
	if refused != nil {
		return *refused, false
	}
	if instead, replayed := s.reserve(key, mark); instead != nil {
		return *instead, replayed
	}
	a, err := s.perform(e, c, key, mark, f)
	if err != nil {
		return s.dialect.Refuse(Broken, err.Error()), false
	}
	return a, false
}

// perform runs the endpoint to the end even if the client has left, as a provider does.
func (s *Server) perform(e Endpoint, c *Call, key, mark string, f *Fault) (Answer, error) {
	defer s.release(key)
	if f != nil && f.Kind == FaultDelay {
		s.pause(f.wait)
	}
	if e.Delay != nil {
		s.mu.Lock()
		d := e.Delay(c)
		s.mu.Unlock()
		s.pause(d)
	}
	s.mu.Lock()
	s.settleDue()
	a := e.Run(c)
	var used *usedKey
	if key != "" && a.Remember {
		body, err := json.Marshal(a.Body)
		if err != nil {
			s.mu.Unlock()
			return a, err
		}
		used = &usedKey{Key: key, Fingerprint: mark, At: s.Now().UTC(), Status: a.Status, Header: a.Header, Body: body}
	}
	n := s.commit(a.Effect, used)
	s.mu.Unlock()
	if err := s.journal.wait(n); err != nil {
		return a, err
	}
	if a.Effect != nil {
		s.sender.send(a.Effect.Messages...)
	}
	return a, nil
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
