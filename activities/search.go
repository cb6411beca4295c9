package activities

import (
	"context"
	"slices"
	"strings"
	"time"

	"perennial/billing/lifecycle"
	"perennial/billing/payment"
	"perennial/db"
)

// search turns an exchange that may move money which a lost send has moved already, or end its transaction, into the next
// question after that send, or into the wait before it. The exchange stays as it is where nothing can be lost, or where
// nobody can be asked: then the same key is repeated, and only there. A payment that no account can take now is looked
// for at once: when one can, only a few are sent at a time. One that a stop holds is not. What a callback told about
// another account is followed first.
func (a *Payments) search(ctx context.Context, tx *db.Tx, env string, r *round, x *exchange, now time.Time) error {
	held := x.move == payment.MoveHold && !x.hold.ByStop
	if !x.asks() && x.move != payment.MoveAbandon && !held || !x.txn.MayRepeat(x.restored) || x.earlier != nil {
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
	asked, err := tx.Searched(ctx, env, x.txn.ID, x.restored)
	if err != nil {
		return err
	}
	x.hold = payment.Hold{Revision: found.Charging.AccountsRevision}
	holders, closed := a.holders(ctx, found, x)
	known := make([]payment.Holder, len(holders))
	for i, h := range holders {
		can := h.Capabilities()
		known[i] = payment.Holder{AccountID: h.ID, CanAsk: can.LookupByKey, ByTransaction: can.FindsTransaction}
	}
	s := x.txn.Search(known, x.restored, now)
	left := s.Left(asked)
	switch nothing := len(left.Ask) == 0 || left.Ended && (s.Blind || closed != nil); {
	case nothing && closed != nil:
		x.seek(closed.Provider, payment.MoveHold, unsearched(*closed)+" Its credentials cannot be opened.")
	case nothing && (s.Blind || x.strays(holders, s)):
		return x.unsearchable(ctx, tx, env, now)
	case nothing && !slices.ContainsFunc(known, func(h payment.Holder) bool { return !h.CanAsk }):
		x.nowhere(len(known) > 0, now)
	case nothing: // its key protects it at the only account
	case s.Wait > 0:
		x.seek("", payment.MoveHold, searching)
		x.wait, x.lost.Begin = s.Wait, true
	default:
		left.Ask = slices.DeleteFunc(left.Ask, r.unanswered)
		if len(left.Ask) == 0 {
			x.seek(r.silent[0].Provider, payment.MoveHold, unsearched(r.silent...))
			x.lost.Counted, x.lost.RetryAfter = r.counted, r.wait
			return nil
		}
		a.ask(x, holders, left)
		x.seek(x.config.Provider, payment.MoveLookup, unsearched(append(slices.Clone(r.silent), x.config)...))
		x.lost.Number, x.lost.ProviderConfigID = x.number, x.config.ID
		x.lost.Counted, x.lost.RetryAfter = r.counted, r.wait
		x.lost.Key, x.lost.Reason, x.lost.SentAt = x.key(), foundReason, now
		x.lost.Last, x.lost.Blind = left.Last && closed == nil, s.Blind
		x.lost.Ends = (left.Last || left.Ended) && closed == nil && !s.Blind
		fresh := left.Ask[:min(left.Fresh, len(left.Ask))]
		x.lost.Fresh = slices.ContainsFunc(fresh, func(q payment.Question) bool { return q.AccountID != x.config.ID })
	}
	return nil
}

// unanswered reports whether the account of a question did not answer another one in this round.
func (r *round) unanswered(q payment.Question) bool {
	return slices.ContainsFunc(r.silent, func(c db.ProviderConfig) bool { return c.ID == q.AccountID })
}

// ask turns the exchange to the next question of a search: the first to an account with a free slot, which it takes.
func (a *Payments) ask(x *exchange, holders []holder, left payment.Left) {
	next, full := left.Ask[0], map[string]bool{}
	at := func(q payment.Question) holder {
		return holders[slices.IndexFunc(holders, func(h holder) bool { return h.ID == q.AccountID })]
	}
	for _, q := range left.Ask {
		h := at(q)
		if !full[h.ID] && a.Slots.take(h.ID, h.ProviderConfig.Provider) {
			next, x.held = q, true
			break
		}
		full[h.ID] = true
	}
	h := at(next)
	x.config, x.provider, x.protocol = h.ProviderConfig, h.Provider, a.protocol(h.Provider)
	x.number = next.Number
}

// foundReason is in the place of a routing reason in the row of a send that a search has found.
const foundReason = "found after a restore"

// searching is why a payment waits that is looked for.
const searching = restarted + "Providers are asked whether they have this payment already."

// restarted is all that is known: a restore begins another life of the server, as a mere restart does.
const restarted = "PostgreSQL was restarted, or restored, after this payment was due. "

// seek makes the exchange one of the search, and says why the payment waits. The transaction shows no account that
// routing has chosen meanwhile.
func (x *exchange) seek(provider string, move payment.Move, why string) {
	x.move, x.lost, x.backups = move, &lifecycle.Lost{Why: why}, 0
	x.lost.Provider = provider
	x.unchosen()
}

// searched is what the call of the exchange shows of a search.
func (x *exchange) searched() (s db.Searched) {
	if x.lost != nil {
		s = db.Searched{ProviderConfigID: x.config.ID, Since: x.restored}
	}
	return s
}

// unsearched says, for people, which accounts have not answered.
func unsearched(accounts ...db.ProviderConfig) string {
	names := make([]string, len(accounts))
	for i, c := range accounts {
		names[i] = c.Provider + " (" + c.ID + ")"
	}
	if len(names) == 1 {
		return restarted + "The payment waits until " + names[0] + " answers whether it has it already."
	}
	return restarted + "The payment waits until these answer whether they have it already: " +
		strings.Join(names, ", ") + "."
}
