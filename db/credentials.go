package db

import (
	"context"
	"time"

	"perennial/db/internal/dbsqlc"
	"perennial/internal/id"
)

// AccountListing is what people may see of an environment's account at a payment provider.
type AccountListing struct {
	ID               string
	EnvironmentID    string
	Tenant, App      string // names
	Mode             string // "test" or "live"
	Provider         string
	HasWebhookSecret bool
	CreatedAt        time.Time
	ChangedAt        time.Time // when its credentials were last stored
}

// Accounts lists every provider configuration, oldest first. Global.
func (r Reader) Accounts(ctx context.Context) ([]AccountListing, error) {
	found, err := queries.ProviderConfigListAll(ctx, r.handle)
	return refs(found, func(f dbsqlc.ProviderConfigListAllRow) AccountListing {
		return AccountListing{
			ID: f.ID, EnvironmentID: f.EnvironmentID, Tenant: f.Tenant, App: f.App, Mode: f.Mode, Provider: f.Provider,
			HasWebhookSecret: f.HasWebhookSecret, CreatedAt: f.CreatedAt, ChangedAt: f.ChangedAt,
		}
	}), translate("ProviderConfigListAll", err)
}

// LockCredentials brings a configuration up to date, and its app's keyset, and holds both until the transaction ends.
// Fault: provider_config_not_found.
func (tx *Tx) LockCredentials(ctx context.Context, c ProviderConfig) (ProviderConfig, error) {
	keyset, err := queries.AppLockKeyset(ctx, tx.pipe, c.AppID)
	if err != nil {
		return c, readError("provider_config", err)
	}
	row, err := queries.ProviderConfigLock(ctx, tx.pipe,
		dbsqlc.ProviderConfigLockParams{EnvironmentID: c.EnvironmentID, ID: c.ID})
	c.Keyset, c.SecretKeySealed, c.WebhookSecretSealed = keyset, row.SecretKeySealed, row.WebhookSecretSealed
	return c, readError("provider_config", err)
}

// SaveCredentials writes the sealed credentials of a configuration, and notes who replaced which of them.
func (tx *Tx) SaveCredentials(ctx context.Context, environmentID string, c ProviderConfig, fields []string) error {
	err := queries.ProviderConfigSetCredentials(ctx, tx.pipe, dbsqlc.ProviderConfigSetCredentialsParams{
		SecretKeySealed: c.SecretKeySealed, WebhookSecretSealed: c.WebhookSecretSealed, EnvironmentID: environmentID,
		ID: c.ID,
	})
	if err != nil {
		return err
	}
	return queries.CredentialChangeInsert(ctx, tx.pipe, dbsqlc.CredentialChangeInsertParams{
		ID: id.New(id.CredentialChange, tx.Real), EnvironmentID: environmentID, ProviderConfigID: c.ID, Fields: fields,
		ActorKind: string(tx.By.Kind()), ActorID: tx.By.ID(), ChangedAt: tx.Real,
	})
}

// SaveKeyset writes the wrapped keyset of an app. What was sealed with another one does not decrypt any more.
func (tx *Tx) SaveKeyset(ctx context.Context, appID string, wrapped []byte) error {
	return queries.AppSetKeyset(ctx, tx.pipe, dbsqlc.AppSetKeysetParams{Keyset: wrapped, ID: appID})
}

// CredentialChange is one replacement of credentials.
type CredentialChange struct {
	Fields    []string // secretKey, webhookSecret; keyset: the app got a new one
	ActorKind ActorKind
	ActorID   string
	ChangedAt time.Time
}

// CredentialChanges lists those of a provider configuration, oldest first.
func (r Reader) CredentialChanges(ctx context.Context, environmentID, configID string) ([]CredentialChange, error) {
	found, err := queries.CredentialChangeList(ctx, r.handle, dbsqlc.CredentialChangeListParams{
		EnvironmentID: environmentID, ProviderConfigID: configID,
	})
	return refs(found, func(f dbsqlc.CredentialChangeListRow) CredentialChange {
		return CredentialChange{f.Fields, ActorKind(f.ActorKind), f.ActorID, f.ChangedAt}
	}), translate("CredentialChangeList", err)
}
