package payments

import (
	"context"

	"perennial/billing/audit"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// LockKeyset reads an app's wrapped keyset, which no other transaction may replace or seal credentials with until this
// one ends. Fault: app_not_found.
func (tx *Tx) LockKeyset(ctx context.Context, appID string) ([]byte, error) {
	wrapped, err := core.Queries.AppLockKeyset(ctx, tx.Pipe, appID)
	return wrapped, core.ReadError("app", err)
}

// Sealed has all data that an app's keyset has sealed.
type Sealed struct {
	Credentials []SealedOf
	Former      []FormerOf
	Endpoints   []SecretsOf
	Senders     []SenderSecretsOf
}

// SealedOf is one version of the credentials of a configuration.
type SealedOf struct {
	EnvironmentID, ConfigID string
	Version                 int
	Sealed                  []byte
}

// FormerOf are the credentials of a configuration from before they had versions.
type FormerOf struct {
	EnvironmentID, ConfigID string
	FormerCredentials
}

// SecretsOf are the signing secrets of a webhook endpoint. Previous is nil where there is none.
type SecretsOf struct {
	EnvironmentID, EndpointID string
	Secret, Previous          []byte
}

// SenderSecretsOf are the secrets of a sender of mail. One that is absent is nil.
type SenderSecretsOf struct {
	EnvironmentID, SenderID string
	Password, DKIMKey       []byte
}

// LockSealed reads all that an app's keyset has sealed, and holds it until the transaction ends. Lock the keyset
// before.
func (tx *Tx) LockSealed(ctx context.Context, appID string) (out Sealed, err error) {
	credentials, err := core.Queries.ProviderCredentialsLockOfApp(ctx, tx.Pipe, appID)
	if err != nil {
		return out, core.Translate("ProviderCredentialsLockOfApp", err)
	}
	out.Credentials = core.Map(credentials, func(c dbsqlc.ProviderCredentialsLockOfAppRow) SealedOf {
		return SealedOf{c.EnvironmentID, c.ProviderConfigID, c.Version, c.Sealed}
	})
	former, err := core.Queries.ProviderConfigLockFormerOfApp(ctx, tx.Pipe, appID)
	if err != nil {
		return out, core.Translate("ProviderConfigLockFormerOfApp", err)
	}
	out.Former = core.Map(former, func(c dbsqlc.ProviderConfigLockFormerOfAppRow) FormerOf {
		return FormerOf{c.EnvironmentID, c.ID, FormerCredentials{c.SecretKeySealed, c.WebhookSecretSealed}}
	})
	endpoints, err := core.Queries.WebhookEndpointLockOfApp(ctx, tx.Pipe, appID)
	out.Endpoints = core.Map(endpoints, func(e dbsqlc.WebhookEndpointLockOfAppRow) SecretsOf {
		return SecretsOf{e.EnvironmentID, e.ID, e.SecretSealed, e.PreviousSecretSealed}
	})
	if err != nil {
		return out, core.Translate("WebhookEndpointLockOfApp", err)
	}
	senders, err := core.Queries.EmailSenderLockOfApp(ctx, tx.Pipe, appID)
	out.Senders = core.Map(senders, func(s dbsqlc.EmailSenderLockOfAppRow) SenderSecretsOf {
		return SenderSecretsOf{s.EnvironmentID, s.ID, s.PasswordSealed, s.DkimKeySealed}
	})
	return out, core.Translate("EmailSenderLockOfApp", err)
}

// SaveSealed writes the data that was sealed again.
func (tx *Tx) SaveSealed(ctx context.Context, s Sealed) error {
	for _, c := range s.Credentials {
		err := core.Queries.ProviderCredentialsReseal(ctx, tx.Pipe, dbsqlc.ProviderCredentialsResealParams{
			EnvironmentID: c.EnvironmentID, ProviderConfigID: c.ConfigID, Version: c.Version, Sealed: c.Sealed,
		})
		if err != nil {
			return err
		}
	}
	for _, c := range s.Former {
		err := core.Queries.ProviderConfigReseal(ctx, tx.Pipe, dbsqlc.ProviderConfigResealParams{
			EnvironmentID: c.EnvironmentID, ID: c.ConfigID, SecretKeySealed: c.SecretKeySealed,
			WebhookSecretSealed: c.WebhookSecretSealed,
		})
		if err != nil {
			return err
		}
	}
	for _, e := range s.Endpoints {
		err := core.Queries.WebhookEndpointReseal(ctx, tx.Pipe, dbsqlc.WebhookEndpointResealParams{
			EnvironmentID: e.EnvironmentID, ID: e.EndpointID, SecretSealed: e.Secret, PreviousSecretSealed: e.Previous,
		})
		if err != nil {
			return err
		}
	}
	for _, m := range s.Senders {
		err := core.Queries.EmailSenderReseal(ctx, tx.Pipe, dbsqlc.EmailSenderResealParams{
			EnvironmentID: m.EnvironmentID, ID: m.SenderID, PasswordSealed: m.Password, DkimKeySealed: m.DKIMKey,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// NoteKeysetChange notes, in each environment of an app, who changed its keyset, and how.
func (tx *Tx) NoteKeysetChange(ctx context.Context, appID, how string) error {
	environments, err := core.Queries.EnvironmentListOfApp(ctx, tx.Pipe, appID)
	if err != nil {
		return core.Translate("EnvironmentListOfApp", err)
	}
	if tx.Audit(environments...); len(environments) == 0 {
		tx.AuditNothing("an app without environments has no log")
	}
	tx.AuditChanges(audit.Change{Field: how})
	for _, environmentID := range environments {
		if err := tx.noteEnvironmentChange(ctx, environmentID, []string{how}); err != nil {
			return err
		}
	}
	return nil
}

// Count returns the number of rows with something sealed.
func (s Sealed) Count() int {
	return len(s.Credentials) + len(s.Former) + len(s.Endpoints) + len(s.Senders)
}
