package simulator

import (
	"io"
	"net/http"
	"time"
)

// outage is a failure of the whole provider. Whatever its mode, nothing that arrives during it is carried out, and no
// idempotency key is remembered: this is the machine in front of the provider that is broken.
type outage struct {
	mode  string // refuse, 500, 429, hang; empty is none
	until time.Time
}

var outageModes = []string{"", "429", "500", "hang", "refuse"}

// suffer answers in the outage's way and tells whether there is one.
func (s *Server) suffer(w http.ResponseWriter, r *http.Request) bool {
	s.mu.Lock()
	o := s.outage
	if o.mode != "" && !o.until.IsZero() && !s.config.Now().Before(o.until) {
		s.outage, o = outage{}, outage{}
	}
	s.mu.Unlock()
	switch o.mode {
	case "":
		return false
	case "500":
		write(w, broken())
	case "429":
		write(w, overloaded())
	case "hang":
		_, _ = io.Copy(io.Discard, r.Body) // net/http notices that the client left only once the body is read
		s.hang(r)
	case "refuse": // only requests that were already under way when the gate shut get here
		panic(http.ErrAbortHandler)
	}
	return true
}
