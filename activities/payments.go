package activities

import (
	"context"
	"errors"
	"time"

	"perennial/billing/payment"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/failpoint"
	"perennial/providers"
	"perennial/providers/wire"
)

// Payments are the activities that talk to providers.
type Payments struct {
	Store    *db.Store
	Clock    Clock
	Gateway  Gateway
	Observer Observer
	// AbsenceGap replaces payment.Protocol's where a provider has one; zero: it stays.
	AbsenceGap time.Duration
	// PublicURL is how payers reach the API; empty: no payer is asked to confirm a charge.
	PublicURL string
	// ConfirmWithin is how long a payer has for that; zero: a day.
	ConfirmWithin time.Duration
	// Factories know which payments a provider takes; nil: nothing is known in advance.
	Factories providers.Registry
	// Slots bound the exchanges with each account; nil: they are not bounded.
	Slots *Slots
	// Pacing keeps the requests to each account within its limit; nil: it is not kept.
	Pacing *Pacing
}

// Charge performs the next step of the charge protocol on an open transaction: first send, replay, look-up or
// cancellation, as its row says. It commits the intent, calls the provider and records the result. A repeat finds the
// intent and acts on it.
func (a *Payments) Charge(ctx context.Context, in contract.ResolveInput) (contract.ResolveOutput, error) {
	var r round
	for {
		out, more, err := a.step(ctx, in, &r)
		if err != nil {
			return out, err
		}
		if !more {
			return out, a.errUnsent(ctx, r)
		}
	}
}

// round is what the steps of one activity know of each other.
type round struct {
	txn     payment.Transaction // as the last step left it; zero: there was nothing to do
	idle    bool                // it waits for a provider to be there again: for nothing but time
	earlier bool                // the provider of an earlier send was asked
	refused []string            // accounts that surely did not take a new send
	heard   bool                // callbacks about a charge that may repeat a lost send were followed
	sought  []string            // accounts that were asked about lost sends
	silent  []db.ProviderConfig // those of them that did not answer
	turn    string              // the account whose turn was waited for; empty: none was
	counted bool                // that none is left which owes no answer was counted as a check of the payment
	wait    time.Duration       // the longest that those which did not answer have asked for
}

// step is one exchange. It reports whether there is more to do at once: what callbacks prove needs no exchange, and what
// they say about an earlier send says nothing about the current one.
func (a *Payments) step(
	ctx context.Context, in contract.ResolveInput, r *round,
) (_ contract.ResolveOutput, more bool, _ error) {
	if err := a.Pacing.know(ctx); err != nil {
		return contract.ResolveOutput{}, false, err
	}
	asked := a.Clock()
	x, err := a.intend(ctx, in, r)
	var soon turnSoon
	for ; errors.As(err, &soon); x, err = a.intend(ctx, in, r) {
		_ = pause(ctx, soon.wait) // cut short, what follows fails at once, and says so
		r.turn, asked = soon.account, a.Clock()
	}
	r.turn = ""
	if errors.Is(err, db.ErrTransactionNotFound) {
		a.Observer.RowAbsent(ctx, RowAbsent{KindPayment, contract.Ref{EnvironmentID: in.EnvironmentID, ID: in.TransactionID}})
		return contract.ResolveOutput{Status: "absent"}, false, nil
	}
	if err != nil {
		return contract.ResolveOutput{}, false, err
	}
	defer a.leave(&x)
	if x.move == payment.MoveNone {
		out, err := a.unchanged(ctx, in, x.txn, asked)
		return out, false, err
	}
	failpoint.Hit(failpoint.ChargeMarked)
	started := a.Clock()
	counting, requests := wire.CountRequests(ctx)
	result, callErr := callInTime(counting, x)
	a.Pacing.owe(x.config.ID, x.limit, int(requests.Load())-1)
	failpoint.Hit(x.answered())
	if x.asks() {
		a.tell(ctx, in.EnvironmentID, x, result, callErr, a.Clock().Sub(started))
	}
	a.leave(&x)
	var out contract.ResolveOutput
	out, r.txn, err = a.record(ctx, in, x, result, callErr, asked)
	if err != nil {
		return contract.ResolveOutput{}, false, err
	}
	failpoint.Hit(failpoint.ChargeRecorded)
	r.idle = x.wait > 0 || result.Outcome == providers.NotSent || x.lost != nil
	r.earlier = r.earlier || x.earlier != nil
	if x.lost != nil {
		return out, x.lost.Number > 0 && a.goesOn(ctx, r, x, result), nil
	}
	heard := x.asked && (x.move == payment.MoveLookup || x.move == payment.MoveBelieve)
	if heard && r.txn.MayRepeat(x.restored) { // what callbacks say has decided nothing: it is looked for
		r.heard = true
		return out, r.txn.ParkedAt.IsZero() && a.timeLeft(ctx), nil
	}
	return out, len(x.told) > 1 || x.earlier != nil || a.sendsAgain(ctx, in, r, x), nil
}

// goesOn reports whether the next exchange of a search, or the send after it, follows at once.
func (a *Payments) goesOn(ctx context.Context, r *round, x exchange, answer providers.Result) bool {
	r.sought = append(r.sought, x.config.ID)
	absent := answer.Outcome == providers.NotFound
	if !absent && !answer.Outcome.Final() {
		r.silent, r.wait = append(r.silent, x.config), max(r.wait, answer.RetryAfter)
		r.counted = r.counted || !x.lost.Fresh
	}
	undecided := absent || r.txn.MayRepeat(x.restored)
	return undecided && r.txn.ParkedAt.IsZero() && a.timeLeft(ctx)
}

// sendsAgain reports whether the payment is sent again at once: the account that it was sent to surely did not take it
// and another can, or has proven that it never arrived, or does not know it while its key may be repeated. Where there
// is no time for that, the next check goes on from the first account. Callbacks are followed first.
func (a *Payments) sendsAgain(ctx context.Context, in contract.ResolveInput, r *round, x exchange) bool {
	txn := r.txn
	unsent := txn.Type == payment.Charge && txn.Status == payment.Pending && !txn.EverSent()
	repeats := x.move == payment.MoveLookup && txn.Next(x.protocol, false, a.Clock()) == payment.MoveReplay
	switch {
	case unsent && x.move == payment.MoveSend && x.backups > 0:
		r.refused = append(r.refused, x.config.ID)
	case unsent && x.move == payment.MoveLookup && x.txn.EverSent() && !in.Asked:
	case repeats && !txn.NextCheckAt.After(a.Clock()): // it is not known there
	default:
		return false
	}
	return a.timeLeft(ctx)
}

// timeLeft reports whether there is time for another exchange.
func (a *Payments) timeLeft(ctx context.Context) bool {
	deadline, limited := ctx.Deadline()
	return !limited || deadline.Sub(a.Clock()) > 2*recordingTime
}
