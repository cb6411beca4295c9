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
	asked, err := a.removeAtAll(ctx, ref, removal.Method)
	if err != nil {
		return err
	}
	now := a.Clock()
	return execution.InTx(ctx, a.Store, now, func(tx *db.Tx) error {
		after, err := tx.Customers.Removal(ctx, ref.EnvironmentID, ref.ID)
		switch {
		case errors.Is(err, db.ErrPaymentMethodNotFound):
			return nil
		case err != nil:
			return err
		case after.Shared && asked.any:
			warn(ctx, "payment method was added again while its provider was asked to remove it: charges with it may fail",
				"paymentMethod", ref.ID)
		case !after.Shared && len(asked.left) > 0:
			warn(ctx, "payment method is not removed at the provider yet", "paymentMethod", ref.ID, "reasons", asked.left)
			again := now.Add(customer.RemovalPause(removal.Tries))
			return tx.Customers.PostponeRemoval(ctx, ref.EnvironmentID, ref.ID, again)
		}
		return tx.Customers.EndRemoval(ctx, ref.EnvironmentID, ref.ID)
	})
}

func warn(ctx context.Context, message string, about ...any) {
	if activity.IsActivity(ctx) {
		activity.GetLogger(ctx).Warn(message, about...)
	}
}

// removals is what became of requests to remove a payment method.
type removals struct {
	any  bool     // an account was asked
	left []string // why accounts have not removed it
}

// removeAtAll asks all accounts that may have stored a method, also disabled ones: removal charges nothing. Before each
// request it reads whether the token was added again meanwhile, since requests take long.
func (a *Payments) removeAtAll(ctx context.Context, ref db.Ref, m customer.Method) (asked removals, err error) {
	configs, err := a.Store.Payments.ProviderConfigs(ctx, ref.EnvironmentID)
	if err != nil {
		return asked, err
	}
	stored := payment.Method{Type: m.Type, Details: m.Details}
	for _, config := range configs {
		if stored.Refusal(config.Provider, a.supports(config.Provider, stored)) != "" {
			continue
		}
		config, err := a.Store.Payments.ProviderConfigOf(ctx, ref.EnvironmentID, config.ID)
		if err != nil {
			return asked, err
		}
		adapter, err := a.Gateway.Provider(ctx, config)
		if err != nil {
			asked.left = append(asked.left, "account "+config.ID+" does not open")
			continue
		}
		remover, can := adapter.(providers.MethodRemover)
		if !can {
			continue
		}
		now, err := a.Store.Customers.Removal(ctx, ref.EnvironmentID, ref.ID)
		if now.Shared || errors.Is(err, db.ErrPaymentMethodNotFound) {
			return asked, nil
		}
		if err != nil {
			return asked, err
		}
		within, stop := context.WithTimeout(ctx, removalTime)
		res := remover.RemoveMethod(within, methodOf(stored))
		stop()
		asked.any = true
		if !res.Removed {
			asked.left = append(asked.left, res.Reason)
		}
	}
	return asked, nil
}
