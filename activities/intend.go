package activities

import (
	"cmp"
	"context"
	"crypto/rand"
	"slices"
	"time"

	"perennial/billing/payment"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/id"
	"perennial/providers"
)

// intend locks the transaction, decides the move and its provider and, before a first send, marks it sent:
// from then on silence means "unknown". The error is turnSoon where nothing is written, as its turn comes in a moment.
func (a *Payments) intend(ctx context.Context, in contract.ResolveInput, r *round) (exchange, error) {
	x := exchange{publicURL: a.PublicURL}
	now := a.Clock()
	err := a.Store.InTx(ctx, workflowOf(ctx), now, func(tx *db.Tx) error {
		txn, payer, err := tx.LockTransactionWithPayer(ctx, in.EnvironmentID, in.TransactionID)
		if err != nil {
			return err
		}
		if payer.Erased {
			txn = txn.PayerErased(now)
		}
		txn = txn.Restored(payer.RestoredAt)
		if txn.MayRepeat(payer.RestoredAt) {
			if in.Asked, err = told(ctx, tx, in, r); err != nil {
				return err
			}
		}
		x.txn, x.row, x.asked, x.number, x.country = txn, txn, in.Asked, txn.SendNumber, payer.Country
		x.restored = payer.RestoredAt
		if txn.Status != payment.Pending && txn.ProviderConfigID == "" { // it never had a provider
			x.move = payment.MoveNone
			return nil
		}
		if err := a.reach(ctx, tx, in, r, &x); err != nil {
			return err
		}
		if x.provider == nil {
			x.move = txn.Hold(x.restored)
		} else if err := x.decide(ctx, tx, in, now); err != nil {
			return err
		}
		if err := a.search(ctx, tx, in.EnvironmentID, r, &x, now); err != nil {
			return err
		}
		if x.unopened != nil && x.lost == nil && x.move == payment.MoveHold { // it was not looked for
			return x.unopened
		}
		if err := x.claim(ctx, tx, in.EnvironmentID, now); err != nil || !x.asks() {
			return err
		}
		if x.held = x.held || a.Slots.take(x.config.ID, x.config.Provider); !x.held {
			return errBusy(ctx, 0)
		}
		x.limit = cmp.Or(x.config.MaxRequestsPerSecond, x.provider.Capabilities().RequestsPerSecond)
		switch {
		case r.turn == x.config.ID: // it has come
		case slices.Contains(r.sought, x.config.ID): // one of several questions: together they had a turn
			a.Pacing.owe(x.config.ID, x.limit, 1)
		default:
			if later, err := a.paced(ctx, tx, in.EnvironmentID, &x, now); later || err != nil {
				return err
			}
		}
		return x.begin(ctx, tx, in.EnvironmentID, now)
	})
	if err != nil {
		a.leave(&x)
	}
	return x, err
}

// told reports whether callbacks say something about a charge that may repeat a lost send, once a round. It needs no
// signal: none reaches an exchange that is repeated while an account does not answer.
func told(ctx context.Context, tx *db.Tx, in contract.ResolveInput, r *round) (bool, error) {
	if r.heard || in.Asked {
		return !r.heard, nil
	}
	return tx.CallbackTells(ctx, in.EnvironmentID, in.TransactionID)
}

// leave gives the slot of an exchange back.
func (a *Payments) leave(x *exchange) {
	if x.held {
		a.Slots.release(x.config.ID, x.config.Provider)
		x.held = false
	}
}

// reach opens the provider to talk to: that of an earlier send whose callbacks are open, that of the current send, or,
// before the first one, the one that is to take it. None is opened where no provider can.
func (a *Payments) reach(ctx context.Context, tx *db.Tx, in contract.ResolveInput, r *round, x *exchange) error {
	configID := x.txn.ProviderConfigID
	if !x.txn.EverSent() && x.txn.Type == payment.Charge {
		configID = ""
	}
	own := configID
	if in.Asked && !r.earlier {
		said, err := tx.CallbackElsewhere(ctx, in.EnvironmentID, x.txn.ID, configID)
		if err != nil {
			return err
		}
		switch {
		case said == nil:
		case configID == "": // a restored database has forgotten to whom it was sent
			configID = said.ProviderConfigID
		default:
			if err := x.turn(ctx, tx, in.EnvironmentID, *said); err != nil {
				return err
			}
			configID = said.ProviderConfigID
		}
	}
	config, err := a.configured(ctx, tx, in.EnvironmentID, configID, r, x)
	if err != nil || config.ID == "" {
		return err
	}
	x.provider, err = a.Gateway.Provider(ctx, config)
	switch told := in.Asked && configID != "" && configID != own; {
	case err == nil:
	case !x.txn.MayRepeat(x.restored):
		return err
	case told: // the callback waits for its account, and nothing else for the callback
		x.provider, x.earlier, x.about, x.number = nil, nil, "", x.txn.SendNumber
		in.Asked = false
		return a.reach(ctx, tx, in, r, x)
	default: // another account may have it
		x.unopened, x.provider = err, nil
		return nil
	}
	x.config, x.protocol, x.mode = config, a.protocol(x.provider), config.Mode
	if x.earlier == nil {
		x.txn.Provider, x.txn.ProviderConfigID = config.Provider, config.ID
	} else {
		x.earlier.Provider = config.Provider
	}
	return nil
}

