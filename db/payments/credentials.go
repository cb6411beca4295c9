package payments

import (
	"context"
	"time"

	"perennial/billing/account"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
	"perennial/internal/id"
)

// AccountListing has the parts of an environment's account at a payment provider that people may see.
type AccountListing struct {
	ID            string
	EnvironmentID string
	Tenant, App   string // names
	Mode          string // "test" or "live"
	Provider      string
	account.Account
	EnvironmentPausedAt time.Time // since when charging is paused in the whole environment; zero: it is not
	Fields              []string  // the names of its credentials
	CreatedAt           time.Time
	ChangedAt           time.Time // when its credentials or settings last changed
}

// Accounts lists every provider configuration, oldest first. Global.
func (r Reader) Accounts(ctx context.Context) ([]AccountListing, error) {
	found, err := core.Queries.ProviderConfigListAll(ctx, r.Handle)
	return core.Map(found, func(f dbsqlc.ProviderConfigListAllRow) AccountListing {
		c := providerConfigRow(f.ProviderConfig)
		return AccountListing{
			ID: c.ID, EnvironmentID: c.EnvironmentID, Tenant: f.Tenant, App: f.App, Mode: f.Mode, Provider: c.Provider,
			Account: c.Account, EnvironmentPausedAt: core.Value(f.EnvironmentPausedAt), Fields: f.Fields, CreatedAt: c.CreatedAt,
			ChangedAt: f.ChangedAt,
		}
	}), core.Translate("ProviderConfigListAll", err)
}

// LockCredentials brings a configuration up to date, and its app's keyset, and holds both until the transaction ends.
// Fault: provider_config_not_found.
func (tx *Tx) LockCredentials(ctx context.Context, c ProviderConfig) (ProviderConfig, error) {
	if _, err := core.Queries.AppLockKeyset(ctx, tx.Pipe, c.AppID); err != nil {
		return c, core.ReadError("provider_config", err)
	}
	_, err := core.Queries.ProviderConfigLock(ctx, tx.Pipe,
		dbsqlc.ProviderConfigLockParams{EnvironmentID: c.EnvironmentID, ID: c.ID})
	if err != nil {
		return c, core.ReadError("provider_config", err)
	}
	return tx.ProviderConfigOf(ctx, c.EnvironmentID, c.ID) // after the locks: it sees the changes that they waited for
}

// CredentialNames returns which credentials a configuration has. Fault: provider_config_not_found.
func (r Reader) CredentialNames(ctx context.Context, environmentID, configID string) ([]string, error) {
	names, err := core.Queries.ProviderCredentialNames(ctx, r.Handle,
		dbsqlc.ProviderCredentialNamesParams{EnvironmentID: environmentID, ID: configID})
	return names, core.ReadError("provider_config", err)
}

// SecretOverlap is the time for which a callback secret that was replaced still verifies callbacks: the provider signs
// with it until it is changed there too, and such callbacks arrive late.
const SecretOverlap = 24 * time.Hour

// SaveCredentials adds a version of the credentials of a configuration, deletes unused ones, and records which fields
// the actor replaced.
func (tx *Tx) SaveCredentials(
	ctx context.Context, environmentID, configID string, version SealedCredentials, changed []string,
) error {
	if err := tx.insertCredentials(ctx, environmentID, configID, version); err != nil {
		return err
	}
	err := core.Queries.ProviderConfigClearSealed(ctx, tx.Pipe,
		dbsqlc.ProviderConfigClearSealedParams{EnvironmentID: environmentID, ID: configID})
	if err != nil {
		return err
	}
	err = core.Queries.ProviderCredentialsPurge(ctx, tx.Pipe, dbsqlc.ProviderCredentialsPurgeParams{
		EnvironmentID: environmentID, ProviderConfigID: configID, ReplacedBefore: tx.Real.Add(-SecretOverlap),
	})
	if err != nil {
		return err
	}
	return tx.NoteProviderChange(ctx, environmentID, configID, changed)
}

// NoteProviderChange records which fields of a configuration the actor changed, without their values. Payments that no
// account could take are tried again.
func (tx *Tx) NoteProviderChange(ctx context.Context, environmentID, configID string, changed []string) error {
	if err := core.Queries.EnvironmentRaiseAccountsRevision(ctx, tx.Pipe, environmentID); err != nil {
		return err
	}
	return core.Queries.CredentialChangeInsert(ctx, tx.Pipe, dbsqlc.CredentialChangeInsertParams{
		ID: id.New(id.CredentialChange, tx.Real), EnvironmentID: environmentID, ProviderConfigID: configID, Fields: changed,
		ActorKind: string(tx.By.Kind()), ActorID: tx.By.ID(), ChangedAt: tx.Real,
	})
}

func (tx *Tx) insertCredentials(ctx context.Context, environmentID, configID string, version SealedCredentials) error {
	return core.Queries.ProviderCredentialsInsert(ctx, tx.Pipe, dbsqlc.ProviderCredentialsInsertParams{
		EnvironmentID: environmentID, ProviderConfigID: configID, Version: version.Version,
		Fields: version.Fields, Sealed: version.Sealed, CreatedAt: tx.Real,
	})
}

// SaveKeyset writes the wrapped keyset of an app. Data sealed with another one does not decrypt any more.
func (tx *Tx) SaveKeyset(ctx context.Context, appID string, wrapped []byte) error {
	return core.Queries.AppSetKeyset(ctx, tx.Pipe, dbsqlc.AppSetKeysetParams{Keyset: wrapped, ID: appID})
}

// CredentialChange is one replacement of credentials.
type CredentialChange struct {
	Fields    []string // names of credentials, or what else changed; keyset: the app got a new one
	ActorKind core.ActorKind
	ActorID   string
	ChangedAt time.Time
}

// CredentialChanges lists the changes of a provider configuration, oldest first.
func (r Reader) CredentialChanges(ctx context.Context, environmentID, configID string) ([]CredentialChange, error) {
	found, err := core.Queries.CredentialChangeList(ctx, r.Handle, dbsqlc.CredentialChangeListParams{
		EnvironmentID: environmentID, ProviderConfigID: configID,
	})
	return core.Map(found, func(f dbsqlc.CredentialChangeListRow) CredentialChange {
		return CredentialChange{f.Fields, core.ActorKind(f.ActorKind), f.ActorID, f.ChangedAt}
	}), core.Translate("CredentialChangeList", err)
}
