package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"perennial/internal/config"
	"perennial/providers/simulator/core"
	"perennial/providers/simulator/stripesim"
)

func simulatorCommand() *command {
	return &command{
		name: "simulator", summary: "run the payment provider simulator",
		about: "It speaks Stripe's dialect and keeps a ledger of the money that moved. Point STRIPE_API_URL at it, and steer it\n" +
			"below /_simulator/. Its settings begin with SIMULATOR_. Never let anything but tests reach it.",
		examples: []string{
			"perennial simulator", "SIMULATOR_ADDRESS=127.0.0.1:9000 SIMULATOR_LEDGER=/tmp/ledger.jsonl perennial simulator",
		},
		setup: func(*flag.FlagSet) action {
			return func(ctx context.Context, p *process, _ []string) error {
				c, err := p.config(config.Simulator)
				if err != nil {
					return err
				}
				s, err := startSimulator(p, c.Simulator)
				if err != nil {
					return err
				}
				// a courtesy
				_, _ = fmt.Fprintf(p.stderr, "simulator: listening on %s, ledger in %s\n", s.url(), c.Simulator.Ledger)
				select {
				case <-ctx.Done():
				case err = <-s.failed:
				}
				return errors.Join(err, s.stop(ctx))
			}
		},
	}
}

// simulated is a running simulator.
type simulated struct {
	*listener
	server *core.Server
}

// startSimulator reads the ledger back before it listens:
// what was captured before a restart must stay captured, as at a provider.
func startSimulator(p *process, c config.SimulatorSettings) (*simulated, error) {
	if err := os.MkdirAll(filepath.Dir(c.Ledger), 0o755); err != nil {
		return nil, fmt.Errorf("SIMULATOR_LEDGER: %w", err)
	}
	server, err := core.New(core.Config{
		LedgerPath: c.Ledger, Now: p.now, IdempotencyWindow: c.KeyWindow, HangFor: c.HangFor,
		Callbacks: core.Callbacks{URL: c.CallbackURL, Secret: c.CallbackSecret.Reveal()},
	}, stripesim.New(stripesim.Config{}))
	if err != nil {
		return nil, err
	}
	inner, err := server.Listen(c.ListenAddress) // its own listener, because outages close the port
	if err != nil {
		return nil, errors.Join(fmt.Errorf("SIMULATOR_ADDRESS: %w", err), server.Close())
	}
	return &simulated{listener: serveOn(inner, server.Handler()), server: server}, nil
}

func (s *simulated) stop(ctx context.Context) error {
	return errors.Join(s.listener.stop(ctx, time.Second), s.server.Close())
}
