package activities

import (
	"context"
	"net/url"
	"slices"
	"time"

	"perennial/billing/fault"
	"perennial/billing/lifecycle"
	"perennial/billing/payment"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/id"
	"perennial/providers"
)

// record writes the answer, and what follows from it, in one transaction: load, decide, write.
func (a *Payments) record(
	ctx context.Context, in contract.ResolveInput, x exchange, answer providers.Result, callErr error, asked time.Time,
) (contract.ResolveOutput, payment.Transaction, error) {
	var out contract.ResolveOutput
	var recorded lifecycle.Recorded
	var changes lifecycle.Changes
	var clockNow time.Time
	env, wall, covered := in.EnvironmentID, a.Clock(), coveredUntil(asked, answer)
	now := wall
	if in.Now.After(now) {
		now = in.Now
	}
	err := a.Store.InTx(ctx, workflowOf(ctx), now, func(tx *db.Tx) error {
		state, err := tx.LockOwner(ctx, env, x.txn)
		if err != nil {
			return err
		}
		if !state.Customer.ErasedAt.IsZero() {
			answer.Response, answer.FailureReason, answer.ConfirmURL = nil, "", "" // nothing personal is written of an erased payer
		}
		result, err := loadResult(ctx, tx, env, state, x, answer, asked)
		if err != nil {
			return err
		}
		if callErr != nil {
			result.Impossible = fault.From(callErr)
		}
		if state, recorded, changes, err = lifecycle.Record(state, result, db.Moment(now, wall)); err != nil {
			return err
		}
		if err := announceHealth(ctx, tx, env, x, answer); err != nil {
			return err
		}
		if err := noteBreaker(ctx, tx, env, x, answer, asked); err != nil {
			return err
		}
		if err := tx.Write(ctx, env, state, changes); err != nil {
			return err
		}
		if err := a.closeCall(ctx, tx, env, x, answer, callErr); err != nil {
			return err
		}
		if x.move == payment.MoveBelieve {
			if err := tx.MarkCallbackProcessed(ctx, env, x.told[0].ID); err != nil {
				return err
			}
		}
		if recorded.Found != nil {
			if err := tx.InsertSend(ctx, env, x.txn.ID, *recorded.Found); err != nil {
				return err
			}
		}
		if err := noteSend(ctx, tx, env, x, result, answer); err != nil {
			return err
		}
		looked := db.LookedAt{Refs: recorded.LookedAt, At: covered, Asked: x.asks()}
		if x.earlier != nil { // what the messages of the current provider say is another matter
			out, clockNow = outputOf(recorded.Transaction, state, changes), state.ClockNow
			if len(recorded.LookedAt) == 0 {
				return nil
			}
			return tx.MarkCallbacksElsewhere(ctx, env, in.TransactionID, x.earlier.ProviderConfigID, looked)
		}
		if err := tx.MarkCallbacksProcessed(ctx, env, in.TransactionID, looked, recorded.Transaction.Shows()...); err != nil {
			return err
		}
		out, clockNow = outputOf(recorded.Transaction, state, changes), state.ClockNow
		return nil
	})
	if err != nil {
		return contract.ResolveOutput{}, payment.Transaction{}, err
	}
	if recorded.NeedsReview != "" {
		a.Observer.ReviewNeeded(ctx, reviewNeeded(env, x, recorded))
	}
	if x.txn.Status == payment.Pending && recorded.Transaction.Status != payment.Pending {
		a.Observer.PaymentEnded(ctx, measured(recorded, x.mode, !clockNow.IsZero()))
	}
	return out, recorded.Transaction, nil
}

