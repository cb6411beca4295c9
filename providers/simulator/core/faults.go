package core

import (
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// FaultKind is one way for a single exchange to go wrong.
type FaultKind string

// The faults. Those whose names end in _booked, bad_json and slow_body strike after everything was done and
// remembered; delay makes the provider slow and is otherwise harmless; the others strike before anything is done.
const (
	Fault429         FaultKind = "429"
	Fault500         FaultKind = "500"
	Fault500Booked   FaultKind = "500_booked"
	Fault503         FaultKind = "503"
	Fault503Booked   FaultKind = "503_booked"
	FaultBadJSON     FaultKind = "bad_json"
	FaultDelay       FaultKind = "delay"
	FaultHang        FaultKind = "hang"
	FaultHangBooked  FaultKind = "hang_booked"
	FaultReset       FaultKind = "reset"
	FaultResetBooked FaultKind = "reset_booked"
	FaultSlowBody    FaultKind = "slow_body"
)

var faultKinds = []FaultKind{
	Fault429, Fault500, Fault500Booked, Fault503, Fault503Booked, FaultBadJSON, FaultDelay, FaultHang, FaultHangBooked,
	FaultReset, FaultResetBooked, FaultSlowBody,
}

func (k FaultKind) refusal() Refusal {
	switch k {
	case Fault429:
		return Overloaded
	case Fault503, Fault503Booked:
		return Unavailable
	default:
		return Broken
	}
}

// Fault waits for the next Count requests of a path.
type Fault struct {
	Kind  FaultKind `json:"kind"`
	Path  string    `json:"path,omitempty"`  // "POST /v1/refunds", "/v1/" or nothing: a prefix; methods may be left out
	Count int       `json:"count"`           // how many more it strikes
	After int       `json:"after,omitempty"` // how many matching requests it lets pass first
	Delay string    `json:"delay,omitempty"` // of delay and slow_body; default 1s
	// RetryAfter is the header of a 429 or 503, in seconds; default 1 for 429, none for 503.
	RetryAfter int `json:"retry_after,omitempty"`
	wait       time.Duration
}

func (f *Fault) matches(method, path string) bool {
	of, prefix, named := strings.Cut(f.Path, " ")
	if !named {
		return strings.HasPrefix(path, f.Path)
	}
	return of == method && strings.HasPrefix(path, prefix)
}

// takeFault finds the fault that strikes a request, and counts it. The caller holds the lock.
func (s *Server) takeFault(method, path string) *Fault {
	for i, f := range s.faults {
		if !f.matches(method, path) {
			continue
		}
		if f.After > 0 {
			f.After--
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

// strike performs a fault that keeps the request from being carried out, and reports whether it did.
func (s *Server) strike(w http.ResponseWriter, r *http.Request, c *Call, f *Fault) bool {
	if f == nil {
		return false
	}
	switch f.Kind {
	case FaultHang:
		s.hang(r)
	case FaultReset:
		reset(w)
	case Fault429, Fault500, Fault503:
		a := s.dialect.Refuse(f.Kind.refusal(), c.Method+" "+c.Path)
		a.Header = a.Header.Clone()
		if f.RetryAfter > 0 {
			a.Header = http.Header{"Retry-After": {strconv.Itoa(f.RetryAfter)}}
		}
		s.write(w, r, c, a, reply{})
	default:
		return false
	}
	return true
}

// reset cuts the connection with a TCP reset, which a client cannot mistake for an orderly end.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	inner := conn
	if gated, ok := conn.(*gatedConn); ok {
		inner = gated.Conn
	}
	if tcp, ok := inner.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // else the close is an orderly one
	}
	_ = conn.Close()
	panic(http.ErrAbortHandler)
}
