package activities

import (
	"cmp"
	"context"

	"perennial/billing/payment"
	"perennial/billing/routing"
	"perennial/db"
	"perennial/providers"
)

// holder is an account that may have a lost send, opened.
type holder struct {
	db.ProviderConfig
	providers.Provider
}

// holders opens the accounts that could have taken the payment before the database was restored, used or not since. It
// returns one that cannot be opened, if any.
func (a *Payments) holders(ctx context.Context, found db.Routing, x *exchange) (out []holder, closed *db.ProviderConfig) {
	t := x.txn
	for _, f := range found.Accounts {
		could := a.candidate(f, t)
		if t.Method == (payment.Method{}) { // erased
			could.Refuses = ""
		}
		if !could.Takes(x.payment()) || !f.CreatedAt.Before(x.restored) {
			continue
		}
		opened, err := a.Gateway.Provider(ctx, f)
		if err != nil {
			closed = &f
			continue
		}
		out = append(out, holder{f, opened})
	}
	return out, closed
}

// payment is what routing must know of it.
func (x *exchange) payment() routing.Payment {
	t := x.txn
	return routing.Payment{
		Country:  cmp.Or(x.country, routing.CountryOf(t.Method.Details.PhoneNumber)),
		Currency: t.Currency, Method: t.Method.Type, Amount: t.Amount, Provider: t.Method.Details.Provider,
	}
}
