package main

import (
	"context"

	"perennial/db"
	"perennial/internal/config"
	"perennial/internal/telemetry"
	"perennial/service/dispatch"
	"perennial/service/engine"
	"perennial/service/gateway"
)

// withDispatcher is withStore for a command whose transactions have something follow their commits, which is dispatched
// as the API does it. Temporal may be away: a warning says what is then left to the reconciler.
func withDispatcher(ctx context.Context, p *process, name string, do func(*db.Store) error) (err error) {
	c, err := p.config(config.Payment)
	if err != nil {
		return err
	}
	t, err := telemetry.Start(ctx, telemetry.Options{
		Service: "perennial-" + name, LogLevel: "warn", LogOutput: p.stderr, Now: p.now,
	})
	if err != nil {
		return err
	}
	defer func() { _ = t.Close(ctx) }() // nothing is buffered
	temporal, err := temporalClient(c.Temporal, t)
	if err != nil {
		return err
	}
	defer temporal.Close()
	store, err := db.Open(ctx, db.Config{
		URL: c.Database.URL.Reveal(), MaxConns: 2, Clock: p.now, Limits: gateway.Limits, ApplicationName: "perennial " + name,
	})
	if err != nil {
		return err
	}
	defer store.Close()
	d := dispatch.New(dispatch.Config{Store: store, Engine: engine.New(temporal), Now: p.now, Log: t.Logger})
	defer d.Close() // before the store
	return do(store.With(d))
}