// loadResult reads the rows that the answer concerns beside the state, under lock.
func loadResult(
	ctx context.Context, tx *db.Tx, env string, state lifecycle.State, x exchange, answer providers.Result,
	asked time.Time,
) (lifecycle.Result, error) {
	r, err := tx.LockResult(ctx, env, state, x.txn)
	if err != nil {
		return r, err
	}
	r.Move, r.Asked, r.Protocol, r.Answer = x.move, x.asked, x.protocol, answerOf(answer)
	if x.callID != "" {
		r.Begun = asked
	}
	r.About, r.Hint, r.Handed = x.about, x.hint, x.handed
	r.ConfirmLink = contract.ConfirmLink(x.publicURL, r.Transaction.Action.Token)
	r.Hold, r.Lost, r.RestoredAt = x.hold, x.lost, x.restored
	if !r.Transaction.EverSent() && x.earlier == nil { // a callback told who has it, whoever refused it last
		r.Transaction.Provider, r.Transaction.ProviderConfigID = x.txn.Provider, x.txn.ProviderConfigID
	}
	r.Send = x.earlier
	another := r.Transaction.Status == payment.Success && answer.Ref != "" && answer.Ref != r.Transaction.ProviderRef
	if (r.Send != nil || another) && r.Recovered == nil {
		if r.Recovered, err = tx.LockRecovered(ctx, env, x.txn.ID); err != nil {
			return r, err
		}
	}
	if answer.Outcome == providers.NotFound {
		if r.Sends, err = tx.Sends(ctx, env, x.txn.ID); err != nil {
			return r, err
		}
	}
	takenBack := r.Captured().Status == payment.Success && answer.Outcome.Final() && answer.Outcome != providers.Succeeded
	if len(answer.Refunds) > 0 || len(answer.Disputes) > 0 || takenBack {
		if r.Refunds, err = tx.LockRefunds(ctx, env, r.Captured().ID); err != nil {
			return r, err
		}
		if r.Answer.Refunds, err = withTrueIDs(ctx, tx, r); err != nil {
			return r, err
		}
	}
	if answer.Outcome == providers.NotSent && x.move == payment.MoveSend {
		r.Move, err = provenMove(ctx, tx, env, x, answer)
	}
	if answer.Outcome == providers.NotSent && x.move == payment.MoveComplete && !x.handed.Again {
		r.Answer.Outcome, err = provenRefusal(ctx, tx, env, x, r.Transaction.Action.HandedAt)
	}
	return r, err
}

// provenRefusal is what the refusal of a first completion proves. While a worker hung in it, another may have repeated
// it and got through, so that Adyen, say, refuses it for that. Of a repeat the adapter knows. handedAt is since when
// the provider may have what was handed over.
func provenRefusal(
	ctx context.Context, tx *db.Tx, env string, x exchange, handedAt time.Time,
) (payment.Outcome, error) {
	calls, err := tx.ProviderCalls(ctx, env, x.txn.ID)
	for _, c := range calls {
		if c.Operation == db.CallComplete && c.ID != x.callID && !c.StartedAt.Before(handedAt) {
			return payment.AnswerUnknown, err
		}
	}
	return payment.AnswerNotSent, err
}

// withTrueIDs returns the provider's refunds without ids that are not theirs. Who refunds through the provider's API
// may copy the charge's metadata, and with it an id that another row of ours has.
func withTrueIDs(ctx context.Context, tx *db.Tx, r lifecycle.Result) ([]payment.SeenRefund, error) {
	seen := slices.Clone(r.Answer.Refunds)
	for i, s := range seen {
		if s.TransactionID == "" || s.Again(r.Refunds) { // booked, or made again under the id of one that is
			continue
		}
		taken := true
		if id.Is(id.Transaction, s.TransactionID) {
			var err error
			if taken, err = tx.TransactionIsKnown(ctx, s.TransactionID); err != nil {
				return nil, err
			}
		}
		if taken {
			seen[i].TransactionID = ""
		}
	}
	return seen, nil
}

// provenMove is what "not taken" was said about. While a worker hung in a first send, another may have repeated it
// under the same key and got through, so that it proves no more than for a repeat. So is a first send that may be a
// repeat of one that a restored database has lost.
func provenMove(
	ctx context.Context, tx *db.Tx, env string, x exchange, answer providers.Result,
) (payment.Move, error) {
	if x.mayRepeat || x.txn.KeepsKey(answer.HTTPStatus != 0) {
		return payment.MoveReplay, nil
	}
	calls, err := tx.ProviderCalls(ctx, env, x.txn.ID)
	for _, c := range calls {
		if c.Key == x.key() && c.ID != x.callID {
			return payment.MoveReplay, err
		}
	}
	return x.move, err
}

// noteSend writes the answer into the row of its send. "Not taken" about a repeat says nothing about the send.
func noteSend(
	ctx context.Context, tx *db.Tx, env string, x exchange, r lifecycle.Result, answer providers.Result,
) error {
	about := x.number
	if x.earlier != nil && x.earlier.SentAt.IsZero() { // a restored database has forgotten it: no row is about it
		return nil
	}
	said := answer.Outcome != "" && (x.asks() || x.move == payment.MoveBelieve)
	if !said || about == 0 || x.about != "" || answer.Outcome == providers.NotSent && r.Move != payment.MoveSend {
		return nil
	}
	if x.txn.FirstSentAt.IsZero() { // a restored database may have forgotten what the answer is about
		sends, err := tx.Sends(ctx, env, x.txn.ID)
		another := func(s payment.Send) bool { return s.Number == about && s.ProviderConfigID != x.config.ID }
		if err != nil || slices.ContainsFunc(sends, another) {
			return err
		}
	}
	return tx.AnswerSend(ctx, env, x.txn.ID, about, payment.Outcome(answer.Outcome), answer.Ref)
}

