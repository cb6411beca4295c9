package service

import (
	"context"

	"perennial/billing/fault"
	"perennial/db"
	"perennial/internal/vault"
	"perennial/providers/stripe"
	"perennial/service/gateway"
)

// NewCredentials replace those of an account that exists. Its ID, and with it the callback address, stays.
type NewCredentials struct {
	ConfigID string
	Stripe   StripeAccount // an empty field keeps what is stored
	// NewKeyset gives the app a keyset of the present key-encryption key, where the one it was made with is lost. All
	// that was sealed for the app, in both environments, must be entered again.
	NewKeyset bool
}

// keysetField is how a change of the app's keyset is noted beside those of credentials.
const keysetField = "keyset"

// ReplaceCredentials seals and stores them; processes use them with their next request to the provider. Who did it is
// kept. Faults: provider_config_not_found, kek_missing, keyset_unreadable, keyset_readable, credentials_missing, those
// of the adapter about a key that cannot be right.
func (s *Service) ReplaceCredentials(ctx context.Context, by db.Actor, keys *vault.Vault, n NewCredentials) error {
	seen, err := s.store.ProviderConfigByID(ctx, n.ConfigID)
	if err != nil {
		return err
	}
	return s.store.InTx(ctx, by, s.now(), func(tx *db.Tx) error {
		p := &provisioner{tx: tx, vault: keys}
		if err := p.needsVault(); err != nil {
			return err
		}
		config, err := tx.LockCredentials(ctx, seen)
		if err != nil {
			return err
		}
		return p.replace(ctx, config, n)
	})
}

func (p *provisioner) replace(ctx context.Context, config db.ProviderConfig, n NewCredentials) error {
	var fields []string
	if n.NewKeyset {
		if err := p.newKeyset(ctx, &config, n); err != nil {
			return err
		}
		fields = append(fields, keysetField)
	}
	if n.Stripe.SecretKey != "" {
		err := checkStripe(StripeAccount{n.Stripe.SecretKey, n.Stripe.WebhookSecret}, config.Mode == "live")
		if err != nil {
			return err
		}
	}
	app := db.App{ID: config.AppID, Keyset: config.Keyset}
	for _, f := range []struct {
		name, text string
		to         *[]byte
	}{
		{gateway.FieldSecretKey, n.Stripe.SecretKey, &config.SecretKeySealed},
		{gateway.FieldWebhookSecret, n.Stripe.WebhookSecret, &config.WebhookSecretSealed},
	} {
		if f.text == "" {
			continue
		}
		var err error
		if *f.to, err = p.seal(app, config.ID, f.name, f.text); err != nil {
			return err
		}
		fields = append(fields, f.name)
	}
	if len(fields) == 0 {
		return fault.New(fault.Invalid, "credentials_missing",
			"There is nothing to store: give the secret key, the webhook secret or both.")
	}
	return p.tx.SaveCredentials(ctx, config.EnvironmentID, config, fields)
}

// newKeyset refuses where the old one still opens: nobody loses what works by a slip.
func (p *provisioner) newKeyset(ctx context.Context, config *db.ProviderConfig, n NewCredentials) error {
	if _, err := p.vault.Rewrap(config.Keyset, config.AppID); err == nil {
		return fault.New(fault.Conflict, "keyset_readable",
			"PERENNIAL_KEK opens the keyset of %s, so it needs no new one. Replace the credentials without a new keyset.",
			config.AppID)
	}
	if n.Stripe.SecretKey == "" || len(config.WebhookSecretSealed) > 0 && n.Stripe.WebhookSecret == "" {
		return fault.New(fault.Invalid, "credentials_missing",
			"With a new keyset nothing that is stored for %s opens any more. Give all its credentials: the secret key, and "+
				"the webhook secret where it has one.", config.ID)
	}
	var err error
	if config.Keyset, err = p.vault.NewAppKeyset(config.AppID); err != nil {
		return err
	}
	return p.tx.SaveKeyset(ctx, config.AppID, config.Keyset)
}

// KeepsCredentials reports whether an environment's primary account has these credentials; found is empty where it has
// no account. Faults: keyset_unreadable, credential_unreadable.
func (s *Service) KeepsCredentials(
	ctx context.Context, keys *vault.Vault, environmentID string, account StripeAccount,
) (found string, same bool, err error) {
	config, err := s.store.ProviderConfig(ctx, environmentID)
	if absent(err) {
		return "", false, nil
	}
	if err != nil {
		return "", false, err
	}
	if err := (&provisioner{vault: keys}).needsVault(); err != nil {
		return config.ID, false, err
	}
	stored, err := gateway.Unseal(keys, config)
	if err != nil {
		return config.ID, false, err
	}
	same = stored.SecretKey == account.SecretKey &&
		(account.WebhookSecret == "" || stored.WebhookSecret == account.WebhookSecret)
	return config.ID, same, nil
}

// checkStripe runs the adapter's own checks: a key of the wrong mode is noticed here, not by the first renewal.
func checkStripe(account StripeAccount, live bool) error {
	_, err := stripe.New(stripe.Config{SecretKey: account.SecretKey, WebhookSecret: account.WebhookSecret, Live: live})
	return err
}
