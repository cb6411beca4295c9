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
	asked := a.Clock()
	x, err := a.intend(ctx, in)
	if errors.Is(err, db.ErrTransactionNotFound) {
		a.Observer.RowAbsent(ctx, RowAbsent{KindPayment, contract.Ref{EnvironmentID: in.EnvironmentID, ID: in.TransactionID}})
		return contract.ResolveOutput{Status: "absent"}, nil
	}
	if err != nil {
		return contract.ResolveOutput{}, err
	}
	if x.move == payment.MoveNone {
		return a.unchanged(ctx, in, x.txn, asked)
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
		return contract.ResolveOutput{}, err
	}
	failpoint.Hit(failpoint.ChargeRecorded)
	return out, nil
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
		told := ""
		if in.Asked {
			if told, err = tx.CallbackRef(ctx, in.EnvironmentID, txn.ID, txn.ProviderRef); err != nil {
				return err
			}
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
		x.txn, x.move, x.about = txn.Attend(x.protocol, in.Asked, told, now)
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
