package activities

import (
	"context"
	"errors"
	"time"

	"perennial/billing/payment"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/failpoint"
)

// Payments are the activities that talk to providers.
type Payments struct {
	Store    *db.Store
	Clock    Clock
	Gateway  Gateway
	Observer Observer
	// AbsenceGap replaces payment.Protocol's where a provider has one; zero: it stays.
	AbsenceGap time.Duration
}

// Charge performs the next step of the charge protocol on an open transaction: first send, replay, look-up or
// cancellation, as its row says. It commits the intent, calls the provider and records the result. A repeat finds the
// intent and acts on it.
func (a *Payments) Charge(ctx context.Context, in contract.ResolveInput) (contract.ResolveOutput, error) {
	var r round
	for {
		out, more, err := a.step(ctx, in, &r)
		if err != nil || !more {
			return out, err
		}
	}
}

// round is what the steps of one activity know of each other.
type round struct {
	earlier bool // the provider of an earlier send was asked
}

// step is one exchange. It reports whether there is more to do at once: what callbacks prove needs no exchange, and what
// they say about an earlier send says nothing about the current one.
func (a *Payments) step(
	ctx context.Context, in contract.ResolveInput, r *round,
) (_ contract.ResolveOutput, more bool, _ error) {
	asked := a.Clock()
	x, err := a.intend(ctx, in, r)
	if errors.Is(err, db.ErrTransactionNotFound) {
		a.Observer.RowAbsent(ctx, RowAbsent{KindPayment, contract.Ref{EnvironmentID: in.EnvironmentID, ID: in.TransactionID}})
		return contract.ResolveOutput{Status: "absent"}, false, nil
	}
	if err != nil {
		return contract.ResolveOutput{}, false, err
	}
	if x.move == payment.MoveNone {
		out, err := a.unchanged(ctx, in, x.txn, asked)
		return out, false, err
	}
	failpoint.Hit(failpoint.ChargeMarked)
	started := a.Clock()
	result, callErr := callInTime(ctx, x)
	failpoint.Hit(x.answered())
	if x.asks() {
		a.tell(ctx, in.EnvironmentID, x, result, callErr, a.Clock().Sub(started))
	}
	out, err := a.record(ctx, in, x, result, callErr, asked)
	if err != nil {
		return contract.ResolveOutput{}, false, err
	}
	failpoint.Hit(failpoint.ChargeRecorded)
	r.earlier = r.earlier || x.earlier != nil
	return out, len(x.told) > 1 || x.earlier != nil, nil
}
