package payments

import (
	"context"
	"fmt"
	"slices"

	"perennial/billing/routing"
	"perennial/db"
	"perennial/service/usecase"
)

// ReplaceRoutingRules replaces the routing rules of an environment, in the given order. Faults: those of routing.Check,
// provider_config_not_found.
func (s *Service) ReplaceRoutingRules(
	ctx context.Context, by usecase.Caller, rules []routing.Rule, around usecase.Around[[]routing.Rule],
) error {
	if err := routing.Check(rules); err != nil {
		return err
	}
	return around.Transact(ctx, s.Base, by, func(tx *db.Tx) ([]routing.Rule, error) {
		// No account may be deleted meanwhile, and of two requests one comes after the other as a whole.
		if _, _, err := tx.Payments.LockProviderConfigs(ctx, by.EnvironmentID); err != nil {
			return nil, err
		}
		accounts, err := tx.Payments.ProviderConfigs(ctx, by.EnvironmentID)
		if err != nil {
			return nil, err
		}
		for i := range rules {
			rules[i].Position = i + 1
			known := slices.ContainsFunc(accounts, func(c db.ProviderConfig) bool { return c.ID == rules[i].AccountID })
			if !known {
				return nil, usecase.InParam(db.ErrProviderConfigNotFound, fmt.Sprintf("rules[%d].providerConfigId", i))
			}
		}
		return rules, tx.Payments.ReplaceRoutingRules(ctx, by.EnvironmentID, rules)
	})
}
