package payments

import (
	"context"
	"time"

	"perennial/billing/account"
	"perennial/billing/event"
	"perennial/billing/routing"
	"perennial/db/core"
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
	account.Account
	// CredentialNames are the names of the current version; read only, in lists and where the API reads one.
	CredentialNames []string
	CreatedAt       time.Time // read only
	// Breaker is read only, where the API and what sends payments read it.
	Breaker routing.Breaker
	// Credentials are the sealed versions, the current one first. It is empty where the account has credentials of an
	// older build.
	Credentials []SealedCredentials
	Former      FormerCredentials // read only
	Keyset      []byte            // read only
}

// SealedCredentials are one version of an account's credentials.
type SealedCredentials struct {
	Version   int
	Fields    []string // the names in it; written only
	Sealed    []byte
	CreatedAt time.Time // read only
}

// FormerCredentials were stored by a build before 00033, a column each; both nil: there are none.
type FormerCredentials struct{ SecretKeySealed, WebhookSecretSealed []byte }

// ProviderConfig reads the primary one. Fault: provider_config_not_found.
func (r Reader) ProviderConfig(ctx context.Context, environmentID string) (ProviderConfig, error) {
	row, err := core.Queries.ProviderConfigGetPrimary(ctx, r.Handle, environmentID)
	return providerConfigFromDB(row), core.ReadError("provider_config", err)
}

// ProviderConfigOf reads the configuration through which a transaction was sent. Fault: provider_config_not_found.
func (r Reader) ProviderConfigOf(ctx context.Context, environmentID, id string) (ProviderConfig, error) {
	row, err := core.Queries.ProviderConfigGet(ctx, r.Handle,
		dbsqlc.ProviderConfigGetParams{EnvironmentID: environmentID, ID: id})
	return routedAccount(dbsqlc.RoutingAccountListRow(row)), core.ReadError("provider_config", err)
}

// ProviderConfigByID reads the configuration that an inbound callback names. Global: its signature proves the rest.
// Fault: provider_config_not_found.
func (r Reader) ProviderConfigByID(ctx context.Context, id string) (ProviderConfig, error) {
	row, err := core.Queries.ProviderConfigGetByID(ctx, r.Handle, id)
	return providerConfigFromDB(dbsqlc.ProviderConfigGetPrimaryRow(row)), core.ReadError("provider_config", err)
}

// InsertProviderConfig writes one with its credentials. Fault: primary_provider_exists.
func (tx *Tx) InsertProviderConfig(ctx context.Context, environmentID string, c ProviderConfig) error {
	err := core.Queries.ProviderConfigInsert(ctx, tx.Pipe, dbsqlc.ProviderConfigInsertParams{
		ID: c.ID, EnvironmentID: environmentID, Provider: c.Provider, IsPrimary: c.Primary, Priority: c.Priority,
		LastTestedAt: core.NullTime(c.LastTestedAt), TestError: core.Null(c.TestError),
		FailingSince: core.NullTime(c.FailingSince),
		NextTestAt:   tx.Real.Add(testEvery), CreatedAt: tx.Real,
	})
	if err != nil {
		return err
	}
	if err := core.Queries.EnvironmentRaiseAccountsRevision(ctx, tx.Pipe, environmentID); err != nil {
		return err
	}
	for _, version := range c.Credentials {
		if err := tx.insertCredentials(ctx, environmentID, c.ID, version); err != nil {
			return err
		}
	}
	return nil
}

// MarkProviderFailing notes that a configuration's credentials do not serve, since tx.Real, and announces it with the
// reason. It reports whether that is news. Others that notice it wait until the transaction ends.
func (tx *Tx) MarkProviderFailing(
	ctx context.Context, environmentID string, c ProviderConfig, reason string,
) (news bool, err error) {
	ids, err := core.Queries.ProviderConfigSetFailing(ctx, tx.Pipe, dbsqlc.ProviderConfigSetFailingParams{
		EnvironmentID: environmentID, ID: c.ID, FailingSince: &tx.Real,
	})
	if err != nil || len(ids) == 0 {
		return false, core.Translate("ProviderConfigSetFailing", err)
	}
	said := event.ProviderFailing{ProviderConfig: announced(c), Reason: reason}
	return true, tx.Emit(ctx, environmentID, event.New(said, tx.Real))
}

// MarkProviderRecovered notes that the provider takes a configuration's credentials again, and announces it. It reports
// whether that is news.
func (tx *Tx) MarkProviderRecovered(
	ctx context.Context, environmentID string, c ProviderConfig,
) (news bool, err error) {
	ids, err := core.Queries.ProviderConfigClearFailing(ctx, tx.Pipe, dbsqlc.ProviderConfigClearFailingParams{
		EnvironmentID: environmentID, ID: c.ID,
	})
	if err != nil || len(ids) == 0 {
		return false, core.Translate("ProviderConfigClearFailing", err)
	}
	return true, tx.Emit(ctx, environmentID, event.New(event.ProviderRecovered{ProviderConfig: announced(c)}, tx.Real))
}

// announced is a configuration as events tell of it.
func announced(c ProviderConfig) event.ProviderConfig {
	return event.ProviderConfig{ID: c.ID, Provider: c.Provider}
}

// ClearTestError clears the fault of the last connection test: the provider serves payments.
func (tx *Tx) ClearTestError(ctx context.Context, environmentID, id string) error {
	return core.Queries.ProviderConfigClearTestError(ctx, tx.Pipe,
		dbsqlc.ProviderConfigClearTestErrorParams{EnvironmentID: environmentID, ID: id})
}

func providerConfigFromDB(row dbsqlc.ProviderConfigGetPrimaryRow) ProviderConfig {
	c := providerConfigRow(row.ProviderConfig)
	c.AppID, c.Mode, c.Keyset = row.AppID, row.Mode, row.Keyset
	for i, version := range row.Versions {
		c.Credentials = append(c.Credentials, SealedCredentials{
			Version: version, Sealed: row.Sealed[i], CreatedAt: row.SealedAt[i],
		})
	}
	return c
}

func providerConfigRow(p dbsqlc.ProviderConfig) ProviderConfig {
	return ProviderConfig{
		ID: p.ID, EnvironmentID: p.EnvironmentID, Provider: p.Provider, CreatedAt: p.CreatedAt,
		Account: account.Account{
			Primary: p.IsPrimary, Priority: p.Priority, DisabledAt: core.Value(p.DisabledAt), DeletedAt: core.Value(p.DeletedAt),
			ChargingPausedAt: core.Value(p.ChargingPausedAt), FailingSince: core.Value(p.FailingSince),
			LastTestedAt: core.Value(p.LastTestedAt), TestError: core.Value(p.TestError),
			MaxRequestsPerSecond: core.Value(p.MaxRequestsPerSecond),
		},
		Former: FormerCredentials{p.SecretKeySealed, p.WebhookSecretSealed},
	}
}
