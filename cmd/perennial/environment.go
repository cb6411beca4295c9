package main

import (
	"context"
	"flag"
	"strings"

	"perennial/db"
	"perennial/internal/apikey"
	"perennial/service/usecase"
)

// environmentFlags name an environment.
type environmentFlags struct{ tenant, app, mode string }

func (e *environmentFlags) declare(f *flag.FlagSet) {
	f.StringVar(&e.tenant, "tenant", "", "`name` of the tenant (required)")
	f.StringVar(&e.app, "app", "", "`name` of the app (required)")
	f.StringVar(&e.mode, "mode", "", "which environment of the app, `test|live` (required)")
}

// check refuses what names no environment, without a database.
func (e *environmentFlags) check() error {
	for name, value := range map[string]string{"tenant": e.tenant, "app": e.app, "mode": e.mode} {
		if strings.TrimSpace(value) == "" {
			return usagef("--tenant, --app and --mode are required; --%s is missing", name)
		}
	}
	if mode := apikey.Mode(e.mode); mode != apikey.Test && mode != apikey.Live {
		return usagef("--mode is test or live, not %q", e.mode)
	}
	return nil
}

// find reads the environment. Faults: tenant_not_found, app_not_found, environment_not_found.
func (e *environmentFlags) find(ctx context.Context, store *db.Store) (db.Environment, error) {
	tenant, err := store.TenantNamed(ctx, e.tenant)
	if err != nil {
		return db.Environment{}, err
	}
	app, err := store.AppNamed(ctx, tenant.ID, e.app)
	if err != nil {
		return db.Environment{}, err
	}
	return store.EnvironmentOf(ctx, app.ID, e.mode)
}

// caller is the person at the terminal, in the environment.
func (e *environmentFlags) caller(ctx context.Context, p *process, store *db.Store) (usecase.Caller, error) {
	environment, err := e.find(ctx, store)
	return usecase.Caller{
		Actor: p.actor(), EnvironmentID: environment.ID, Mode: apikey.Mode(e.mode), TimeZone: environment.Settings.TimeZone,
	}, err
}
