package payments

import (
	"context"
	"errors"
	"time"

	"perennial/billing/fault"
	"perennial/billing/routing"
	"perennial/db"
	"perennial/service/gateway"
	"perennial/service/usecase"
)

// testPatience is the time that a connection test may take: its caller waits.
const testPatience = 4 * time.Second

// testResult is the result of a connection test.
type testResult struct {
	done    bool   // false: there was none
	problem string // for people; empty: the provider takes the credentials
	refused bool   // the provider refuses them; else it could not be asked
}

// try asks the provider whether it takes credentials.
func (s *Service) try(ctx context.Context, provider, mode string, c gateway.Credentials) testResult {
	ctx, cancel := context.WithTimeout(ctx, testPatience)
	defer cancel()
	return resultOf(s.gateway.Try(ctx, provider, mode, c))
}

func resultOf(err error) testResult {
	if err == nil {
		return testResult{done: true}
	}
	f := fault.From(err)
	return testResult{done: true, problem: f.Detail, refused: f.Refusal()}
}

// opened are the stored credentials of an account. Faults: provider_config_not_found, kek_missing, keyset_unreadable,
// credential_unreadable.
func (s *Service) opened(ctx context.Context, environmentID, configID string) (gateway.Credentials, error) {
	if s.vault == nil {
		return nil, usecase.ErrKEKMissing
	}
	config, err := s.Store.Payments.ProviderConfigOf(ctx, environmentID, configID)
	if err != nil {
		return nil, err
	}
	return gateway.Unseal(s.vault, config)
}

// TestProvider asks the provider whether it accepts the stored credentials of an account, and stores the result. Fault:
// provider_config_not_found.
func (s *Service) TestProvider(
	ctx context.Context, by usecase.Caller, configID string, around usecase.Around[db.ProviderConfig],
) error {
	found, err := s.testStored(ctx, by.EnvironmentID, configID)
	if err != nil {
		return err
	}
	return s.onProvider(ctx, by, configID, around,
		func(p administration, c db.ProviderConfig) (db.ProviderConfig, []string, error) {
			c, err := p.tested(ctx, c, found)
			return c, nil, err
		})
}

func (s *Service) testStored(ctx context.Context, environmentID, configID string) (testResult, error) {
	stored, err := s.opened(ctx, environmentID, configID)
	if err != nil {
		return testResult{}, err
	}
	config, err := s.Store.Payments.ProviderConfigOf(ctx, environmentID, configID)
	if err != nil {
		return testResult{}, err
	}
	return s.try(ctx, config.Provider, config.Mode, stored), nil
}

// TestDueProviders tests the accounts whose last test is a day old, one after the other, until none is due or ctx ends.
// Each is claimed first, so that processes share them.
func (s *Service) TestDueProviders(ctx context.Context) error {
	by := db.BySystem("connection_test")
	var errs []error
	for ctx.Err() == nil {
		var environmentID, configID string
		var claimed bool
		err := s.Store.InTx(ctx, by, s.Now(), func(tx *db.Tx) (err error) {
			environmentID, configID, claimed, err = tx.Payments.ClaimProviderTest(ctx)
			return err
		})
		if err != nil || !claimed {
			return errors.Join(append(errs, err)...)
		}
		// An account that does not open is its app's trouble: the others are tested all the same.
		errs = append(errs, s.TestProvider(ctx, usecase.Caller{Actor: by, EnvironmentID: environmentID}, configID,
			usecase.Around[db.ProviderConfig]{}))
	}
	return errors.Join(errs...)
}

// tested stores the result of a connection test, and announces it where credentials begin to be refused, or are
// accepted again. A test that passes closes a breaker that no payment probes; where payments probe it, they decide.
func (p administration) tested(ctx context.Context, c db.ProviderConfig, found testResult) (db.ProviderConfig, error) {
	if !found.done {
		return c, nil
	}
	c.Tested(found.problem, p.tx.Real)
	if err := p.tx.Payments.SaveProviderTest(ctx, p.environmentID, c); err != nil {
		return c, err
	}
	if found.problem == "" && c.Breaker.Unprobed(p.tx.Real) {
		c.Breaker = routing.Breaker{}
		if err := p.tx.Payments.SaveBreaker(ctx, p.environmentID, c.ID, c.Breaker); err != nil {
			return c, err
		}
	}
	switch {
	case found.refused && c.FailingSince.IsZero():
		news, err := p.tx.Payments.MarkProviderFailing(ctx, p.environmentID, c, "credentials_refused")
		if news {
			c.FailingSince = p.tx.Real
		}
		return c, err
	case found.problem == "" && !c.FailingSince.IsZero():
		news, err := p.tx.Payments.MarkProviderRecovered(ctx, p.environmentID, c)
		if news {
			c.FailingSince = time.Time{}
		}
		return c, err
	}
	return c, nil
}
