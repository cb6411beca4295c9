package payments

import (
	"cmp"
	"context"
	"slices"

	"perennial/billing/money"
)

// ChargeLimits returns the limits of charges in a currency: those of the environment's primary account, or, where it
// does not take the currency, of the first backup that does. Without a provider there are no limits, and nothing is
// refused in advance.
func (tx *Tx) ChargeLimits(ctx context.Context, environmentID string, currency money.Currency) (money.Limits, error) {
	return ChargeLimits(ctx, tx.Reader, tx.Limits, environmentID, currency)
}

// ChargeLimits returns the limits of charges in a currency of an environment's accounts, from the known limits of
// providers.
func ChargeLimits(
	ctx context.Context, r Reader, of func(provider string, currency money.Currency) money.Limits, environmentID string,
	currency money.Currency,
) (limits money.Limits, err error) {
	accounts, err := r.ProviderConfigs(ctx, environmentID)
	if err != nil || of == nil {
		return limits, err
	}
	accounts = slices.DeleteFunc(accounts, func(c ProviderConfig) bool { return !c.DisabledAt.IsZero() })
	slices.SortStableFunc(accounts, func(a, b ProviderConfig) int {
		if a.Primary != b.Primary {
			return map[bool]int{true: -1, false: 1}[a.Primary]
		}
		return cmp.Or(cmp.Compare(a.Priority, b.Priority), cmp.Compare(a.ID, b.ID))
	})
	for _, c := range accounts {
		if limits = of(c.Provider, currency); !limits.Unchargeable {
			break
		}
	}
	return limits, nil
}

// AccountLimits returns the limits of charges in a currency of each account in use, of all providers or of one. Without
// an account there are none.
func (tx *Tx) AccountLimits(
	ctx context.Context, environmentID, provider string, currency money.Currency,
) (limits []money.Limits, err error) {
	accounts, err := tx.ProviderConfigs(ctx, environmentID)
	if err != nil || tx.Limits == nil {
		return nil, err
	}
	for _, c := range accounts {
		if c.DisabledAt.IsZero() && (provider == "" || provider == c.Provider) {
			limits = append(limits, tx.Limits(c.Provider, currency))
		}
	}
	return limits, nil
}
