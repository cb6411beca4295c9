package activities

import (
	"context"
	"errors"
	"time"

	"perennial/billing/fault"
	"perennial/billing/payment"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/failpoint"
	"perennial/internal/id"
	"perennial/providers"
)

// Payments are the activities that talk to providers.
type Payments struct {
	Store    *db.Store
	Clock    Clock
	Gateway  Gateway
	Starter  Starter
	Observer Observer
	// AbsenceGap is payment.Protocol's; zero: the default.
	AbsenceGap time.Duration
}

// Charge makes the first send of a transaction. It is the same work as CheckPayment under the name that operators
// expect: the transaction's row says what must be done.
func (a *Payments) Charge(ctx context.Context, in contract.ResolveInput) (contract.ResolveOutput, error) {
	return a.resolve(ctx, in)
}

// CheckPayment brings an open transaction further: replay, look-up or cancellation.
func (a *Payments) CheckPayment(ctx context.Context, in contract.ResolveInput) (contract.ResolveOutput, error) {
	return a.resolve(ctx, in)
}

// errAbsent matches the database's answer about a transaction that does not exist.
var errAbsent = fault.New(fault.NotFound, "transaction_not_found", "")

// resolve is the charge protocol: note the intent, call, record. Repeats find the intent and act on it.
func (a *Payments) resolve(ctx context.Context, in contract.ResolveInput) (contract.ResolveOutput, error) {
	asked := a.Clock()
	x, err := a.intend(ctx, in)
	if errors.Is(err, errAbsent) {
		return contract.ResolveOutput{Status: "absent"}, nil // whoever sent word of it meant another environment
	}
	if err != nil {
		return contract.ResolveOutput{}, err
	}
	if x.move == payment.MoveNone {
		return a.unchanged(ctx, in, asked)
	}
	failpoint.Hit(failpoint.ChargeMarked)
	started := a.Clock()
	result, callErr := callInTime(ctx, x)
	failpoint.Hit(x.answered())
	a.tell(ctx, in.EnvironmentID, x, result, callErr, a.Clock().Sub(started))
	out, refunds, err := a.record(ctx, in, x, result, callErr, asked)
	if err != nil {
		return contract.ResolveOutput{}, err
	}
	failpoint.Hit(failpoint.ChargeRecorded)
	startAll(ctx, a.Starter, refunds)
	return out, nil
}

// intend locks the transaction, decides the move and, before a first send, marks it sent: from then on silence means
// "unknown".
func (a *Payments) intend(ctx context.Context, in contract.ResolveInput) (exchange, error) {
	var x exchange
	now := a.Clock()
	err := a.Store.InTx(ctx, now, func(tx *db.Tx) error {
		txn, err := tx.LockTransaction(ctx, in.EnvironmentID, in.TransactionID)
		if err != nil {
			return err
		}
		x.txn = txn
		if txn.ProviderConfigID == "" {
			x.move = payment.MoveNone
			return nil
		}
		if in.Asked && txn.ProviderRef == "" { // the word may name what we never heard the name of
			if txn.ProviderRef, err = tx.CallbackRef(ctx, in.EnvironmentID, txn.ID); err != nil {
				return err
			}
			x.txn = txn
		}
		config, err := tx.ProviderConfigOf(ctx, in.EnvironmentID, txn.ProviderConfigID)
		if err != nil {
			return err
		}
		if x.provider, err = a.Gateway.Provider(ctx, config); err != nil {
			return err
		}
		x.protocol, x.mode = a.protocol(x.provider), config.Mode
		x.move = txn.Next(x.protocol, in.Asked, now)
		if x.move == payment.MoveNone || x.move == payment.MoveAbandon {
			return nil
		}
		if txn.Type == payment.Refund {
			if x.charge, err = tx.Transaction(ctx, in.EnvironmentID, txn.ChargeID); err != nil {
				return err
			}
		}
		if x.move == payment.MoveSend {
			x.txn = txn.Sending(now)
			if err := tx.SaveTransaction(ctx, in.EnvironmentID, x.txn); err != nil {
				return err
			}
		}
		x.callID = id.New(id.ProviderCall, now)
		return tx.InsertProviderCall(ctx, in.EnvironmentID, db.ProviderCall{
			ID: x.callID, TransactionID: txn.ID, Operation: operation(txn, x.move), Key: x.sentKey(), StartedAt: now,
		})
	})
	return x, err
}

