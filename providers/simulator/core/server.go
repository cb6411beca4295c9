// Package core owns the common parts of every simulated payment provider: a ledger synced to disk before an answer is
// read, idempotency keys that are forgotten, a record of requests, faults, a clock, callbacks and the control API. It
// does not own a provider's protocol (a Dialect does), nor any opinion on how a caller should treat its answers.
package core

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"perennial/billing/fault"
)

// Config has the ledger's path and the behaviour of the simulated provider.
type Config struct {
	LedgerPath        string           // append-only file; created where absent, read back where present
	IdempotencyWindow time.Duration    // how long a key is remembered; default 24 h
	HangFor           time.Duration    // how long a hanging answer hangs before its connection is cut; default 60 s
	Callbacks         Callbacks        // where signed messages go; can be changed at run time
	Now               func() time.Time // real time, unless a test wants keys to grow old
}

// Server is one simulated provider. Serve its Handler,
// on the listener that Listen gives if outages shall refuse connections.
type Server struct {
	config  Config
	control http.Handler
	dialect Dialect
	gate    *gate
	handler http.Handler
	journal *journal
	sender  *sender

	closing context.Context
	close   context.CancelFunc

	mu        sync.Mutex // guards what follows and the dialect's objects; never held while waiting for disk or network
	faults    []*Fault
	inFlight  map[string]string
	keys      map[string]*usedKey
	movements []Movement
	offset    time.Duration
	outage    outage
	requests  []Request
	schedule  schedule
}

// New reads the ledger back and is ready to serve.
// Faults: `ledger_missing`, `clock_missing`, `ledger_corrupt`, `ledger_in_use`.
func New(c Config, d Dialect) (*Server, error) {
	if c.LedgerPath == "" {
		return nil, fault.New(fault.Invalid, "ledger_missing", "The simulator needs a path for its ledger file.")
	}
	if c.Now == nil {
		return nil, fault.New(fault.Invalid, "clock_missing", "The simulator needs a clock. Pass time.Now.")
	}
	if c.IdempotencyWindow == 0 {
		c.IdempotencyWindow = 24 * time.Hour
	}
	if c.HangFor == 0 {
		c.HangFor = time.Minute
	}
	closing, cancel := context.WithCancel(context.Background())
	s := &Server{
		config: c, dialect: d, gate: newGate(closing), closing: closing, close: cancel,
		inFlight: map[string]string{}, keys: map[string]*usedKey{},
		schedule: schedule{entries: map[string]*entry{}},
	}
	d.Attach(s)
	j, err := openJournal(c.LedgerPath, s.restore)
	if err != nil {
		cancel()
		return nil, err
	}
	s.journal = j
	s.sender = newSender(closing, c.Callbacks, d, c.Now)
	s.control = s.controlRoutes()
	s.handler = s.routes()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.schedule.ready = true
	s.arm()
	return s, nil
}

// Name is the provider's identifier.
func (s *Server) Name() string { return s.dialect.Name() }

// Handler serves both the provider's API and, below /_simulator/, the control API.
func (s *Server) Handler() http.Handler { return s.handler }

// Now is the provider's time.
func (s *Server) Now() time.Time { return s.config.Now().Add(s.offset) }

// Close ends hanging answers and outstanding callbacks, and closes the ledger. Stop serving first.
func (s *Server) Close() error {
	s.close()
	s.mu.Lock()
	s.schedule.ready = false
	if s.schedule.timer != nil {
		s.schedule.timer.Stop()
	}
	s.mu.Unlock()
	err := s.gate.Close()
	s.sender.wait()
	return errors.Join(err, s.journal.close())
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	for pattern, e := range s.dialect.Endpoints() {
		mux.HandleFunc(pattern, s.serve(e))
	}
	mux.HandleFunc("/", s.serve(Endpoint{Open: true, Run: func(c *Call) Answer {
		return s.dialect.Refuse(NoSuchPath, c.Method+" "+c.Path)
	}}))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/_simulator/") {
			s.control.ServeHTTP(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
}
