// Package simulator owns a stand-in for the payment providers: an HTTP server that speaks Stripe's dialect, misbehaves
// on request, and keeps a ledger of its own on disk, so that a test can ask afterwards what money really moved. It
// does not own any opinion on what a caller should do about its answers. README.md says what it imitates.
package simulator

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"perennial/billing/fault"
)

// Config says where the ledger lives and how the simulated provider behaves.
type Config struct {
	LedgerPath        string           // append-only file; created where absent, read back where present
	SecretKeys        []string         // accepted keys; empty accepts every well-formed sk_ and rk_ key
	IdempotencyWindow time.Duration    // how long a key is remembered; default 24 h, as Stripe promises
	HangFor           time.Duration    // how long a hanging answer hangs before its connection is cut; default 60 s
	SearchLag         time.Duration    // how long a new payment intent stays invisible to search; default none
	Callbacks         Callbacks        // where signed events go; can be changed at run time
	Now               func() time.Time // real time, unless a test wants keys to grow old
}

// Server is the simulated provider. Serve its Handler,
// on the listener that Listen gives if outages shall refuse connections.
type Server struct {
	config  Config
	gate    *gate
	handler http.Handler
	journal *journal
	keys    map[string]bool
	sender  *sender

	closing context.Context
	close   context.CancelFunc

	mu       sync.Mutex // guards what follows; never held while waiting for disk or network
	inFlight map[string]string
	outage   outage
	state    *state
	timers   map[string]*time.Timer
}

// New reads the ledger back and is ready to serve.
// Faults: `ledger_missing`, `clock_missing`, `ledger_corrupt`, `ledger_in_use`.
func New(c Config) (*Server, error) {
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
	st := newState()
	j, err := openJournal(c.LedgerPath, st.apply)
	if err != nil {
		return nil, err
	}
	closing, cancel := context.WithCancel(context.Background())
	s := &Server{
		config: c, gate: newGate(closing), journal: j, keys: map[string]bool{},
		closing: closing, close: cancel,
		inFlight: map[string]string{}, state: st, timers: map[string]*time.Timer{},
	}
	for _, k := range c.SecretKeys {
		s.keys[k] = true
	}
	s.sender = newSender(closing, c.Callbacks, c.Now)
	s.handler = s.routes()
	s.mu.Lock()
	defer s.mu.Unlock()
	for id := range s.state.pending {
		s.armTimer(s.state.intents[id])
	}
	return s, nil
}

// Handler serves both the provider's API and /_simulator/.
func (s *Server) Handler() http.Handler { return s.handler }

// Close ends hanging answers and outstanding callbacks, and closes the ledger. Stop serving first.
func (s *Server) Close() error {
	s.close()
	s.mu.Lock()
	for _, t := range s.timers {
		t.Stop()
	}
	s.mu.Unlock()
	err := s.gate.Close()
	s.sender.wait()
	return errors.Join(err, s.journal.close())
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	for pattern, e := range stripeEndpoints {
		mux.HandleFunc(pattern, s.serve(e))
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		write(w, invalid(http.StatusNotFound, "", "",
			"Unrecognized request URL (%s: %s). The simulator imitates only the paths its README lists.", r.Method, r.URL.Path))
	})
	admin := s.adminRoutes()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/_simulator/") {
			admin.ServeHTTP(w, r)
			return
		}
		if !s.suffer(w, r) {
			mux.ServeHTTP(w, r)
		}
	})
}
