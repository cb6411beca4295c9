package payments

import (
	"context"
	"slices"
	"strings"

	"perennial/billing/audit"
	"perennial/billing/fault"
	"perennial/db"
	"perennial/internal/vault"
	"perennial/service/gateway"
	"perennial/service/usecase"
)

// NewCredentials replace those of an existing account. Its ID, and with it the callback address, stays.
type NewCredentials struct {
	ConfigID    string
	Credentials gateway.Credentials // absent ones stay; an empty value removes one
	// NewKeyset gives the app a keyset of the present key-encryption key, where the one it was made with is lost. All
	// that was sealed for the app, in both environments, must be entered again.
	NewKeyset bool
}

// keysetField is the field for a change of the app's keyset in a list of changed credentials.
const keysetField = "keyset"

// ReplaceCredentials seals a new version and stores it; processes use it with their next request to the provider. The
// actor is recorded. Faults: provider_config_not_found, kek_missing, keyset_unreadable, keyset_readable,
// credentials_missing, those of gateway.Check.
func (s *Service) ReplaceCredentials(ctx context.Context, by db.Actor, keys *vault.Vault, n NewCredentials) error {
	seen, err := s.Store.Payments.ProviderConfigByID(ctx, n.ConfigID)
	if err != nil {
		return err
	}
	return s.Store.InTx(ctx, by, s.Now(), func(tx *db.Tx) error {
		tx.Audit(seen.EnvironmentID)
		tx.AuditObject(seen.ID)
		p := &sealer{tx: tx, vault: keys, gateway: s.gateway}
		if err := usecase.NeedsVault(keys); err != nil {
			return err
		}
		config, err := tx.Payments.LockCredentials(ctx, seen)
		if err != nil {
			return err
		}
		renewed, err := p.replace(ctx, config, n)
		tx.AuditChanges(audit.Changes("payment_provider", renewed, nil, nil)...)
		return err
	})
}

// TryCredentials asks the provider whether it accepts an account's credentials together with the new ones. Only
// credentials for requests matter: a new webhook secret alone needs no request. Faults: kek_missing, keyset_unreadable,
// those of gateway.Try.
func (s *Service) TryCredentials(
	ctx context.Context, keys *vault.Vault, config db.ProviderConfig, n NewCredentials,
) error {
	if _, only := n.Credentials[gateway.FieldWebhookSecret]; only && len(n.Credentials) == 1 {
		return nil
	}
	stored := gateway.Credentials{}
	if !n.NewKeyset {
		if err := usecase.NeedsVault(keys); err != nil {
			return err
		}
		var err error
		if stored, err = gateway.Unseal(keys, config); err != nil {
			return err
		}
	}
	return s.gateway.Try(ctx, config.Provider, config.Mode, stored.With(n.Credentials))
}

// sealer stores credentials, inside one transaction.
type sealer struct {
	tx      *db.Tx
	vault   *vault.Vault
	gateway *gateway.Gateway
}

// replace stores new credentials, under a new keyset where that is asked for. It returns the names of what changed.
func (p *sealer) replace(ctx context.Context, config db.ProviderConfig, n NewCredentials) ([]string, error) {
	if len(n.Credentials) == 0 {
		return nil, fault.New(fault.Invalid, "credentials_missing", "There is nothing to store: give a credential.")
	}
	if !n.NewKeyset {
		return p.renew(ctx, config, n.Credentials)
	}
	if err := p.newKeyset(ctx, &config, n); err != nil {
		return nil, err
	}
	return p.store(ctx, config, nil, n.Credentials, keysetField)
}

// renew replaces some of the stored credentials. It returns the names of those that changed.
func (p *sealer) renew(
	ctx context.Context, config db.ProviderConfig, given gateway.Credentials,
) ([]string, error) {
	stored, err := gateway.Unseal(p.vault, config)
	if err != nil {
		return nil, err
	}
	return p.store(ctx, config, stored, given)
}

// store adds a version. Unchanged credentials add none: it would only end the overlap of the version before.
func (p *sealer) store(
	ctx context.Context, config db.ProviderConfig, stored, given gateway.Credentials, also ...string,
) ([]string, error) {
	next := stored.With(given)
	if err := p.gateway.Check(config.Provider, config.Mode, next); err != nil {
		return nil, err
	}
	fields := append(also, next.Changed(stored)...)
	if len(fields) == 0 {
		return nil, nil
	}
	version, err := gateway.Seal(p.vault, config, nextVersion(config), next)
	if err != nil {
		return nil, err
	}
	return fields, p.tx.Payments.SaveCredentials(ctx, config.EnvironmentID, config.ID, version, fields)
}

func nextVersion(c db.ProviderConfig) int {
	if len(c.Credentials) == 0 {
		return 1
	}
	return c.Credentials[0].Version + 1
}

// newKeyset refuses where the old one still opens, so that working credentials cannot be lost by mistake.
func (p *sealer) newKeyset(ctx context.Context, config *db.ProviderConfig, n NewCredentials) error {
	if _, err := p.vault.Rewrap(config.Keyset, config.AppID); err == nil {
		return fault.New(fault.Conflict, "keyset_readable",
			"PERENNIAL_KEK opens the keyset of %s, so it needs no new one. Replace the credentials without a new keyset.",
			config.AppID)
	}
	had, err := p.tx.Payments.CredentialNames(ctx, config.EnvironmentID, config.ID)
	if err != nil {
		return err
	}
	missing := slices.DeleteFunc(had, func(name string) bool { return n.Credentials[name] != "" })
	if len(missing) > 0 {
		return fault.New(fault.Invalid, "credentials_missing",
			"With a new keyset nothing that is stored for %s opens any more. Give all its credentials: %s is missing.",
			config.ID, strings.Join(missing, ", "))
	}
	if config.Keyset, err = p.vault.NewAppKeyset(config.AppID); err != nil {
		return err
	}
	return p.tx.Payments.SaveKeyset(ctx, config.AppID, config.Keyset)
}
