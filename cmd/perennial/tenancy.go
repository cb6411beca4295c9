package main

import (
	"context"
	"net/netip"
	"strings"
	"time"

	"perennial/billing/fault"
	"perennial/billing/subscription"
	"perennial/db"
	"perennial/internal/apikey"
	"perennial/internal/gateway"
	"perennial/internal/id"
	"perennial/internal/vault"
	"perennial/providers/stripe"
)

// order is an API key to make, with all that it belongs to: tenant, app and environment are made where absent.
type order struct {
	tenant, app string // names
	mode        apikey.Mode
	kind        apikey.Kind
	scopes      []string
	cidrs       []netip.Prefix
	expiresAt   time.Time
	settings    choices // of a new environment
	stripe      *stripeAccount
}

// stripeAccount becomes the environment's primary provider.
type stripeAccount struct{ secretKey, webhookSecret string }

// made is what an order led to.
type made struct {
	key              apikey.Key
	keyID            string
	environment      db.Environment
	providerConfigID string   // of a new one
	created          []string // what was absent: "tenant ten_…"
}

// clerk carries out orders inside one transaction.
type clerk struct {
	tx    *db.Tx
	vault *vault.Vault // nil: PERENNIAL_KEK is not set
	out   made
}

// fulfil makes everything or nothing.
func fulfil(ctx context.Context, store *db.Store, keys *vault.Vault, now time.Time, o order) (made, error) {
	var out made
	err := store.InTx(ctx, now, func(tx *db.Tx) error {
		c := &clerk{tx: tx, vault: keys}
		app, err := c.app(ctx, o)
		if err != nil {
			return err
		}
		environment, err := c.environment(ctx, app, o)
		if err != nil {
			return err
		}
		if o.stripe != nil {
			if err := c.provider(ctx, app, environment, o); err != nil {
				return err
			}
		}
		c.out.key, c.out.keyID, c.out.environment = apikey.New(o.kind, o.mode), id.New(id.APIKey, tx.Real), environment
		out = c.out
		return tx.InsertAPIKey(ctx, environment.ID, db.NewAPIKey{
			ID: out.keyID, Kind: string(o.kind), Hash: out.key.Hash, Hint: out.key.Hint, Scopes: o.scopes, AllowedCIDRs: o.cidrs,
			ExpiresAt: o.expiresAt,
		})
	})
	return out, err
}

func (c *clerk) app(ctx context.Context, o order) (db.App, error) {
	tenant, err := c.tx.TenantNamed(ctx, o.tenant)
	if absent(err) {
		tenant = db.Tenant{ID: id.New(id.Tenant, c.tx.Real), Name: o.tenant, CreatedAt: c.tx.Real}
		c.note("tenant", tenant.ID)
		err = c.tx.InsertTenant(ctx, tenant)
	}
	if err != nil {
		return db.App{}, err
	}
	app, err := c.tx.AppNamed(ctx, tenant.ID, o.app)
	if !absent(err) {
		return app, err
	}
	if err := c.needsVault(); err != nil {
		return db.App{}, err
	}
	app = db.App{ID: id.New(id.App, c.tx.Real), TenantID: tenant.ID, Name: o.app, CreatedAt: c.tx.Real}
	if app.Keyset, err = c.vault.NewAppKeyset(app.ID); err != nil {
		return db.App{}, err
	}
	c.note("app", app.ID)
	return app, c.tx.InsertApp(ctx, app)
}

func (c *clerk) environment(ctx context.Context, app db.App, o order) (db.Environment, error) {
	environment, err := c.tx.EnvironmentOf(ctx, app.ID, string(o.mode))
	if err == nil {
		if flags := o.settings.against(environment.Settings); len(flags) > 0 {
			return environment, fault.New(fault.Conflict, "environment_exists", "the %s environment %s exists with other settings (%s); leave %s out",
				o.mode, environment.ID, describeSettings(environment.Settings), strings.Join(flags, " and "))
		}
	}
	if !absent(err) {
		return environment, err
	}
	environment = db.Environment{
		ID: id.New(id.Environment, c.tx.Real), AppID: app.ID, Mode: string(o.mode), CreatedAt: c.tx.Real,
		Settings: o.settings.on(subscription.DefaultSettings()),
	}
	if err := environment.Settings.Validate(); err != nil {
		return db.Environment{}, err
	}
	c.note("environment", environment.ID)
	return environment, c.tx.InsertEnvironment(ctx, environment)
}

func (c *clerk) provider(ctx context.Context, app db.App, environment db.Environment, o order) error {
	if err := c.needsVault(); err != nil {
		return err
	}
	// The adapter's own checks: a key of the wrong mode is noticed here, not by the first renewal.
	_, err := stripe.New(stripe.Config{
		SecretKey: o.stripe.secretKey, WebhookSecret: o.stripe.webhookSecret, Live: o.mode == apikey.Live,
	})
	if err != nil {
		return err
	}
	config := db.ProviderConfig{ID: id.New(id.ProviderConfig, c.tx.Real), EnvironmentID: environment.ID, Provider: "stripe", Primary: true}
	if config.SecretKeySealed, err = c.seal(app, config.ID, gateway.FieldSecretKey, o.stripe.secretKey); err != nil {
		return err
	}
	if config.WebhookSecretSealed, err = c.seal(app, config.ID, gateway.FieldWebhookSecret, o.stripe.webhookSecret); err != nil {
		return err
	}
	c.out.providerConfigID = config.ID
	c.note("provider configuration", config.ID)
	return c.tx.InsertProviderConfig(ctx, environment.ID, config)
}

func (c *clerk) seal(app db.App, configID, field, text string) ([]byte, error) {
	if text == "" {
		return nil, nil
	}
	return c.vault.Seal(app.Keyset, vault.Field{AppID: app.ID, ConfigID: configID, Name: field}, []byte(text))
}

func (c *clerk) needsVault() error {
	if c.vault == nil {
		return fault.New(fault.Invalid, "kek_missing",
			"PERENNIAL_KEK is not set, and without it credentials cannot be encrypted; set it to what the API and the workers use, `perennial key kek` prints a new one")
	}
	return nil
}

func (c *clerk) note(what, id string) { c.out.created = append(c.out.created, what+" "+id) }

func absent(err error) bool { return err != nil && fault.From(err).Kind == fault.NotFound }
