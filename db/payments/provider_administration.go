package payments

import (
	"context"
	"time"

	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
	"perennial/db/tenancy"
)

// testEvery is the time between two automatic tests of a connection.
const testEvery = 24 * time.Hour

// ProviderConfigWithKey reads key and configuration in one round trip. A deleted one is absent. Faults:
// api_key_unknown; provider_config_not_found, with the key.
func (r Reader) ProviderConfigWithKey(ctx context.Context, hash []byte, id string) (core.APIKey, ProviderConfig,
	error) {
	row, err := core.Queries.ProviderConfigGetWithKey(ctx, r.Handle,
		dbsqlc.ProviderConfigGetWithKeyParams{Hash: hash, ID: id})
	if err != nil {
		key, err := r.WithoutResource(ctx, hash, "provider_config", err)
		return key, ProviderConfig{}, err
	}
	c := providerConfigRow(row.ProviderConfig)
	c.CredentialNames, c.Breaker = row.Fields, breakerOf(row.Failures, row.FailingSince, row.OpenedAt, row.ProbeAt)
	return core.APIKeyFromDB(row.ApiKeyDetail), c, nil
}

// ProviderConfigs lists an environment's configurations, without the deleted ones and without sealed data, the newest
// first.
func (r Reader) ProviderConfigs(ctx context.Context, environmentID string) ([]ProviderConfig, error) {
	rows, err := core.Queries.ProviderConfigList(ctx, r.Handle, environmentID)
	return core.Map(rows, func(row dbsqlc.ProviderConfigListRow) ProviderConfig {
		c := providerConfigRow(row.ProviderConfig)
		c.CredentialNames, c.Breaker = row.Fields, breakerOf(row.Failures, row.FailingSince, row.OpenedAt, row.ProbeAt)
		return c
	}), core.Translate("ProviderConfigList", err)
}

// HasPendingPayments reports whether a configuration has a pending charge or refund, including one that was sent to it
// before and that it may still have taken.
func (r Reader) HasPendingPayments(ctx context.Context, environmentID, configID string) (bool, error) {
	pending, err := core.Queries.ProviderConfigHasPending(ctx, r.Handle,
		dbsqlc.ProviderConfigHasPendingParams{EnvironmentID: environmentID, ProviderConfigID: configID})
	return pending, core.Translate("ProviderConfigHasPending", err)
}

// LockProviderConfigs keeps every other change of the app's accounts waiting until the transaction ends, and returns
// the mode of the environment and the app with its keyset, wrapped by the key-encryption key.
func (tx *Tx) LockProviderConfigs(ctx context.Context, environmentID string) (mode string, app tenancy.App, err error) {
	row, err := core.Queries.ProviderAdministrationLock(ctx, tx.Pipe, environmentID)
	return row.Mode, tenancy.App{ID: row.AppID, Keyset: row.Keyset}, core.ReadError("environment", err)
}

// SaveProviderConfig writes the settings of a configuration, and records which fields the actor changed. Clear the mark
// of the primary one before another gets it.
func (tx *Tx) SaveProviderConfig(ctx context.Context, environmentID string, c ProviderConfig, changed []string) error {
	err := core.Queries.ProviderConfigUpdate(ctx, tx.Pipe, dbsqlc.ProviderConfigUpdateParams{
		EnvironmentID: environmentID, ID: c.ID, IsPrimary: c.Primary, Priority: c.Priority,
		DisabledAt: core.NullTime(c.DisabledAt), DeletedAt: core.NullTime(c.DeletedAt),
		ChargingPausedAt:     core.NullTime(c.ChargingPausedAt),
		MaxRequestsPerSecond: core.Null(c.MaxRequestsPerSecond),
	})
	if err != nil {
		return err
	}
	return tx.NoteProviderChange(ctx, environmentID, c.ID, changed)
}

// SaveProviderTest writes the result of a connection test. The next automatic one is a day later.
func (tx *Tx) SaveProviderTest(ctx context.Context, environmentID string, c ProviderConfig) error {
	return core.Queries.ProviderConfigSetTested(ctx, tx.Pipe, dbsqlc.ProviderConfigSetTestedParams{
		EnvironmentID: environmentID, ID: c.ID, LastTestedAt: c.LastTestedAt, TestError: core.Null(c.TestError),
		NextTestAt: c.LastTestedAt.Add(testEvery),
	})
}

// ClaimProviderTest takes one configuration whose daily test is due, so that no other process tests it; found is false
// where there is none. Global.
func (tx *Tx) ClaimProviderTest(ctx context.Context) (environmentID, configID string, found bool, err error) {
	rows, err := core.Queries.ProviderConfigClaimTest(ctx, tx.Pipe,
		dbsqlc.ProviderConfigClaimTestParams{Now: tx.Real, NextTestAt: tx.Real.Add(testEvery)})
	if err != nil || len(rows) == 0 {
		return "", "", false, core.Translate("ProviderConfigClaimTest", err)
	}
	return rows[0].EnvironmentID, rows[0].ID, true, nil
}
