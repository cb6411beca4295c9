package activities

import (
	"cmp"
	"context"
	"slices"
	"time"

	"perennial/billing/lifecycle"
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

// search turns an exchange that may move money which a lost send has moved already, or end its transaction, into the next
// question after that send, or into the wait before it. The exchange stays as it is where nothing can be lost, or where
// nobody can be asked: then the same key is repeated, and only there. A payment that no account can take now is looked
// for at once: when one can, only a few are sent at a time. One that a stop holds is not.
func (a *Payments) search(ctx context.Context, tx *db.Tx, env string, r *round, x *exchange, now time.Time) error {
	held := x.move == payment.MoveHold && !x.hold.ByStop
	if !x.asks() && x.move != payment.MoveAbandon && !held || !x.txn.MayRepeat(x.restored) {
		return nil
	}
	// An account that was deleted since may have it: also before this restart, where an earlier one lost the capture.
	since := x.restored
	if due := x.txn.SendDueAt; !due.IsZero() && due.Before(since) {
		since = due
	}
	found, err := tx.RoutingSince(ctx, env, since)
	if err != nil {
		return err
	}
	holders, closed := a.holders(ctx, found, x)
	known := make([]payment.Holder, len(holders))
	for i, h := range holders {
		can := h.Capabilities()
		known[i] = payment.Holder{AccountID: h.ID, CanAsk: can.LookupByKey, ByTransaction: can.FindsTransaction}
	}
	s := x.txn.Search(known, x.restored, now)
	left := slices.DeleteFunc(slices.Clone(s.Ask), func(q payment.Question) bool { return slices.Contains(r.absent, q) })
	switch {
	case closed != nil:
		x.seek(closed.Provider, payment.MoveHold)
		x.lost.Why = unsearched(*closed) + " Its credentials cannot be opened."
	case len(left) == 0 && (s.Blind || x.strays(holders, s)):
		x.seek("", payment.MoveReview)
		x.lost = nil
	case len(left) == 0:
	case s.Wait > 0:
		x.seek("", payment.MoveHold)
		x.lost.Why, x.wait = "The database was restored. Providers are asked whether they have this payment already.", s.Wait
	default:
		at := holders[slices.IndexFunc(holders, func(h holder) bool { return h.ID == left[0].AccountID })]
		x.seek(at.ProviderConfig.Provider, payment.MoveLookup)
		x.config, x.provider, x.protocol = at.ProviderConfig, at.Provider, a.protocol(at.Provider)
		x.number = left[0].Number
		x.lost.Number, x.lost.ProviderConfigID, x.lost.Key = x.number, at.ID, x.key()
		x.lost.Last, x.lost.Blind = len(left) == 1, s.Blind
		x.lost.Reason, x.lost.SentAt, x.lost.Why = foundReason, now, unsearched(at.ProviderConfig)
	}
	x.hold = payment.Hold{Revision: found.Charging.AccountsRevision}
	return nil
}

// strays reports whether the payment would be sent elsewhere than to the only account that could have taken it, which
// cannot be asked: its key protects nobody there.
func (x *exchange) strays(holders []holder, s payment.Search) bool {
	return x.move == payment.MoveSend && len(holders) == 1 && len(s.Ask) == 0 && holders[0].ID != x.config.ID
}

// foundReason is in the place of a routing reason in the row of a send that a search has found.
const foundReason = "found after a restore"

// seek makes the exchange one of the search. The transaction shows no account that routing has chosen meanwhile.
func (x *exchange) seek(provider string, move payment.Move) {
	x.move, x.lost, x.backups = move, &lifecycle.Lost{}, 0
	x.lost.Provider = provider
	x.unchosen()
}

// unsearched says, for people, which account has not answered.
func unsearched(c db.ProviderConfig) string {
	return "The database was restored. The payment waits until " + c.Provider + " (" + c.ID +
		") answers whether it has it already."
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
