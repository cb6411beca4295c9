package charging

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/sdk/activity"

	"perennial/activities/execution"
	"perennial/billing/customer"
	"perennial/billing/payment"
	"perennial/db"
	"perennial/providers"
)

// removalTime bounds one request: the reconciler waits for it.
const removalTime = 8 * time.Second

// RemoveMethod removes a payment method at the accounts that may have stored it, and then forgets its token. It is
// repeated until each account that can remove methods has said that it has it no more; one that cannot keeps it as its
// provider's rules say. A method whose token another one has, because it was added again, stays at the provider.
func (a *Payments) RemoveMethod(ctx context.Context, ref db.Ref) error {
	removal, err := a.Store.Customers.Removal(ctx, ref.EnvironmentID, ref.ID)
	if errors.Is(err, db.ErrPaymentMethodNotFound) {
		return nil // an earlier attempt did it, and died before it was noted
	}
	if err != nil {
		return err
	}
	var left []string
	if !removal.Shared {
		if left, err = a.removeAtAll(ctx, ref.EnvironmentID, removal.Method); err != nil {
			return err
		}
	}
	now := a.Clock()
	return execution.InTx(ctx, a.Store, now, func(tx *db.Tx) error {
		if len(left) == 0 {
			return tx.Customers.EndRemoval(ctx, ref.EnvironmentID, ref.ID)
		}
		if activity.IsActivity(ctx) {
			activity.GetLogger(ctx).Warn("payment method is not removed at the provider yet", "paymentMethod", ref.ID,
				"reasons", left)
		}
		again := now.Add(customer.RemovalPause(removal.Tries))
		return tx.Customers.PostponeRemoval(ctx, ref.EnvironmentID, ref.ID, again)
	})
}

// removeAtAll returns why accounts have not removed a method.
func (a *Payments) removeAtAll(
	ctx context.Context, environmentID string, m customer.Method,
) (left []string, err error) {
	configs, err := a.Store.Payments.ProviderConfigs(ctx, environmentID)
	if err != nil {
		return nil, err
	}
	stored := payment.Method{Type: m.Type, Details: m.Details}
	for _, config := range configs {
		support := a.supports(config.Provider, stored)
		if stored.Refusal(config.Provider, support) != "" || !config.DisabledAt.IsZero() {
			continue
		}
		config, err := a.Store.Payments.ProviderConfigOf(ctx, environmentID, config.ID)
		if err != nil {
			return nil, err
		}
		adapter, err := a.Gateway.Provider(ctx, config)
		if err != nil {
			left = append(left, "account "+config.ID+" does not open")
			continue
		}
		remover, can := adapter.(providers.MethodRemover)
		if !can {
			continue
		}
		within, stop := context.WithTimeout(ctx, removalTime)
		res := remover.RemoveMethod(within, methodOf(stored))
		stop()
		if !res.Removed {
			left = append(left, res.Reason)
		}
	}
	return left, nil
}
