package activities

import (
	"context"

	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/routing"
	"perennial/db"
)

// unreadable returns why an account cannot take a first send where its stored credentials cannot be opened; nil: they
// can. Nothing was sent, so that the payment goes to the next account. Operators hear of it as of credentials that a
// provider refuses: payments through the account fail until a person acts.
func (a *Payments) unreadable(
	ctx context.Context, tx *db.Tx, env string, x *exchange, c db.ProviderConfig,
) (*routing.Exclusion, error) {
	_, err := a.Gateway.Provider(ctx, c)
	if err == nil {
		return nil, nil //nolint:nilnil // they can be read, nearly always
	}
	a.Observer.CredentialsRefused(ctx, CredentialsRefused{
		EnvironmentID: env, TransactionID: x.txn.ID, ProviderConfigID: c.ID, Provider: c.Provider,
		Reason: "the stored credentials cannot be read: " + fault.From(err).Code,
	})
	out := &routing.Exclusion{
		AccountID: c.ID, Provider: c.Provider, Why: "its stored credentials cannot be read", Cause: routing.Resting,
	}
	if !c.FailingSince.IsZero() {
		return out, nil
	}
	news, err := tx.MarkProviderFailing(ctx, env, c.ID)
	if err != nil || !news {
		return out, err
	}
	of := event.ProviderConfig{ID: c.ID, Provider: c.Provider}
	return out, tx.Emit(ctx, env,
		event.New(event.ProviderFailing{ProviderConfig: of, Reason: "credentials_unreadable"}, tx.Real))
}