// unknownThere is how long a provider may send word of an operation before its look-ups find it.
const unknownThere = 10 * time.Minute

// coveredUntil is until when callbacks may have been received that a look-up which began at asked covers.
func coveredUntil(asked time.Time, answer providers.Result) time.Time {
	if answer.Outcome == providers.NotFound {
		return asked.Add(-unknownThere)
	}
	return asked
}

// closeCall writes what came of the exchange into its own row.
func (a *Payments) closeCall(
	ctx context.Context, tx *db.Tx, env string, x exchange, answer providers.Result, callErr error,
) error {
	if x.move == payment.MoveBelieve { // a worker died in a call that its provider can never be asked about
		return tx.CutOffProviderCalls(ctx, env, x.txn.ID, a.Clock())
	}
	if x.callID == "" {
		return nil
	}
	return tx.FinishProviderCall(ctx, env, db.ProviderCall{
		ID: x.callID, TransactionID: x.txn.ID, Outcome: outcomeOf(answer, callErr), HTTPStatus: answer.HTTPStatus,
		Response: answer.Response, EndedAt: a.Clock(),
	})
}

// answerOf is a provider's answer in the words of the rules.
func answerOf(r providers.Result) payment.Answer {
	refunds, disputes := make([]payment.SeenRefund, 0, len(r.Refunds)), make([]payment.Dispute, len(r.Disputes))
	for _, seen := range r.Refunds {
		refunds = append(refunds, payment.SeenRefund(seen))
	}
	for i, d := range r.Disputes {
		disputes[i] = payment.Dispute{
			Ref: d.Ref, State: payment.DisputeState(d.State), Stage: payment.DisputeStage(d.Stage), Reason: d.Reason,
			Amount: d.Amount, Currency: d.Currency, Withdrawn: d.Withdrawn, Order: d.Order, EvidenceDueAt: d.EvidenceDueAt,
		}
	}
	return payment.Answer{
		Outcome: payment.Outcome(r.Outcome), Ref: r.Ref, Amount: r.Amount, Currency: r.Currency,
		Refunds: refunds, Disputes: disputes, SinceUnread: r.SinceUnread, FailureCode: string(r.FailureCode),
		FailureReason: r.FailureReason, Response: r.Response, RetryAfter: r.RetryAfter, ConfirmURL: webPage(r.ConfirmURL),
	}
}

// webPage returns the address of a page that a browser may be sent to; empty: it is none.
func webPage(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return ""
	}
	return address
}

// outputOf says what is left to do. Of a refund the subscription's workflow learns nothing.
func outputOf(t payment.Transaction, state lifecycle.State, changes lifecycle.Changes) contract.ResolveOutput {
	out := contract.ResolveOutput{Status: t.Status, CheckAt: t.NextCheckAt, Parked: !t.ParkedAt.IsZero(), Held: contract.HeldOf(t)}
	if state.Subscription.ID != "" {
		snapshot := contract.SnapshotOf(state, changes.Unfinished)
		out.Snapshot = &snapshot
	}
	return out
}

// unchanged returns what the rows say: there was nothing to do.
func (a *Payments) unchanged(
	ctx context.Context, in contract.ResolveInput, seen payment.Transaction, asked time.Time,
) (contract.ResolveOutput, error) {
	var out contract.ResolveOutput
	err := a.Store.InTx(ctx, workflowOf(ctx), a.Clock(), func(tx *db.Tx) error {
		state, err := tx.LockOwner(ctx, in.EnvironmentID, seen)
		if err != nil {
			return err
		}
		txn, err := tx.Transaction(ctx, in.EnvironmentID, in.TransactionID) // as it is under the locks
		if err != nil {
			return err
		}
		out = outputOf(txn, state, lifecycle.Changes{})
		var looked db.LookedAt
		if in.Asked { // there is nothing that the provider could be asked about
			looked = db.LookedAt{Refs: []string{"", txn.ProviderRef}, At: asked}
		}
		return tx.MarkCallbacksProcessed(ctx, in.EnvironmentID, in.TransactionID, looked, txn.Shows()...)
	})
	return out, err
}
