package tenancy

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"perennial/billing/fault"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// KeyListing has the parts of an API key that people may see.
type KeyListing struct {
	ID            string
	EnvironmentID string
	Tenant, App   string // names
	Mode          string
	Kind          string
	Name, Hint    string
	Scopes        []string
	CreatedAt     time.Time
	ExpiresAt     time.Time
	RevokedAt     time.Time
	LastUsedAt    time.Time
}

// TenantNamed finds the oldest tenant of a name. Global. Fault: tenant_not_found.
func (r Reader) TenantNamed(ctx context.Context, name string) (Tenant, error) {
	row, err := core.Queries.TenantGetByName(ctx, r.Handle, name)
	if errors.Is(err, pgx.ErrNoRows) {
		return Tenant{}, fault.New(fault.NotFound, "tenant_not_found", "No tenant has the name %q. Check the spelling.", name)
	}
	return Tenant(row.Tenant), core.Translate("tenant", err)
}

// AppNamed finds a tenant's oldest app of a name. Fault: app_not_found.
func (r Reader) AppNamed(ctx context.Context, tenantID, name string) (App, error) {
	row, err := core.Queries.AppGetByName(ctx, r.Handle, dbsqlc.AppGetByNameParams{TenantID: tenantID, Name: name})
	if errors.Is(err, pgx.ErrNoRows) {
		return App{}, fault.New(fault.NotFound, "app_not_found", "The tenant has no app of the name %q. Check the spelling.", name)
	}
	return appFromDB(row.App), core.Translate("app", err)
}

// EnvironmentOf finds the test or the live half of an app. Fault: environment_not_found.
func (r Reader) EnvironmentOf(ctx context.Context, appID, mode string) (Environment, error) {
	row, err := core.Queries.EnvironmentGetByMode(ctx, r.Handle,
		dbsqlc.EnvironmentGetByModeParams{AppID: appID, Mode: mode})
	if err != nil {
		if errors.Is(err, pgx.ErrNoRows) {
			return Environment{}, fault.New(fault.NotFound, "environment_not_found", "The app has no %s environment.", mode)
		}
		return Environment{}, core.Translate("environment", err)
	}
	return EnvironmentFromDB(row.Environment, row.TenantID), nil
}

// Environments reads all of them. Global.
func (r Reader) Environments(ctx context.Context) ([]Environment, error) {
	rows, err := core.Queries.EnvironmentListAll(ctx, r.Handle)
	if err != nil {
		return nil, core.Translate("EnvironmentListAll", err)
	}
	environments := make([]Environment, len(rows))
	for i, row := range rows {
		environments[i] = EnvironmentFromDB(row.Environment, row.TenantID)
	}
	return environments, nil
}

// Keys lists every API key, oldest first. Global.
func (r Reader) Keys(ctx context.Context) ([]KeyListing, error) {
	rows, err := core.Queries.APIKeyList(ctx, r.Handle)
	if err != nil {
		return nil, core.Translate("APIKeyList", err)
	}
	keys := make([]KeyListing, len(rows))
	for i, k := range rows {
		keys[i] = KeyListing{
			ID: k.ID, EnvironmentID: k.EnvironmentID, Tenant: k.Tenant, App: k.App, Mode: k.Mode, Kind: k.Kind,
			Name: k.Name, Hint: k.Hint, LastUsedAt: core.Value(k.LastUsedAt),
			Scopes: k.Scopes, CreatedAt: k.CreatedAt, ExpiresAt: core.Value(k.ExpiresAt), RevokedAt: core.Value(k.RevokedAt),
		}
	}
	return keys, nil
}

// EnvironmentOfKey reports which environment a key opens, by the key's ID. Global. Fault: api_key_not_found.
func (r Reader) EnvironmentOfKey(ctx context.Context, keyID string) (string, error) {
	environmentID, err := core.Queries.APIKeyGetEnvironment(ctx, r.Handle, keyID)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", core.NotFound("api_key")
	}
	return environmentID, core.Translate("APIKeyGetEnvironment", err)
}
