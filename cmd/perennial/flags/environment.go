package flags

import (
	"context"
	"flag"
	"strings"

	"perennial/cmd/perennial/cli"
	"perennial/db"
	"perennial/internal/apikey"
	"perennial/service/usecase"
)

// Environment is the flags that name an environment.
type Environment struct{ Tenant, App, Mode string }

// Declare adds the flags.
func (e *Environment) Declare(f *flag.FlagSet) {
	f.StringVar(&e.Tenant, "tenant", "", "`name` of the tenant (required)")
	f.StringVar(&e.App, "app", "", "`name` of the app (required)")
	f.StringVar(&e.Mode, "mode", "", "which environment of the app, `test|live` (required)")
}

// Check refuses what names no environment, without a database.
func (e *Environment) Check() error {
	for name, value := range map[string]string{"tenant": e.Tenant, "app": e.App, "mode": e.Mode} {
		if strings.TrimSpace(value) == "" {
			return cli.Usagef("--tenant, --app and --mode are required; --%s is missing", name)
		}
	}
	if mode := apikey.Mode(e.Mode); mode != apikey.Test && mode != apikey.Live {
		return cli.Usagef("--mode is test or live, not %q", e.Mode)
	}
	return nil
}

// find reads the environment. Faults: tenant_not_found, app_not_found, environment_not_found.
func (e *Environment) find(ctx context.Context, store *db.Store) (db.Environment, error) {
	tenant, err := store.Tenancy.TenantNamed(ctx, e.Tenant)
	if err != nil {
		return db.Environment{}, err
	}
	app, err := store.Tenancy.AppNamed(ctx, tenant.ID, e.App)
	if err != nil {
		return db.Environment{}, err
	}
	return store.Tenancy.EnvironmentOf(ctx, app.ID, e.Mode)
}

// Caller is the person at the terminal, in the environment.
func (e *Environment) Caller(ctx context.Context, p *cli.Process, store *db.Store) (usecase.Caller, error) {
	environment, err := e.find(ctx, store)
	return usecase.Caller{
		Actor: p.Actor(), EnvironmentID: environment.ID, Mode: apikey.Mode(e.Mode), TimeZone: environment.Settings.TimeZone,
	}, err
}
