package tenancy

import (
	"context"
	"net/netip"
	"strings"
	"time"

	"perennial/billing/account"
	"perennial/billing/fault"
	"perennial/billing/subscription"
	"perennial/db"
	"perennial/internal/apikey"
	"perennial/internal/id"
	"perennial/internal/vault"
	"perennial/service/gateway"
	"perennial/service/usecase"
)

// KeepsCredentials reports whether an environment's primary account has these credentials; found is empty where it has
// no account. Faults: keyset_unreadable, credential_unreadable.
func (s *Service) KeepsCredentials(
	ctx context.Context, keys *vault.Vault, environmentID string, account usecase.Account,
) (found string, same bool, err error) {
	config, err := s.Store.Payments.ProviderConfig(ctx, environmentID)
	if usecase.Absent(err) {
		return "", false, nil
	}
	if err != nil {
		return "", false, err
	}
	if err := usecase.NeedsVault(keys); err != nil {
		return config.ID, false, err
	}
	stored, err := gateway.Unseal(keys, config)
	if err != nil {
		return config.ID, false, err
	}
	same = config.Provider == account.Provider && len(stored.With(account.Credentials).Changed(stored)) == 0
	return config.ID, same, nil
}

// NewKey is an API key to make, with all that it belongs to: tenant, app and environment are made where absent.
type NewKey struct {
	Tenant, App  string // names
	Mode         apikey.Mode
	Kind         apikey.Kind
	Name         string // of the key; empty: none
	Scopes       []string
	AllowedCIDRs []netip.Prefix
	ExpiresAt    time.Time
	Settings     Choices          // of a new environment
	Account      *usecase.Account // nil: none
}

// form returns the properties of the key, without its environment.
func (k NewKey) form() APIKeyForm {
	return APIKeyForm{
		Name: k.Name, Kind: k.Kind, Scopes: k.Scopes, AllowedCIDRs: k.AllowedCIDRs, ExpiresAt: k.ExpiresAt,
	}
}

// ProvisionedKey is a new key, with everything that was created for it.
type ProvisionedKey struct {
	Key              apikey.Key
	ID               string
	Environment      db.Environment
	ProviderConfigID string   // of a new one
	Created          []string // created objects: "tenant ten_…"
}

// ProvisionKey creates everything or nothing. keys may be nil where no app and no account is new. The key's plain text
// is only in the result: the row has its hash. Faults: kek_missing, environment_exists, primary_provider_exists, those
// of the settings, and those of the adapter for a key that cannot be right.
func (s *Service) ProvisionKey(
	ctx context.Context, by db.Actor, keys *vault.Vault, k NewKey,
) (out ProvisionedKey, err error) {
	err = s.Store.InTx(ctx, by, s.Now(), func(tx *db.Tx) error {
		p := &provisioner{tx: tx, vault: keys, gateway: s.gateway}
		app, err := p.app(ctx, k)
		if err != nil {
			return err
		}
		environment, err := p.environment(ctx, app, k)
		if err != nil {
			return err
		}
		if k.Account != nil {
			if err := p.provider(ctx, app, environment, k); err != nil {
				return err
			}
		}
		made := newAPIKey(k.form(), k.Mode, tx.Real)
		tx.Audit(environment.ID)
		tx.AuditObject(made.ID)
		p.out.Key, p.out.ID, p.out.Environment = made.key, made.ID, environment
		out = p.out
		return made.insert(ctx, tx, environment.ID)
	})
	return out, err
}

// CallerForKey returns the caller for the environment of a key, by the key's ID; for a person at a terminal, who has
// only the ID. Fault: api_key_not_found.
func (s *Service) CallerForKey(ctx context.Context, by db.Actor, keyID string) (usecase.Caller, error) {
	environmentID, err := s.Store.Tenancy.EnvironmentOfKey(ctx, keyID)
	if err != nil {
		return usecase.Caller{}, err
	}
	environment, err := s.Store.Tenancy.Environment(ctx, environmentID)
	return usecase.Caller{
		Actor: by, EnvironmentID: environmentID, Mode: apikey.Mode(environment.Mode),
	}, err
}

