package charging

import (
	"slices"
	"time"

	"perennial/billing/payment"
)

// Found has the facts that a search for a lost send depends on.
type Found struct {
	Revision   int64    // of the environment's accounts
	AccountIDs []string // in Known.Accounts, including those deleted since
	Asked      []payment.Asked
}

// search is a plan for looking for a lost send.
type search struct {
	payment.Search

	holders  []Account    // that may have it
	closed   *Account     // an account that may have it and cannot be opened; nil: there is none
	left     payment.Left // to ask
	progress Progress
}

// look replaces a step that may move money which a lost send has moved already, or end its transaction, by the next
// question about that send, or by the wait before it. The step stays where nothing can be lost, or where no account can
// be asked: then the same key is repeated, and only there. A payment that no account can take now is searched at once:
// when one can, only a few are sent at a time. One that a stop holds is not. A callback about another account is
// followed first.
func (d *decision) look() bool {
	if d.mayBeLost() && !d.lookFor() {
		return false
	}
	if d.unopened != "" && d.step.Lost == nil && d.step.Move == payment.MoveHold { // it was not looked for
		d.step.Unreachable = d.unopened
		return false
	}
	return true
}

func (d *decision) mayBeLost() bool {
	held := d.step.Move == payment.MoveHold && !d.step.Hold.ByStop
	moves := d.step.Asks() || d.step.Move == payment.MoveAbandon || held
	return moves && d.mayRepeat() && d.step.Earlier == nil
}

func (d *decision) lookFor() bool {
	found := d.Known.Search
	if found == nil {
		// An account that was deleted since may have it: also before this restart, where an earlier one lost the capture.
		since := d.RestoredAt
		if due := d.step.Transaction.SendDueAt; !due.IsZero() && due.Before(since) {
			since = due
		}
		return d.needs(Need{Of: NeedSearch, Since: since})
	}
	s := search{progress: d.Progress}
	if !d.open(found.AccountIDs, &s) {
		return false
	}
	d.step.Hold = payment.Hold{Revision: found.Revision}
	known := make([]payment.Holder, len(s.holders))
	for i, h := range s.holders {
		known[i] = payment.Holder{AccountID: h.ID, CanAsk: h.Protocol.LookupByKey, ByTransaction: h.FindsTransaction}
	}
	s.Search = d.step.Transaction.Search(known, d.RestoredAt, d.Now)
	s.left = s.Left(found.Asked)
	blind := slices.ContainsFunc(known, func(h payment.Holder) bool { return !h.CanAsk })
	switch nothing := len(s.left.Ask) == 0 || s.left.Ended && (s.Blind || s.closed != nil); {
	case nothing && s.closed != nil:
		why := unsearched(named{s.closed.ID, s.closed.Provider}) + " Its credentials cannot be opened."
		d.step.toSearch(s.closed.Provider, payment.MoveHold, why)
	case nothing && (s.Blind || d.unprotected(s)):
		return d.unsearchable()
	case nothing && !blind:
		d.nothingLost(len(known) > 0)
	case nothing: // its key protects it at the only account
	case s.Wait > 0:
		d.step.toSearch("", payment.MoveHold, searching)
		d.step.Wait, d.step.Lost.Begin = s.Wait, true
	default:
		d.ask(s)
	}
	return true
}

// open opens the accounts that could have taken the payment before the database was restored, used or not since.
func (d *decision) open(ids []string, s *search) bool {
	for _, id := range ids {
		a := d.Known.Accounts[id]
		could := a.Account
		if d.step.Transaction.Method == (payment.Method{}) { // erased
			could.Refuses = ""
		}
		if !could.Takes(d.payment()) || !a.CreatedAt.Before(d.RestoredAt) {
			continue
		}
		a, known := d.opened(id)
		switch {
		case !known:
			return false
		case a.Opening == Closed:
			s.closed = &a
		default:
			s.holders = append(s.holders, a)
		}
	}
	return true
}

// nothingLost leaves the step as without a restore. known: accounts could have taken the payment, and all have nothing;
// otherwise none could, as far as is known now, so that a send still counts as a possible repeat.
func (d *decision) nothingLost(known bool) {
	s := &d.step
	if s.Move == payment.MoveSend && !known {
		return
	}
	s.Transaction = s.Transaction.NothingLost(d.Now)
	if s.Move == payment.MoveHold && !s.Transaction.EverSent() {
		s.Move = s.Transaction.Hold(d.RestoredAt)
	}
}

// unprotected reports whether the only account that could have taken the payment cannot be asked, and its key does not
// protect it there: it would be sent elsewhere, or it is not wanted any more, so that it is not repeated.
func (d *decision) unprotected(s search) bool {
	alone := len(s.holders) == 1 && len(s.Ask) == 0
	elsewhere := d.step.Move == payment.MoveSend && alone && s.holders[0].ID != d.step.AccountID
	t := d.step.Transaction
	return elsewhere || alone && !t.EverSent() && !t.CancelRequestedAt.IsZero()
}

// lastCall is the longest duration of a call to a provider: that of its activity.
const lastCall = time.Minute

// unsearchable makes the step the end of a search that proves nothing, because an account cannot be asked: the payment
// needs review. A charge that was sent before waits for a callback first, which says what became of it. Where its
// provider cannot be asked, it is still asked to cancel an unwanted charge: a cancel moves no money, and its answer
// ends nothing.
func (d *decision) unsearchable() bool {
	t, asks := d.step.Transaction, d.step.Protocol.LookupByKey
	if t.EverSent() && d.step.Move == payment.MoveCancel && !asks {
		return true
	}
	if t.EverSent() && d.step.Move == payment.MoveReplay && !asks {
		if refused, known := d.refusedBefore(); refused || !known {
			return known
		}
	}
	if t.EverSent() && t.ParkedAt.IsZero() {
		d.step.toSearch("", payment.MoveHold,
			restarted+"An account that may have the payment cannot be asked. The payment waits for a callback.")
		return true
	}
	d.step.toSearch("", payment.MoveReview, "")
	d.step.Lost = nil
	return true
}

// refusedBefore makes the step the refusal of a callback after which the payment may have been made again in the same
// call. No repeat will bring the reference that such evidence waits for, so it counts once every call has ended,
// including one that the restored database has lost. A later success is a late one.
func (d *decision) refusedBefore() (refused, known bool) {
	if d.Known.LastCall == nil {
		return false, d.needs(Need{Of: NeedLastCall})
	}
	last := d.RestoredAt
	if d.Known.LastCall.After(last) {
		last = *d.Known.LastCall
	}
	if d.Now.Sub(last) <= lastCall {
		return false, true
	}
	if d.Known.Refusal == nil {
		return false, d.needs(Need{Of: NeedRefusal, AccountID: d.step.AccountID, Named: true})
	}
	if len(*d.Known.Refusal) == 0 {
		return false, true
	}
	d.step.Move, d.step.Evidence = payment.MoveBelieve, *d.Known.Refusal
	return true, true
}
