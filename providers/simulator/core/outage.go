package core

import (
	"net/http"
	"time"
)

// outage is a failure of the whole provider. Whatever its mode, nothing that arrives during it is carried out, and no
// idempotency key is remembered: this is the machine in front of the provider that is broken.
type outage struct {
	mode  string // refuse, 500, 503, 429, hang; empty is none
	until time.Time
}

var outageModes = []string{"", "429", "500", "503", "hang", "refuse"}

// suffer answers as the outage does and reports whether there is one.
func (s *Server) suffer(w http.ResponseWriter, r *http.Request, c *Call) bool {
	s.mu.Lock()
	o := s.outage
	if o.mode != "" && !o.until.IsZero() && !s.config.Now().Before(o.until) {
		s.outage, o = outage{}, outage{}
	}
	s.mu.Unlock()
	switch o.mode {
	case "":
		return false
	case "500", "503", "429":
		s.write(w, r, c, s.dialect.Refuse(FaultKind(o.mode).refusal(), c.Method+" "+c.Path), reply{})
	case "hang":
		s.hang(r)
	case "refuse": // only requests that were already under way when the gate shut get here
		panic(http.ErrAbortHandler)
	}
	return true
}
