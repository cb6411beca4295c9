package payments

import (
	"context"
	"slices"

	"perennial/billing/account"
	"perennial/billing/fault"
	"perennial/db"
	"perennial/internal/id"
	"perennial/service/gateway"
	"perennial/service/usecase"
)

// maxProviders bounds the accounts of an environment: each charge may look at all of them.
const maxProviders = 20

var errProviderLimit = fault.New(fault.Conflict, "provider_limit",
	"The environment has %d payment providers, and no more are possible. Delete one first.", maxProviders)

// ProviderForm is a new account.
type ProviderForm struct {
	usecase.Account
	Primary  bool // makes it the primary one; the first account of an environment always is
	Priority *int // of a backup; nil: the default
}

// CreateProvider tests the connection and adds the account, whatever the result. Faults: those of gateway.Check,
// provider_limit, kek_missing, keyset_unreadable.
func (s *Service) CreateProvider(
	ctx context.Context, by usecase.Caller, f ProviderForm, also usecase.Also[db.ProviderConfig],
) (db.ProviderConfig, error) {
	if s.vault == nil {
		return db.ProviderConfig{}, usecase.ErrKEKMissing
	}
	if err := s.gateway.Check(f.Provider, string(by.Mode), f.Credentials); err != nil {
		return db.ProviderConfig{}, err
	}
	// Before the transaction, which must not wait for a provider.
	found := s.try(ctx, f.Provider, string(by.Mode), f.Credentials)
	return usecase.Transact(ctx, s.Base, by, also, func(tx *db.Tx) (db.ProviderConfig, error) {
		p, err := s.administer(ctx, tx, by.EnvironmentID)
		if err != nil {
			return db.ProviderConfig{}, err
		}
		return p.create(ctx, f, found)
	})
}

// administration is a change of an environment's accounts. It holds them, and the app's keyset, until its transaction
// ends.
type administration struct {
	*sealer
	environmentID, mode string
	app                 db.App
	all                 []db.ProviderConfig // without sealed data
}

func (s *Service) administer(ctx context.Context, tx *db.Tx, environmentID string) (administration, error) {
	p := administration{
		sealer: &sealer{tx: tx, vault: s.vault, gateway: s.gateway}, environmentID: environmentID,
	}
	var err error
	if p.mode, p.app, err = tx.Payments.LockProviderConfigs(ctx, environmentID); err != nil {
		return p, err
	}
	p.all, err = tx.Payments.ProviderConfigs(ctx, environmentID)
	return p, err
}

// find returns a configuration that is not deleted. Fault: provider_config_not_found.
func (p administration) find(configID string) (db.ProviderConfig, error) {
	for _, c := range p.all {
		if c.ID == configID {
			return c, nil
		}
	}
	return db.ProviderConfig{}, db.ErrProviderConfigNotFound
}

// others counts the other configurations that could be the primary one.
func (p administration) others(configID string) (n int) {
	for _, c := range p.all {
		if c.ID != configID && c.DisabledAt.IsZero() {
			n++
		}
	}
	return n
}

func (p administration) hasPrimary() bool {
	return slices.ContainsFunc(p.all, func(c db.ProviderConfig) bool { return c.Primary })
}

func (p administration) create(ctx context.Context, f ProviderForm, found testResult) (db.ProviderConfig, error) {
	if len(p.all) >= maxProviders {
		return db.ProviderConfig{}, errProviderLimit
	}
	c := db.ProviderConfig{
		ID: id.New(id.ProviderConfig, p.tx.Real), EnvironmentID: p.environmentID, AppID: p.app.ID, Keyset: p.app.Keyset,
		Provider: f.Provider, CreatedAt: p.tx.Real, CredentialNames: f.Credentials.Names(),
		Account: account.Account{Primary: f.Primary || !p.hasPrimary(), Priority: usecase.DefaultPriority},
	}
	if f.Priority != nil {
		c.Priority = *f.Priority
	}
	sealed, err := gateway.Seal(p.vault, c, 1, f.Credentials)
	if err != nil {
		return c, err
	}
	c.Credentials = []db.SealedCredentials{sealed}
	if c.Primary {
		if err := p.demote(ctx, c.ID); err != nil {
			return c, err
		}
	}
	p.tx.AuditMade(c.ID)
	if err := p.tx.Payments.InsertProviderConfig(ctx, p.environmentID, c); err != nil {
		return c, err
	}
	if err := p.tx.Payments.NoteProviderChange(ctx, p.environmentID, c.ID, []string{"created"}); err != nil {
		return c, err
	}
	return p.tested(ctx, c, found)
}

// demote makes the primary configuration a backup, unless it has the given ID.
func (p administration) demote(ctx context.Context, except string) error {
	for _, c := range p.all {
		if !c.Primary || c.ID == except {
			continue
		}
		c.Primary = false
		if err := p.tx.Payments.SaveProviderConfig(ctx, p.environmentID, c, []string{"isPrimary"}); err != nil {
			return err
		}
	}
	return nil
}
