package db

import (
	"context"
	"errors"

	"perennial/billing/money"
)

// ChargeLimits says which charges in a currency the environment's primary provider takes. Without a provider nothing is
// known, and nothing refused in advance.
func (tx *Tx) ChargeLimits(ctx context.Context, environmentID string, currency money.Currency) (money.Limits, error) {
	config, err := tx.ProviderConfig(ctx, environmentID)
	if errors.Is(err, ErrProviderConfigNotFound) || err == nil && tx.limits == nil {
		return money.Limits{}, nil
	}
	if err != nil {
		return money.Limits{}, err
	}
	return tx.limits(config.Provider, currency), nil
}
