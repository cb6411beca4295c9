package charging

import (
	"cmp"
	"context"
	"crypto/rand"
	"time"

	"perennial/activities/execution"
	"perennial/billing/charging"
	"perennial/billing/payment"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/id"
)

// intend locks the transaction, has the next step decided and, before a first send, marks it sent: from then on silence
// means "unknown". The error is turnSoon where nothing is written, as its turn comes in a moment.
func (a *Payments) intend(ctx context.Context, in contract.ResolveInput, r *progress) (exchange, error) {
	x := exchange{publicURL: a.PublicURL}
	now := a.Clock()
	err := execution.InTx(ctx, a.Store, now, func(tx *db.Tx) error {
		txn, payer, err := tx.Payments.LockTransactionWithPayer(ctx, in.EnvironmentID, in.TransactionID)
		if err != nil {
			return err
		}
		f := newFacts(a, tx, in.EnvironmentID, charging.Situation{
			Transaction: txn, Country: payer.Country, Erased: payer.Erased, RestoredAt: payer.RestoredAt,
			Now:      a.Clock(), // the row may have been waited for
			Progress: r.Progress,
		})
		if x.Step, err = f.decide(ctx); err != nil {
			return err
		}
		if !x.Asks() {
			x.at(f)
			return nil
		}
		if !a.seat(&x, f, now) {
			return errBusy(ctx, 0)
		}
		if later, err := a.turn(ctx, tx, in.EnvironmentID, r, &x, now); later || err != nil {
			return err
		}
		return x.begin(ctx, tx, in.EnvironmentID, now)
	})
	if err != nil {
		a.leave(&x)
	}
	return x, err
}

// seat takes a slot of the account: of a search that may ask one of several, of the first that has a free one. It
// reports whether there was one.
func (a *Payments) seat(x *exchange, f *facts, now time.Time) bool {
	full := map[string]bool{}
	for _, q := range x.Questions {
		config := f.accounts[q.AccountID].config
		if !full[config.ID] && a.Slots.Take(config.ID, config.Provider) {
			x.Step, x.held = x.Asking(q, now), true
			break
		}
		full[config.ID] = true
	}
	x.at(f)
	x.held = x.held || len(x.Questions) == 0 && a.Slots.Take(x.AccountID, x.Provider)
	if x.Lost != nil {
		x.Lost.Key = x.key()
	}
	return x.held
}

// begin writes the intent of an exchange: the mark of a first send with the row of the send, or that the provider may
// have what completes the charge, and the call.
func (x *exchange) begin(ctx context.Context, tx *db.Tx, env string, now time.Time) (err error) {
	if x.Transaction.Type == payment.Refund {
		if x.charge, err = tx.Payments.Transaction(ctx, env, x.Transaction.ChargeID); err != nil {
			return err
		}
	}
	x.Step = x.Begun(rand.Text(), now)
	if x.Move == payment.MoveSend || x.Move == payment.MoveComplete {
		if err := tx.Payments.SaveTransaction(ctx, env, x.Transaction); err != nil {
			return err
		}
	}
	if x.Move == payment.MoveSend {
		send := payment.Send{
			Number: x.Number, Provider: x.Provider, ProviderConfigID: x.AccountID, Key: x.key(),
			Reason: cmp.Or(x.Reason, "charge"), SentAt: now,
		}
		if err := tx.Payments.InsertSend(ctx, env, x.Transaction.ID, send); err != nil {
			return err
		}
	}
	x.callID = id.New(id.ProviderCall, now)
	return tx.Payments.InsertProviderCall(ctx, env, db.ProviderCall{
		ID: x.callID, TransactionID: x.Transaction.ID, Operation: operation(x.Transaction, x.Move), Key: x.sentKey(),
		SendNumber: x.Number, StartedAt: now, Searched: x.searched(),
	})
}

// searched returns the search that the call of the exchange belongs to.
func (x *exchange) searched() (s db.Searched) {
	if x.Lost != nil {
		s = db.Searched{ProviderConfigID: x.AccountID, Since: x.RestoredAt}
	}
	return s
}
