// Package simulator owns the process that imitates all payment providers: one server for each dialect, and the control
// API over them. It does not own the behaviour of a provider (core and the dialects), nor on which ports they listen.
package simulator

import (
	"errors"
	"path/filepath"
	"strings"
	"time"

	"perennial/providers/simulator/core"
)

// Config has the common settings of the simulated providers.
type Config struct {
	Ledger    string // path of Stripe's; the others are in the same folder (ledger.jsonl, ledger.pawapay.jsonl)
	KeyWindow time.Duration
	HangFor   time.Duration
	Now       func() time.Time
	Callbacks map[string]core.Callbacks // by provider; can be changed at run time
}

// Simulator is one simulated provider of each kind.
type Simulator struct {
	providers []*core.Server
}

// New reads the ledgers and is ready to serve. Faults: those of core.New.
func New(c Config) (*Simulator, error) {
	s := &Simulator{}
	for _, dialect := range dialects {
		d := dialect()
		server, err := core.New(core.Config{
			LedgerPath: c.path(d.Name()), IdempotencyWindow: c.KeyWindow, HangFor: c.HangFor, Now: c.Now,
			Callbacks: c.Callbacks[d.Name()],
		}, d)
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.providers = append(s.providers, server)
	}
	return s, nil
}

// path returns the path of a provider's ledger.
func (c Config) path(provider string) string {
	if provider == "stripe" || c.Ledger == "" {
		return c.Ledger
	}
	extension := filepath.Ext(c.Ledger)
	return strings.TrimSuffix(c.Ledger, extension) + "." + provider + extension
}

// Providers are the simulated providers, in the order of their default ports.
func (s *Simulator) Providers() []*core.Server { return s.providers }

// Close closes all. Stop serving first.
func (s *Simulator) Close() (err error) {
	for _, p := range s.providers {
		err = errors.Join(err, p.Close())
	}
	return err
}
