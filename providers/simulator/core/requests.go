package core

import (
	"net/http"
	"time"
)

const keptRequests = 1000

// Request is one request as it arrived, for a test to read. Credentials are shortened.
type Request struct {
	At     time.Time   `json:"at"`
	Method string      `json:"method"`
	Path   string      `json:"path"`
	Query  string      `json:"query,omitempty"`
	Header http.Header `json:"header"`
	Body   string      `json:"body,omitempty"`
	Fault  FaultKind   `json:"fault,omitempty"`
}

// arrived records a request and returns the fault that strikes it.
func (s *Server) arrived(r *http.Request, body []byte) *Fault {
	q := Request{
		At: s.config.Now().UTC(), Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, Header: r.Header.Clone(),
		Body: string(body),
	}
	for _, name := range []string{"Authorization", "X-Api-Key"} {
		if v := q.Header.Get(name); v != "" {
			q.Header.Set(name, v[:min(len(v), 12)]+"…")
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.takeFault(r.Method, r.URL.Path)
	if f != nil {
		q.Fault = f.Kind
	}
	if len(s.requests) >= 2*keptRequests {
		s.requests = append([]Request{}, s.requests[keptRequests:]...)
	}
	s.requests = append(s.requests, q)
	return f
}

// Requests are the latest 1,000 that arrived, oldest first.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request{}, s.requests[max(0, len(s.requests)-keptRequests):]...)
}
