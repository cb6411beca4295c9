package serve

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"perennial/cmd/perennial/cli"
	"perennial/internal/config"
	"perennial/providers/simulator"
	"perennial/providers/simulator/core"
)

// SimulatorCommand is `perennial simulator`.
func SimulatorCommand() *cli.Command {
	return &cli.Command{
		Name: "simulator", Summary: "run the payment provider simulator",
		About: "It speaks the dialect of every payment provider, each on a port of its own, and keeps a ledger of the money that\n" +
			"moved. Point STRIPE_API_URL, ADYEN_API_URL, PAWAPAY_API_URL and FLUTTERWAVE_API_URL at the ports, and steer the\n" +
			"providers below /_simulator/ on the control port. Its settings begin with SIMULATOR_. Never let anything but\n" +
			"tests reach it.",
		Examples: []string{
			"perennial simulator",
			"SIMULATOR_ADDRESS=127.0.0.1:9000 SIMULATOR_LEDGER=/tmp/ledger.jsonl perennial simulator",
			"curl http://127.0.0.1:8094/_simulator/ledger",
		},
		Setup: func(*flag.FlagSet) cli.Action {
			return func(ctx context.Context, p *cli.Process, _ []string) error {
				c, err := p.Config(config.Simulator)
				if err != nil {
					return err
				}
				s, err := StartSimulator(ctx, p, c.Simulator)
				if err != nil {
					return err
				}
				for _, name := range s.Names() {
					// a courtesy
					_, _ = fmt.Fprintf(p.Stderr, "simulator: %s listens on %s\n", name, s.URL(name))
				}
				_, _ = fmt.Fprintf(
					p.Stderr, "simulator: control listens on %s, ledger in %s\n", s.ControlURL(), c.Simulator.Ledger,
				)
				select {
				case <-ctx.Done():
				case err = <-s.failed:
				}
				return errors.Join(err, s.Stop(ctx))
			}
		},
	}
}

// Simulated is a running simulator: one port for each provider, and one to control them.
type Simulated struct {
	control   *listener
	failed    chan error // gets what ended one of the ports
	providers map[string]*listener
	simulator *simulator.Simulator
	stopped   chan struct{}
}

// StartSimulator reads the ledgers before it listens: a capture before a restart must stay a capture, as at a provider.
func StartSimulator(ctx context.Context, p *cli.Process, c config.SimulatorSettings) (*Simulated, error) {
	if err := os.MkdirAll(filepath.Dir(c.Ledger), 0o755); err != nil {
		return nil, fmt.Errorf("SIMULATOR_LEDGER: %w", err)
	}
	sim, err := simulator.New(simulator.Config{
		Ledger: c.Ledger, Now: p.Now, KeyWindow: c.KeyWindow, HangFor: c.HangFor,
		Callbacks: map[string]core.Callbacks{"stripe": {URL: c.CallbackURL, Secret: c.CallbackSecret.Reveal()}},
	})
	if err != nil {
		return nil, err
	}
	s := &Simulated{
		failed: make(chan error, 1), providers: map[string]*listener{}, simulator: sim, stopped: make(chan struct{}),
	}
	if err := s.listen(ctx, c); err != nil {
		return nil, errors.Join(err, s.Stop(ctx))
	}
	return s, nil
}

func (s *Simulated) listen(ctx context.Context, c config.SimulatorSettings) error {
	at := simulatorAddresses(c)
	for _, provider := range s.simulator.Providers() {
		a, ok := at[provider.Name()]
		if !ok {
			return fmt.Errorf("the simulated %s has no port", provider.Name())
		}
		inner, err := provider.Listen(a.address) // its own listener, because outages close the port
		if err != nil {
			return fmt.Errorf("%s: %w", a.variable, err)
		}
		s.providers[provider.Name()] = s.watch(serveOn(inner, provider.Handler()))
	}
	control, err := listenOn(ctx, c.ControlAddress, s.simulator.Control())
	if err != nil {
		return fmt.Errorf("SIMULATOR_CONTROL_ADDRESS: %w", err)
	}
	s.control = s.watch(control)
	return nil
}

// simulatorAddress is the address of a simulated provider, and the variable that sets it.
type simulatorAddress struct{ address, variable string }

func simulatorAddresses(c config.SimulatorSettings) map[string]simulatorAddress {
	return map[string]simulatorAddress{
		"stripe":      {c.ListenAddress, "SIMULATOR_ADDRESS"},
		"adyen":       {c.AdyenAddress, "SIMULATOR_ADYEN_ADDRESS"},
		"pawapay":     {c.PawaPayAddress, "SIMULATOR_PAWAPAY_ADDRESS"},
		"flutterwave": {c.FlutterwaveAddress, "SIMULATOR_FLUTTERWAVE_ADDRESS"},
	}
}

// watch passes on what ends a port.
func (s *Simulated) watch(l *listener) *listener {
	go func() {
		select {
		case err := <-l.failed:
			select {
			case s.failed <- err:
			default: // another port failed before
			}
		case <-s.stopped:
		}
	}()
	return l
}

// Names are the providers in the order of their ports.
func (s *Simulated) Names() (list []string) {
	for _, p := range s.simulator.Providers() {
		list = append(list, p.Name())
	}
	return list
}

// URL returns the address of a simulated provider.
func (s *Simulated) URL(provider string) string { return s.providers[provider].url() }

// ControlURL returns the address of the controls of the simulated providers.
func (s *Simulated) ControlURL() string { return s.control.url() }

// Stop closes the ports.
func (s *Simulated) Stop(ctx context.Context) (err error) {
	close(s.stopped)
	for _, l := range s.providers {
		err = errors.Join(err, l.stop(ctx, time.Second))
	}
	if s.control != nil {
		err = errors.Join(err, s.control.stop(ctx, time.Second))
	}
	return errors.Join(err, s.simulator.Close())
}
