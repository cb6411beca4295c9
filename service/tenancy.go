package service

import (
	"context"
	"net/netip"
	"strings"
	"time"

	"perennial/billing/fault"
	"perennial/billing/subscription"
	"perennial/db"
	"perennial/internal/apikey"
	"perennial/internal/id"
	"perennial/internal/vault"
	"perennial/service/gateway"
)

// NewKey is an API key to make, with all that it belongs to: tenant, app and environment are made where absent.
type NewKey struct {
	Tenant, App  string // names
	Mode         apikey.Mode
	Kind         apikey.Kind
	Scopes       []string
	AllowedCIDRs []netip.Prefix
	ExpiresAt    time.Time
	Settings     Choices        // of a new environment
	Stripe       *StripeAccount // nil: none
}

// StripeAccount becomes the environment's primary provider.
type StripeAccount struct{ SecretKey, WebhookSecret string }

// ProvisionedKey is a key that was made, with what had to be made for it.
type ProvisionedKey struct {
	Key              apikey.Key
	ID               string
	Environment      db.Environment
	ProviderConfigID string   // of a new one
	Created          []string // what was absent: "tenant ten_…"
}

// ProvisionKey makes everything or nothing. keys may be nil where no app and no account is new.
func (s *Service) ProvisionKey(
	ctx context.Context, by db.Actor, keys *vault.Vault, k NewKey,
) (out ProvisionedKey, err error) {
	err = s.store.InTx(ctx, by, s.now(), func(tx *db.Tx) error {
		p := &provisioner{tx: tx, vault: keys}
		app, err := p.app(ctx, k)
		if err != nil {
			return err
		}
		environment, err := p.environment(ctx, app, k)
		if err != nil {
			return err
		}
		if k.Stripe != nil {
			if err := p.provider(ctx, app, environment, k); err != nil {
				return err
			}
		}
		p.out.Key, p.out.ID, p.out.Environment = apikey.New(k.Kind, k.Mode), id.New(id.APIKey, tx.Real), environment
		out = p.out
		return tx.InsertAPIKey(ctx, environment.ID, db.NewAPIKey{
			ID: out.ID, Kind: string(k.Kind), Hash: out.Key.Hash, Hint: out.Key.Hint, Scopes: k.Scopes,
			AllowedCIDRs: k.AllowedCIDRs,
			ExpiresAt:    k.ExpiresAt,
		})
	})
	return out, err
}

// RevokeKey ends a key at once. Fault: api_key_not_found.
func (s *Service) RevokeKey(ctx context.Context, by db.Actor, keyID string) error {
	return s.store.InTx(ctx, by, s.now(), func(tx *db.Tx) error {
		environmentID, err := tx.EnvironmentOfKey(ctx, keyID)
		if err != nil {
			return err
		}
		return tx.RevokeAPIKey(ctx, environmentID, keyID)
	})
}

// provisioner makes what a key belongs to, inside one transaction.
type provisioner struct {
	tx    *db.Tx
	vault *vault.Vault // nil: there is no key-encryption key
	out   ProvisionedKey
}

func (p *provisioner) app(ctx context.Context, k NewKey) (db.App, error) {
	tenant, err := p.tx.TenantNamed(ctx, k.Tenant)
	if absent(err) {
		tenant = db.Tenant{ID: id.New(id.Tenant, p.tx.Real), Name: k.Tenant, CreatedAt: p.tx.Real}
		p.note("tenant", tenant.ID)
		err = p.tx.InsertTenant(ctx, tenant)
	}
	if err != nil {
		return db.App{}, err
	}
	app, err := p.tx.AppNamed(ctx, tenant.ID, k.App)
	if !absent(err) {
		return app, err
	}
	if err := p.needsVault(); err != nil {
		return db.App{}, err
	}
	app = db.App{ID: id.New(id.App, p.tx.Real), TenantID: tenant.ID, Name: k.App, CreatedAt: p.tx.Real}
	if app.Keyset, err = p.vault.NewAppKeyset(app.ID); err != nil {
		return db.App{}, err
	}
	p.note("app", app.ID)
	return app, p.tx.InsertApp(ctx, app)
}

func (p *provisioner) environment(ctx context.Context, app db.App, k NewKey) (db.Environment, error) {
	environment, err := p.tx.EnvironmentOf(ctx, app.ID, string(k.Mode))
	if err == nil {
		if names := k.Settings.against(environment.Settings); len(names) > 0 {
			return environment, fault.New(fault.Conflict, "environment_exists",
				"The %s environment %s exists with other settings (%s). Omit %s.",
				k.Mode, environment.ID, DescribeSettings(environment.Settings), strings.Join(names, " and "))
		}
	}
	if !absent(err) {
		return environment, err
	}
	environment = db.Environment{
		ID: id.New(id.Environment, p.tx.Real), AppID: app.ID, Mode: string(k.Mode), CreatedAt: p.tx.Real,
		Settings: k.Settings.On(subscription.DefaultSettings()),
	}
	if err := environment.Settings.Validate(); err != nil {
		return db.Environment{}, err
	}
	p.note("environment", environment.ID)
	return environment, p.tx.InsertEnvironment(ctx, environment)
}

func (p *provisioner) provider(ctx context.Context, app db.App, environment db.Environment, k NewKey) error {
	if err := p.needsVault(); err != nil {
		return err
	}
	if err := checkStripe(*k.Stripe, k.Mode == apikey.Live); err != nil {
		return err
	}
	existing, err := p.tx.ProviderConfig(ctx, environment.ID)
	if err == nil {
		return fault.New(fault.Conflict, "primary_provider_exists", "The %s environment %s has the account %s already. "+
			"Replace its credentials with `perennial provider update %s`.", k.Mode, environment.ID, existing.ID, existing.ID)
	}
	if !absent(err) {
		return err
	}
	config := db.ProviderConfig{
		ID: id.New(id.ProviderConfig, p.tx.Real), EnvironmentID: environment.ID, Provider: "stripe", Primary: true,
	}
	if config.SecretKeySealed, err = p.seal(app, config.ID, gateway.FieldSecretKey, k.Stripe.SecretKey); err != nil {
		return err
	}
	config.WebhookSecretSealed, err = p.seal(app, config.ID, gateway.FieldWebhookSecret, k.Stripe.WebhookSecret)
	if err != nil {
		return err
	}
	p.out.ProviderConfigID = config.ID
	p.note("provider configuration", config.ID)
	return p.tx.InsertProviderConfig(ctx, environment.ID, config)
}

func (p *provisioner) seal(app db.App, configID, field, text string) ([]byte, error) {
	if text == "" {
		return nil, nil
	}
	return p.vault.Seal(app.Keyset, vault.Field{AppID: app.ID, ConfigID: configID, Name: field}, []byte(text))
}

func (p *provisioner) needsVault() error {
	if p.vault == nil {
		return fault.New(fault.Invalid, "kek_missing",
			"PERENNIAL_KEK is not set, so credentials cannot be encrypted. "+
				"Set it to the value that the API and the workers use. `perennial key kek` prints a new one.")
	}
	return nil
}

func (p *provisioner) note(what, id string) { p.out.Created = append(p.out.Created, what+" "+id) }

func absent(err error) bool { return err != nil && fault.From(err).Kind == fault.NotFound }
