package customers

import (
	"context"
	"slices"
	"strings"

	"perennial/billing/customer"
	"perennial/billing/money"
	"perennial/db"
	"perennial/providers"
	"perennial/service/gateway"
)

// TakesWallets reports whether an active account of the environment may take mobile money in a currency.
func (s *Service) TakesWallets(ctx context.Context, environmentID string, c money.Currency) (bool, error) {
	configured, err := s.Store.Payments.ProviderConfigs(ctx, environmentID)
	return slices.ContainsFunc(configured, func(config db.ProviderConfig) bool {
		return config.DisabledAt.IsZero() && gateway.TakesWallets(config.Provider, c)
	}), err
}

// anyWallet is no operator: asked for it, accounts name those of the number's country.
const anyWallet = customer.MobileMoney + "any"

// WalletsOf returns the types of payment method that a phone number can have and an active account takes in a currency,
// sorted. It asks accounts, which may use the network. None: the number has no such wallet, as far as is known.
func (s *Service) WalletsOf(
	ctx context.Context, environmentID, phone string, c money.Currency,
) (types []string, err error) {
	configured, err := s.Store.Payments.ProviderConfigs(ctx, environmentID)
	if err != nil {
		return nil, err
	}
	for _, config := range configured {
		if !config.DisabledAt.IsZero() || !gateway.TakesWallets(config.Provider, c) {
			continue
		}
		if config, err = s.Store.Payments.ProviderConfigOf(ctx, environmentID, config.ID); err != nil {
			return nil, err
		}
		for _, known := range s.gateway.Supports(ctx, config, providers.Method{Type: anyWallet, PhoneNumber: phone}).Known {
			support := s.gateway.Supports(ctx, config, providers.Method{Type: known, PhoneNumber: phone})
			takes := support.Accepted && (len(support.Currencies) == 0 || slices.Contains(support.Currencies, c))
			if takes && strings.HasPrefix(known, customer.MobileMoney) {
				types = append(types, known)
			}
		}
	}
	slices.Sort(types)
	return slices.Compact(types), nil
}
