package db

import (
	"context"
	"time"

	"perennial/db/internal/dbsqlc"
)

// ProviderConfig is an environment's account at a payment provider. Credentials are sealed with the app's keyset, which
// comes along wrapped by the key-encryption key.
type ProviderConfig struct {
	ID            string
	EnvironmentID string
	AppID         string // read only
	Mode          string // read only: "test" or "live"
	Provider      string
	Primary       bool
	// Credentials are the sealed versions, the current one first. Empty where the account has those of an older build.
	Credentials []SealedCredentials
	Former      FormerCredentials // read only
	Keyset      []byte            // read only
	// FailingSince is since when, in real time, the provider refuses the credentials; zero: it takes them. Written by
	// MarkProviderFailing and MarkProviderRecovered only.
	FailingSince time.Time
}

// SealedCredentials are one version of an account's credentials.
type SealedCredentials struct {
	Version   int
	Fields    []string // the names in it; written only
	Sealed    []byte
	CreatedAt time.Time // read only
}

// FormerCredentials are those that a build before 00033 stored, a column each; both nil: there are none.
type FormerCredentials struct{ SecretKeySealed, WebhookSecretSealed []byte }

// ProviderConfig reads the primary one. Fault: provider_config_not_found.
func (r Reader) ProviderConfig(ctx context.Context, environmentID string) (ProviderConfig, error) {
	row, err := queries.ProviderConfigGetPrimary(ctx, r.handle, environmentID)
	return providerConfigFromDB(row), readError("provider_config", err)
}

// ProviderConfigOf reads the one that a transaction was sent through. Fault: provider_config_not_found.
func (r Reader) ProviderConfigOf(ctx context.Context, environmentID, id string) (ProviderConfig, error) {
	row, err := queries.ProviderConfigGet(ctx, r.handle,
		dbsqlc.ProviderConfigGetParams{EnvironmentID: environmentID, ID: id})
	return providerConfigFromDB(dbsqlc.ProviderConfigGetPrimaryRow(row)), readError("provider_config", err)
}

// ProviderConfigByID reads the one that an inbound callback names. Global: its signature proves the rest. Fault:
// provider_config_not_found.
func (r Reader) ProviderConfigByID(ctx context.Context, id string) (ProviderConfig, error) {
	row, err := queries.ProviderConfigGetByID(ctx, r.handle, id)
	return providerConfigFromDB(dbsqlc.ProviderConfigGetPrimaryRow(row)), readError("provider_config", err)
}

// InsertProviderConfig writes one with its credentials. Fault: primary_provider_exists.
func (tx *Tx) InsertProviderConfig(ctx context.Context, environmentID string, c ProviderConfig) error {
	err := queries.ProviderConfigInsert(ctx, tx.pipe, dbsqlc.ProviderConfigInsertParams{
		ID: c.ID, EnvironmentID: environmentID, Provider: c.Provider, IsPrimary: c.Primary, CreatedAt: tx.Real,
	})
	if err != nil {
		return err
	}
	for _, version := range c.Credentials {
		if err := tx.insertCredentials(ctx, environmentID, c.ID, version); err != nil {
			return err
		}
	}
	return nil
}

// MarkProviderFailing notes that the provider refuses a configuration's credentials, since tx.Real, and reports whether
// that is news. Others that notice it wait until the transaction ends.
func (tx *Tx) MarkProviderFailing(ctx context.Context, environmentID, id string) (news bool, err error) {
	ids, err := queries.ProviderConfigSetFailing(ctx, tx.pipe, dbsqlc.ProviderConfigSetFailingParams{
		EnvironmentID: environmentID, ID: id, FailingSince: &tx.Real,
	})
	return len(ids) > 0, translate("ProviderConfigSetFailing", err)
}

// MarkProviderRecovered notes that the provider takes a configuration's credentials again,
// and reports whether that is news.
func (tx *Tx) MarkProviderRecovered(ctx context.Context, environmentID, id string) (news bool, err error) {
	ids, err := queries.ProviderConfigClearFailing(ctx, tx.pipe, dbsqlc.ProviderConfigClearFailingParams{
		EnvironmentID: environmentID, ID: id,
	})
	return len(ids) > 0, translate("ProviderConfigClearFailing", err)
}

func providerConfigFromDB(row dbsqlc.ProviderConfigGetPrimaryRow) ProviderConfig {
	p := row.ProviderConfig
	c := ProviderConfig{
		ID: p.ID, EnvironmentID: p.EnvironmentID, AppID: row.AppID, Mode: row.Mode, Provider: p.Provider,
		Primary: p.IsPrimary, Keyset: row.Keyset, FailingSince: value(p.FailingSince),
		Former: FormerCredentials{p.SecretKeySealed, p.WebhookSecretSealed},
	}
	for i, version := range row.Versions {
		c.Credentials = append(c.Credentials, SealedCredentials{
			Version: version, Sealed: row.Sealed[i], CreatedAt: row.SealedAt[i],
		})
	}
	return c
}
