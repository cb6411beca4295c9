package payments

import (
	"context"

	"perennial/billing/audit"
	"perennial/db"
	"perennial/service/gateway"
	"perennial/service/usecase"
)

// ProviderChange changes the fields that are given.
type ProviderChange struct {
	Credentials gateway.Credentials // absent ones stay; an empty value removes one
	Primary     *bool
	Priority    *int
	// MaxRequestsPerSecond is a new bound; zero: the adapter's own.
	MaxRequestsPerSecond *int
}

// UpdateProvider changes an account. New credentials are tested, and stored whatever the result. Faults:
// provider_config_not_found, provider_disabled, primary_provider_required, those of gateway.Check, kek_missing,
// keyset_unreadable, credential_unreadable.
func (s *Service) UpdateProvider(
	ctx context.Context, by usecase.Caller, configID string, u ProviderChange, around usecase.Around[db.ProviderConfig],
) error {
	var found testResult
	if len(u.Credentials) > 0 {
		stored, err := s.opened(ctx, by.EnvironmentID, configID)
		if err != nil {
			return err
		}
		next := stored.With(u.Credentials)
		config, err := s.Store.Payments.ProviderConfigOf(ctx, by.EnvironmentID, configID)
		if err != nil {
			return err
		}
		if err := s.gateway.Check(config.Provider, config.Mode, next); err != nil {
			return err
		}
		found = s.try(ctx, config.Provider, config.Mode, next)
	}
	return s.onProvider(ctx, by, configID, around,
		func(p administration, c db.ProviderConfig) (db.ProviderConfig, []string, error) {
			if len(u.Credentials) > 0 {
				locked, err := p.tx.Payments.ProviderConfigOf(ctx, by.EnvironmentID, configID)
				if err != nil {
					return c, nil, err
				}
				renewed, err := p.renew(ctx, locked, u.Credentials)
				if err != nil {
					return c, nil, err
				}
				p.tx.AuditChanges(audit.Changes("payment_provider", renewed, nil, nil)...)
				if c.CredentialNames, err = p.tx.Payments.CredentialNames(ctx, by.EnvironmentID, configID); err != nil {
					return c, nil, err
				}
				if c, err = p.tested(ctx, c, found); err != nil {
					return c, nil, err
				}
			}
			var changed []string
			if u.Primary != nil && *u.Primary != c.Primary {
				if err := c.SetPrimary(*u.Primary); err != nil {
					return c, nil, err
				}
				if err := p.demote(ctx, c.ID); err != nil {
					return c, nil, err
				}
				changed = append(changed, "isPrimary")
			}
			if u.Priority != nil && *u.Priority != c.Priority {
				c.Priority = *u.Priority
				changed = append(changed, "priority")
			}
			if u.MaxRequestsPerSecond != nil && *u.MaxRequestsPerSecond != c.MaxRequestsPerSecond {
				c.MaxRequestsPerSecond = *u.MaxRequestsPerSecond
				changed = append(changed, "maxRequestsPerSecond")
			}
			return c, changed, nil
		})
}

// DisableProvider keeps new charges from an account. Pending ones continue. Faults: provider_config_not_found,
// provider_is_primary.
func (s *Service) DisableProvider(
	ctx context.Context, by usecase.Caller, configID string, around usecase.Around[db.ProviderConfig],
) error {
	return s.onProvider(ctx, by, configID, around,
		func(p administration, c db.ProviderConfig) (db.ProviderConfig, []string, error) {
			was := c.DisabledAt
			err := c.Disable(p.others(c.ID), p.tx.Real)
			return c, when(was != c.DisabledAt, "disabled"), err
		})
}

// EnableProvider allows new charges on an account again. Fault: provider_config_not_found.
func (s *Service) EnableProvider(
	ctx context.Context, by usecase.Caller, configID string, around usecase.Around[db.ProviderConfig],
) error {
	return s.onProvider(ctx, by, configID, around,
		func(p administration, c db.ProviderConfig) (db.ProviderConfig, []string, error) {
			was := c.DisabledAt
			c.Enable(p.hasPrimary())
			return c, when(was != c.DisabledAt, "enabled"), nil
		})
}

// DeleteProvider hides an account. Its payments stay, and refunds of them still go through it. Faults:
// provider_config_not_found, provider_has_unfinished_payments, provider_is_primary.
func (s *Service) DeleteProvider(
	ctx context.Context, by usecase.Caller, configID string, around usecase.Around[db.ProviderConfig],
) error {
	return s.onProvider(ctx, by, configID, around,
		func(p administration, c db.ProviderConfig) (db.ProviderConfig, []string, error) {
			unfinished, err := p.tx.Payments.HasPendingPayments(ctx, by.EnvironmentID, c.ID)
			if err != nil {
				return c, nil, err
			}
			err = c.Delete(unfinished, p.others(c.ID), p.tx.Real)
			return c, []string{"deleted"}, err
		})
}

func when(is bool, changed string) []string {
	if is {
		return []string{changed}
	}
	return nil
}

// onProvider holds the accounts of the environment and saves what change made of one of them, if that is anything.
func (s *Service) onProvider(
	ctx context.Context, by usecase.Caller, configID string, around usecase.Around[db.ProviderConfig],
	change func(p administration, c db.ProviderConfig) (db.ProviderConfig, []string, error),
) error {
	return around.Transact(ctx, s.Base, by, func(tx *db.Tx) (db.ProviderConfig, error) {
		p, err := s.administer(ctx, tx, by.EnvironmentID)
		if err != nil {
			return db.ProviderConfig{}, err
		}
		c, err := p.find(configID)
		if err != nil {
			return c, err
		}
		was := c
		c, changed, err := change(p, c)
		tx.AuditObject(configID)
		tx.AuditChanges(audit.Changes("payment_provider", changed, was, c)...)
		if err != nil || len(changed) == 0 {
			return c, err
		}
		return c, tx.Payments.SaveProviderConfig(ctx, by.EnvironmentID, c, changed)
	})
}