// configured reads the provider configuration of an id; empty: the one that takes the first send.
func (a *Payments) configured(
	ctx context.Context, tx *db.Tx, env, configID string, r *round, x *exchange,
) (db.ProviderConfig, error) {
	if configID != "" {
		return tx.ProviderConfigOf(ctx, env, configID)
	}
	return a.route(ctx, tx, env, r, x)
}

// turn turns the exchange to the earlier send that a callback is about.
func (x *exchange) turn(ctx context.Context, tx *db.Tx, env string, said db.Callback) error {
	sends, err := tx.Sends(ctx, env, x.txn.ID)
	x.about = said.ProviderRef
	x.earlier = &payment.Send{Number: 1, ProviderConfigID: said.ProviderConfigID} // which a restored database has forgotten
	for _, s := range sends {
		if s.ProviderConfigID == said.ProviderConfigID && (x.earlier.Key == "" || x.earlier.Key != said.Key) {
			x.earlier = &s
		}
	}
	x.number = x.earlier.Number
	return err
}

// decide decides the move.
func (x *exchange) decide(ctx context.Context, tx *db.Tx, in contract.ResolveInput, now time.Time) error {
	told, err := x.hear(ctx, tx, in)
	if err != nil {
		return err
	}
	if x.earlier != nil {
		x.move = x.earlier.Ask(x.protocol, told)
	} else {
		known := x.txn.ProviderRef
		if x.txn, x.move, x.about = x.txn.Attend(x.protocol, in.Asked, told, now); known == "" {
			x.hint = x.txn.ProviderRef
		}
	}
	if x.move != payment.MoveBelieve {
		x.told = nil
	}
	return nil
}

// hear reads what pending callbacks of the provider say about the transaction. Evidence is read whether it was asked for
// or not: its signal may have been lost.
func (x *exchange) hear(ctx context.Context, tx *db.Tx, in contract.ResolveInput) (told payment.Told, err error) {
	if in.Asked {
		if told.Ref, err = tx.CallbackRef(ctx, in.EnvironmentID, x.txn.ID, x.config.ID, x.txn.ProviderRef); err != nil {
			return told, err
		}
	}
	if !x.protocol.LookupByKey {
		named := x.txn.ProviderRef != "" || x.txn.Status != payment.Pending || x.earlier != nil
		x.told, err = tx.Evidence(ctx, in.EnvironmentID, x.txn.ID, x.config.ID, x.txn.Type, named, 2)
		told.Evidence = len(x.told) > 0
	}
	return told, err
}

// begin writes the intent of an exchange: the mark of a first send with the row of the send, or that the provider may have
// what completes the charge, and the call.
func (x *exchange) begin(ctx context.Context, tx *db.Tx, env string, now time.Time) (err error) {
	if x.txn.Type == payment.Refund {
		if x.charge, err = tx.Transaction(ctx, env, x.txn.ChargeID); err != nil {
			return err
		}
	}
	if x.move == payment.MoveSend {
		x.mayRepeat = x.txn.MayRepeat(x.restored)
		x.txn = x.txn.Sending(x.protocol, now)
		if x.protocol.ActionExpiry > 0 && x.txn.Type == payment.Charge {
			x.txn.Action.Token, x.txn.Action.ApartSend = cmp.Or(x.txn.Action.Token, rand.Text()), x.txn.SendNumber
		}
		x.number = x.txn.SendNumber
		if err := tx.SaveTransaction(ctx, env, x.txn); err != nil {
			return err
		}
		send := payment.Send{
			Number: x.number, Provider: x.config.Provider, ProviderConfigID: x.config.ID, Key: x.key(),
			Reason: cmp.Or(x.reason, "charge"), SentAt: now,
		}
		if err := tx.InsertSend(ctx, env, x.txn.ID, send); err != nil {
			return err
		}
	}
	if x.move == payment.MoveComplete {
		x.handed, x.txn = x.txn.Handing(), x.txn.HandingOver(now)
		if err := tx.SaveTransaction(ctx, env, x.txn); err != nil {
			return err
		}
	}
	x.callID = id.New(id.ProviderCall, now)
	return tx.InsertProviderCall(ctx, env, db.ProviderCall{
		ID: x.callID, TransactionID: x.txn.ID, Operation: operation(x.txn, x.move), Key: x.sentKey(),
		SendNumber: x.number, StartedAt: now, Searched: x.searched(),
	})
}

func (a *Payments) protocol(p providers.Provider) payment.Protocol {
	can := p.Capabilities()
	var confirm time.Duration
	if can.AsksPayer && a.PublicURL != "" {
		confirm = cmp.Or(a.ConfirmWithin, 24*time.Hour)
	}
	if can.Expiry > 0 {
		confirm = min(confirm, can.Expiry)
	}
	gap := can.AbsenceGap
	if gap > 0 {
		gap = cmp.Or(a.AbsenceGap, gap)
	}
	return payment.Protocol{
		Window: can.ReplayWindow, LookupByKey: can.LookupByKey, LookupByRef: can.LookupByRef, Cancel: can.Cancel,
		AbsenceAfter: can.AbsenceAfter, AbsenceGap: gap, Checks: can.Checks, Expiry: can.Expiry,
		ActionExpiry: confirm, Completes: can.Completes,
	}
}
