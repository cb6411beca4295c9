package activities

import (
	"cmp"
	"context"
	"errors"
	"time"

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
	Observer Observer
	// AbsenceGap replaces payment.Protocol's where a provider has one; zero: it stays.
	AbsenceGap time.Duration
}

// Charge performs the next step of the charge protocol on an open transaction: first send, replay, look-up or
// cancellation, as its row says. It commits the intent, calls the provider and records the result. A repeat finds the
// intent and acts on it.
func (a *Payments) Charge(ctx context.Context, in contract.ResolveInput) (contract.ResolveOutput, error) {
	for {
		out, more, err := a.step(ctx, in)
		if err != nil || !more {
			return out, err
		}
	}
}

// step is one exchange. It reports whether there is more to record at once: what callbacks prove needs no exchange.
func (a *Payments) step(ctx context.Context, in contract.ResolveInput) (_ contract.ResolveOutput, more bool, _ error) {
	asked := a.Clock()
	x, err := a.intend(ctx, in)
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
	return out, len(x.told) > 1, nil
}

// intend locks the transaction, decides the move and, before a first send, marks it sent:
// from then on silence means "unknown".
func (a *Payments) intend(ctx context.Context, in contract.ResolveInput) (exchange, error) {
	var x exchange
	now := a.Clock()
	err := a.Store.InTx(ctx, workflowOf(ctx), now, func(tx *db.Tx) error {
		txn, payerErased, err := tx.LockTransactionWithPayer(ctx, in.EnvironmentID, in.TransactionID)
		if err != nil {
			return err
		}
		if payerErased {
			txn = txn.PayerErased(now)
		}
		x.txn, x.asked = txn, in.Asked
		if txn.ProviderConfigID == "" {
			x.move = payment.MoveNone
			return nil
		}
		config, err := tx.ProviderConfigOf(ctx, in.EnvironmentID, txn.ProviderConfigID)
		if err != nil {
			return err
		}
		if x.provider, err = a.Gateway.Provider(ctx, config); err != nil {
			return err
		}
		x.config = config
		x.protocol, x.mode = a.protocol(x.provider), config.Mode
		told, err := x.hear(ctx, tx, in)
		if err != nil {
			return err
		}
		x.txn, x.move, x.about = txn.Attend(x.protocol, in.Asked, told, now)
		if x.move != payment.MoveBelieve {
			x.told = nil
		}
		if !x.asks() {
			return nil
		}
		if txn.Type == payment.Refund {
			if x.charge, err = tx.Transaction(ctx, in.EnvironmentID, txn.ChargeID); err != nil {
				return err
			}
		}
		if x.move == payment.MoveSend {
			x.txn = x.txn.Sending(x.protocol, now)
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

// hear reads what pending callbacks say about the transaction. Evidence is read whether it was asked for or not: its
// signal may have been lost.
func (x *exchange) hear(ctx context.Context, tx *db.Tx, in contract.ResolveInput) (told payment.Told, err error) {
	if in.Asked {
		if told.Ref, err = tx.CallbackRef(ctx, in.EnvironmentID, x.txn.ID, x.txn.ProviderRef); err != nil {
			return told, err
		}
	}
	if !x.protocol.LookupByKey {
		x.told, err = tx.Evidence(ctx, in.EnvironmentID, x.txn, 2)
		told.Evidence = len(x.told) > 0
	}
	return told, err
}

func (a *Payments) protocol(p providers.Provider) payment.Protocol {
	can := p.Capabilities()
	gap := can.AbsenceGap
	if gap > 0 {
		gap = cmp.Or(a.AbsenceGap, gap)
	}
	return payment.Protocol{
		Window: can.ReplayWindow, LookupByKey: can.LookupByKey, LookupByRef: can.LookupByRef, Cancel: can.Cancel,
		AbsenceAfter: can.AbsenceAfter, AbsenceGap: gap, Checks: can.Checks, Expiry: can.Expiry,
	}
}
