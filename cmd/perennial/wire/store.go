package wire

import (
	"context"

	"perennial/cmd/perennial/cli"
	"perennial/db"
	"perennial/internal/config"
	"perennial/internal/telemetry"
	"perennial/service/dispatch"
	"perennial/service/engine"
	"perennial/service/gateway"
)

// WithDispatcher is WithStore for a command whose commits have effects, which are dispatched as in the API. Temporal
// may be unavailable: a warning says what is then left to the reconciler.
func WithDispatcher(ctx context.Context, p *cli.Process, name string, do func(*db.Store) error) (err error) {
	c, err := p.Config(config.Payment)
	if err != nil {
		return err
	}
	t, err := telemetry.Start(ctx, telemetry.Options{
		Service: "perennial-" + name, LogLevel: "warn", LogOutput: p.Stderr, Now: p.Now,
	})
	if err != nil {
		return err
	}
	defer func() { _ = t.Close(ctx) }() // nothing is buffered
	temporal, err := Temporal(c.Temporal, t)
	if err != nil {
		return err
	}
	defer temporal.Close()
	store, err := db.Open(ctx, db.Config{
		URL: c.Database.URL.Reveal(), MaxConns: 2, Clock: p.Now, Limits: gateway.Limits, ApplicationName: "perennial " + name,
	})
	if err != nil {
		return err
	}
	defer store.Close()
	d := dispatch.New(dispatch.Config{Store: store, Engine: engine.New(temporal), Now: p.Now, Log: t.Logger})
	defer d.Close() // before the store
	return do(store.With(d))
}

// WithStore opens a small pool for one command.
func WithStore(ctx context.Context, p *cli.Process, do func(*db.Store, config.Config) error) error {
	c, err := p.Config(config.Key)
	if err != nil {
		return err
	}
	store, err := db.Open(ctx, db.Config{
		URL: c.Database.URL.Reveal(), MaxConns: 2, Clock: p.Now, Limits: gateway.Limits, ApplicationName: "perennial key",
	})
	if err != nil {
		return err
	}
	defer store.Close()
	return do(store, c)
}