// RevokeKey is RevokeAPIKey by the key's id alone; it does nothing to a key that has ended. Fault: api_key_not_found.
func (s *Service) RevokeKey(ctx context.Context, by db.Actor, keyID string) error {
	caller, err := s.CallerForKey(ctx, by, keyID)
	if err != nil {
		return err
	}
	err = s.RevokeAPIKey(ctx, caller, keyID, usecase.Around[APIKey]{})
	if err != nil && fault.From(err).Code == "api_key_ended" {
		return nil
	}
	return err
}

// provisioner creates the objects that a key belongs to, inside one transaction.
type provisioner struct {
	tx      *db.Tx
	vault   *vault.Vault // nil: there is no key-encryption key
	gateway *gateway.Gateway
	out     ProvisionedKey
}

// app finds an app by the names that a person typed, or makes it with a keyset of its own, so that one app's
// credentials can be lost or erased without another's. The key-encryption key is needed only then: an installation that
// only adds keys need not have it at hand.
func (p *provisioner) app(ctx context.Context, k NewKey) (db.App, error) {
	tenant, err := p.tx.Tenancy.TenantNamed(ctx, k.Tenant)
	if usecase.Absent(err) {
		tenant = db.Tenant{ID: id.New(id.Tenant, p.tx.Real), Name: k.Tenant, CreatedAt: p.tx.Real}
		p.note("tenant", tenant.ID)
		err = p.tx.Tenancy.InsertTenant(ctx, tenant)
	}
	if err != nil {
		return db.App{}, err
	}
	app, err := p.tx.Tenancy.AppNamed(ctx, tenant.ID, k.App)
	if !usecase.Absent(err) {
		return app, err
	}
	if err := usecase.NeedsVault(p.vault); err != nil {
		return db.App{}, err
	}
	app = db.App{ID: id.New(id.App, p.tx.Real), TenantID: tenant.ID, Name: k.App, CreatedAt: p.tx.Real}
	if app.Keyset, err = p.vault.NewAppKeyset(app.ID); err != nil {
		return db.App{}, err
	}
	p.note("app", app.ID)
	return app, p.tx.Tenancy.InsertApp(ctx, app)
}

// environment refuses settings that differ from those of an existing environment: a command that seems to change a time
// zone, and does not, would be noticed only at the first invoice.
func (p *provisioner) environment(ctx context.Context, app db.App, k NewKey) (db.Environment, error) {
	environment, err := p.tx.Tenancy.EnvironmentOf(ctx, app.ID, string(k.Mode))
	if err == nil {
		if names := k.Settings.against(environment.Settings); len(names) > 0 {
			return environment, fault.New(fault.Conflict, "environment_exists",
				"The %s environment %s exists with other settings (%s). Omit %s.",
				k.Mode, environment.ID, DescribeSettings(environment.Settings), strings.Join(names, " and "))
		}
	}
	if !usecase.Absent(err) {
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
	return environment, p.tx.Tenancy.InsertEnvironment(ctx, environment)
}

// provider refuses a second account rather than replacing the first: charges that went through that one are still
// looked up and refunded with its credentials.
func (p *provisioner) provider(ctx context.Context, app db.App, environment db.Environment, k NewKey) error {
	if err := usecase.NeedsVault(p.vault); err != nil {
		return err
	}
	if err := p.gateway.Check(k.Account.Provider, string(k.Mode), k.Account.Credentials); err != nil {
		return err
	}
	existing, err := p.tx.Payments.ProviderConfig(ctx, environment.ID)
	if err == nil {
		return fault.New(fault.Conflict, "primary_provider_exists", "The %s environment %s has the account %s already. "+
			"Replace its credentials with `perennial provider update %s`.", k.Mode, environment.ID, existing.ID, existing.ID)
	}
	if !usecase.Absent(err) {
		return err
	}
	config := db.ProviderConfig{
		ID: id.New(id.ProviderConfig, p.tx.Real), EnvironmentID: environment.ID, Provider: k.Account.Provider,
		Account: account.Account{Primary: true, Priority: usecase.DefaultPriority},
		AppID:   app.ID, Keyset: app.Keyset,
	}
	sealed, err := gateway.Seal(p.vault, config, 1, k.Account.Credentials)
	if err != nil {
		return err
	}
	config.Credentials = []db.SealedCredentials{sealed}
	p.out.ProviderConfigID = config.ID
	p.note("provider configuration", config.ID)
	return p.tx.Payments.InsertProviderConfig(ctx, environment.ID, config)
}

func (p *provisioner) note(what, id string) { p.out.Created = append(p.out.Created, what+" "+id) }
