// Package charging brings charges and refunds forward at payment providers. billing/charging decides the next step from
// the facts that are read on demand; the intent is committed, the provider called, and billing/recording decides what
// its answer leads to. Here are reads, calls and writes; activities/README.md names the decisions that are still here.
package charging

import (
	"context"
	"errors"
	"time"

	"perennial/activities/execution"
	"perennial/activities/pacing"
	"perennial/billing/charging"
	"perennial/billing/payment"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/failpoint"
	"perennial/providers"
	"perennial/providers/wire"
)

// Gateway opens the adapter of a provider configuration.
type Gateway interface {
	Provider(ctx context.Context, config db.ProviderConfig) (providers.Provider, error)
}

// Payments are the activities that talk to providers.
type Payments struct {
	Store    *db.Store
	Clock    execution.Clock
	Gateway  Gateway
	Observer Observer
	// AbsenceGap replaces payment.Protocol's where a provider has one; zero: it stays.
	AbsenceGap time.Duration
	// PublicURL is the address of the API for payers; empty: no payer is asked to confirm a charge.
	PublicURL string
	// ConfirmWithin is the time that a payer has for that; zero: a day.
	ConfirmWithin time.Duration
	// Factories know which payments a provider takes; nil: nothing is known in advance.
	Factories providers.Registry
	// Slots bound the exchanges with each account; nil: they are not bounded.
	Slots *pacing.Slots
	// Pacing keeps the requests to each account within its limit; nil: it is not kept.
	Pacing *pacing.Pacer
}

// Charge performs the next step of the charge protocol on an open transaction, as charging.Next decides it: first send,
// replay, look-up or cancellation. It commits the intent, calls the provider and records the result. A repeat finds the
// intent and acts on it.
func (a *Payments) Charge(ctx context.Context, in contract.ResolveInput) (contract.ResolveOutput, error) {
	r := progress{Progress: charging.Progress{Asked: in.Asked}}
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

// progress passes facts from one step of an activity to the next.
type progress struct {
	charging.Progress

	txn  payment.Transaction // as the last step left it; zero: there was nothing to do
	turn string              // the account whose turn was waited for; empty: none was
}

// step is one exchange. It reports whether another one follows at once.
func (a *Payments) step(
	ctx context.Context, in contract.ResolveInput, r *progress,
) (_ contract.ResolveOutput, more bool, _ error) {
	if err := a.Pacing.Know(ctx); err != nil {
		return contract.ResolveOutput{}, false, err
	}
	x, asked, err := a.intendInTurn(ctx, in, r)
	if errors.Is(err, db.ErrTransactionNotFound) {
		a.Observer.RowAbsent(ctx, execution.RowAbsent{
			Kind: execution.KindPayment, Ref: contract.Ref{EnvironmentID: in.EnvironmentID, ID: in.TransactionID},
		})
		return contract.ResolveOutput{Status: "absent"}, false, nil
	}
	if err != nil {
		return contract.ResolveOutput{}, false, err
	}
	defer a.leave(&x)
	if x.Move == payment.MoveNone {
		out, err := a.unchanged(ctx, in, x, asked)
		return out, false, err
	}
	failpoint.Hit(failpoint.ChargeMarked)
	said := a.exchange(ctx, in.EnvironmentID, x, asked)
	a.leave(&x)
	out, txn, err := a.record(ctx, in, x, said)
	if err != nil {
		return contract.ResolveOutput{}, false, err
	}
	failpoint.Hit(failpoint.ChargeRecorded)
	r.txn = txn
	var goes charging.Goes
	r.Progress, goes = r.After(x.Step, said.Outcome, said.RetryAfter, txn, a.Clock())
	return out, goes == charging.Instant || goes == charging.IfTime && a.timeLeft(ctx), nil
}

// intendInTurn is intend, in the turn of the payment at its account where that comes in a moment. It returns when the
// exchange began.
func (a *Payments) intendInTurn(
	ctx context.Context, in contract.ResolveInput, r *progress,
) (exchange, time.Time, error) {
	defer func() { r.turn = "" }()
	for {
		asked := a.Clock()
		x, err := a.intend(ctx, in, r)
		var soon turnSoon
		if !errors.As(err, &soon) {
			return x, asked, err
		}
		_ = execution.Pause(ctx, soon.wait) // if it is cut short, the next step fails at once and says so
		r.turn = soon.account
	}
}

// leave gives the slot of an exchange back.
func (a *Payments) leave(x *exchange) {
	if x.held {
		a.Slots.Release(x.AccountID, x.Provider)
		x.held = false
	}
}

// exchange calls the provider, where the step is a request, and tells the measurements. It was begun when asked.
func (a *Payments) exchange(ctx context.Context, env string, x exchange, asked time.Time) response {
	started := a.Clock()
	counting, requests := wire.CountRequests(ctx)
	result, err := callInTime(counting, x)
	said := response{Result: result, asked: asked, err: err}
	a.Pacing.Owe(x.AccountID, x.limit, int(requests.Load())-1)
	failpoint.Hit(x.answered())
	if x.Asks() {
		a.tell(ctx, env, x, said, a.Clock().Sub(started))
	}
	return said
}

// timeLeft reports whether there is time for another exchange.
func (a *Payments) timeLeft(ctx context.Context) bool {
	deadline, limited := ctx.Deadline()
	return !limited || deadline.Sub(a.Clock()) > 2*recordingTime
}
