package activities

import (
	"context"
	"slices"
	"time"

	"perennial/billing/payment"
	"perennial/billing/routing"
	"perennial/db"
	"perennial/providers"
)

// route returns the account that takes the first send of a payment; one without an ID: none can, and x.reason says why.
// It is decided when sending, since what was true when the payment was made may be hours old.
func (a *Payments) route(
	ctx context.Context, tx *db.Tx, env string, r *round, x *exchange,
) (db.ProviderConfig, error) {
	found, err := tx.Routing(ctx, env)
	if err != nil {
		return db.ProviderConfig{}, err
	}
	x.hold.Revision = found.Charging.AccountsRevision
	if !found.Charging.PausedAt.IsZero() {
		x.stopped("Charging is paused in this environment.")
		return db.ProviderConfig{}, nil
	}
	now := a.Clock()
	accounts := make([]routing.Account, len(found.Accounts))
	for i, f := range found.Accounts {
		accounts[i] = a.candidate(f, x.txn)
	}
	choices, excluded := routing.Route(x.payment(), found.Rules, accounts, now)
	if forced, ok := routing.Forced(excluded); ok && len(choices) == 0 {
		choices = append(choices, forced)
	}
	choices = slices.DeleteFunc(choices, func(c routing.Choice) bool { return slices.Contains(r.refused, c.AccountID) })
	for i, c := range choices {
		at := slices.IndexFunc(found.Accounts, func(f db.ProviderConfig) bool { return f.ID == c.AccountID })
		if out, err := a.unreadable(ctx, tx, env, x, found.Accounts[at]); err != nil {
			return db.ProviderConfig{}, err
		} else if out != nil {
			excluded, x.wait = append(excluded, *out), routing.Cooldown
			continue
		}
		if c.Probe && x.txn.MayRepeat(x.restored) { // what is looked for first would only use the claim up
			x.unclaimed = true
		} else if c.Probe {
			mine, err := tx.ClaimProbe(ctx, env, c.AccountID, now)
			if err != nil {
				return db.ProviderConfig{}, err
			}
			if !mine { // another payment probes it
				x.wait = routing.Cooldown
				continue
			}
		}
		x.reason, x.backups = c.Reason, len(choices)-i-1
		return found.Accounts[at], nil
	}
	x.reason, x.wait = routing.Explain(excluded), max(x.wait, routing.Wait(excluded))
	if stopped, ok := routing.Stops(excluded); ok && x.wait == 0 && len(r.refused) == 0 {
		x.stopped("Charging is paused for the payment provider " + stopped + ".")
	}
	return db.ProviderConfig{}, nil
}

// claim claims the probe of a send that was not looked for after all, because no account could be asked. Where another
// payment probes the account, this one waits.
func (x *exchange) claim(ctx context.Context, tx *db.Tx, env string, now time.Time) error {
	if !x.unclaimed || x.move != payment.MoveSend {
		return nil
	}
	mine, err := tx.ClaimProbe(ctx, env, x.config.ID, now)
	if err == nil && !mine {
		x.move, x.reason, x.wait = payment.MoveHold, "Another payment probes the account.", routing.Cooldown
		x.unchosen()
	}
	return err
}

// stopped notes that a charging stop holds a first send.
func (x *exchange) stopped(why string) {
	x.hold.ByStop, x.reason = true, why+" The payment is sent when charging is resumed."
}

// candidate is what routing must know of an account, for a payment.
func (a *Payments) candidate(f db.ProviderConfig, t payment.Transaction) routing.Account {
	return routing.Account{
		ID: f.ID, Provider: f.Provider, Primary: f.Primary, Priority: f.Priority, Disabled: !f.DisabledAt.IsZero(),
		Stopped: !f.ChargingPausedAt.IsZero(), Breaker: f.Breaker,
		Limits: a.Factories.Limits(f.Provider, t.Currency), Refuses: a.refuses(f.Provider, t.Method),
	}
}

// refuses returns why a provider does not accept a payment method; empty: it does, or nobody knows. A saved method is
// of the provider that saved it.
func (a *Payments) refuses(provider string, m payment.Method) string {
	d := m.Details
	if d.PaymentMethodToken != "" && d.Provider != "" && d.Provider != provider {
		return "the payment method was saved at " + d.Provider
	}
	factory, err := a.Factories.Factory(provider)
	if err != nil { // not registered: nothing is known in advance
		return ""
	}
	support := factory.Supports(methodOf(m))
	if support.Accepted {
		return ""
	}
	return support.Reason
}

func methodOf(m payment.Method) providers.Method {
	return providers.Method{
		Type: m.Type, CustomerToken: m.Details.CustomerToken, PaymentMethodToken: m.Details.PaymentMethodToken,
		PhoneNumber: m.Details.PhoneNumber,
	}
}