func (a *Payments) protocol(p providers.Provider) payment.Protocol {
	gap := a.AbsenceGap
	if gap == 0 {
		gap = payment.DefaultAbsenceGap
	}
	return payment.Protocol{Window: p.ReplayWindow(), AbsenceGap: gap}
}

// record writes the answer and what it leads to in one transaction.
func (a *Payments) record(ctx context.Context, in contract.ResolveInput, x exchange, result providers.Result, callErr error, asked time.Time) (contract.ResolveOutput, []contract.Ref, error) {
	var out contract.ResolveOutput
	var refunds []contract.Ref
	var ended Ended
	var review ReviewNeeded
	now := a.Clock()
	own := now
	if in.Now.After(own) {
		own = in.Now
	}
	err := a.Store.InTx(ctx, own, func(tx *db.Tx) error {
		r, err := lockForRecording(ctx, tx, in.EnvironmentID, x.txn, own, now)
		if err != nil {
			return err
		}
		r.move, r.protocol, r.callID, r.key = x.move, x.protocol, x.callID, x.key()
		was := r.txn
		result = r.forgetting(result)
		switch {
		case callErr != nil:
			err = r.impossible(callErr)
		case result.Outcome == providers.Succeeded && !r.txn.Confirms(result.Amount, result.Currency):
			r.learn(result) // whoever looks into it needs the reference
			err = r.park("amount_mismatch")
		default:
			err = r.record(result)
		}
		if err != nil {
			return err
		}
		if x.callID != "" {
			if err := tx.FinishProviderCall(ctx, r.env, db.ProviderCall{
				ID: x.callID, TransactionID: in.TransactionID, Outcome: outcomeOf(result, callErr), HTTPStatus: result.HTTPStatus, Response: result.Response, EndedAt: now,
			}); err != nil {
				return err
			}
		}
		if callErr != nil || heard(was, result.Outcome) {
			if err := tx.MarkCallbacksProcessed(ctx, r.env, in.TransactionID, asked); err != nil {
				return err
			}
		}
		if out, err = r.output(); err != nil {
			return err
		}
		refunds = r.refunds
		if was.Status == payment.Pending && r.txn.Status != payment.Pending {
			ended = r.measured(x.mode)
		}
		review = r.reviewNeeded()
		return nil
	})
	if err == nil && review.Reason != "" {
		a.Observer.ReviewNeeded(ctx, review)
	}
	if err == nil && ended.Status != "" {
		a.Observer.PaymentEnded(ctx, ended)
	}
	return out, refunds, err
}

// heard tells whether word about a transaction has been followed. An open one is asked about until it is decided; a closed
// or parked one only because of the word, so that where the provider does not answer, the word stays open and the
// reconciler repeats it.
func heard(asked payment.Transaction, outcome providers.Outcome) bool {
	return asked.Status == payment.Pending && asked.ParkedAt.IsZero() || outcome.Final() || outcome == providers.Pending
}

// output saves the subscription, where there is one, and tells the workflow what is left to do.
func (r *recording) output() (contract.ResolveOutput, error) {
	out := contract.ResolveOutput{Status: string(r.txn.Status), CheckAt: r.txn.NextCheckAt, Parked: !r.txn.ParkedAt.IsZero()}
	if r.txn.SubscriptionID == "" || r.txn.Type == payment.Refund {
		return out, nil
	}
	snap, err := r.save()
	out.Snapshot = &snap
	return out, err
}

// unchanged answers from the rows: there was nothing to do.
func (a *Payments) unchanged(ctx context.Context, in contract.ResolveInput, asked time.Time) (contract.ResolveOutput, error) {
	var out contract.ResolveOutput
	now := a.Clock()
	err := a.Store.InTx(ctx, now, func(tx *db.Tx) error {
		txn, err := tx.Transaction(ctx, in.EnvironmentID, in.TransactionID)
		if err != nil {
			return err
		}
		// Word about it is dealt with only if somebody looked because of it, or if nothing can change any more.
		if in.Asked || txn.Status == payment.Success || txn.Status == payment.Refunded {
			if err := tx.MarkCallbacksProcessed(ctx, in.EnvironmentID, in.TransactionID, asked); err != nil {
				return err
			}
		}
		out = contract.ResolveOutput{Status: string(txn.Status), CheckAt: txn.NextCheckAt, Parked: !txn.ParkedAt.IsZero()}
		if txn.SubscriptionID == "" {
			return nil
		}
		b, err := tx.LoadSubscription(ctx, in.EnvironmentID, txn.SubscriptionID, false)
		snap := snapshot(b)
		out.Snapshot = &snap
		return err
	})
	return out, err
}
