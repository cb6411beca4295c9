package charging

import (
	"context"
	"net/url"
	"slices"
	"time"

	"perennial/activities/execution"
	"perennial/billing/charging"
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
	env, wall, covered := in.EnvironmentID, a.Clock(), charging.CoveredUntil(asked, payment.Outcome(answer.Outcome))
	now := wall
	if in.Now.After(now) {
		now = in.Now
	}
	err := a.Store.InTx(ctx, execution.Actor(ctx), now, func(tx *db.Tx) error {
		state, err := tx.LockOwner(ctx, env, x.Transaction)
		if err != nil {
			return err
		}
		if !state.Customer.ErasedAt.IsZero() {
			// Nothing personal is written of an erased payer.
			answer.Response, answer.FailureReason, answer.ConfirmURL = nil, "", ""
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
		if err := noteHealth(ctx, tx, env, x, answer, asked); err != nil {
			return err
		}
		if err := tx.Write(ctx, env, state, changes); err != nil {
			return err
		}
		if err := a.closeCall(ctx, tx, env, x, answer, callErr); err != nil {
			return err
		}
		if x.Move == payment.MoveBelieve {
			if err := tx.MarkCallbackProcessed(ctx, env, x.Evidence[0].CallbackID); err != nil {
				return err
			}
		}
		if recorded.Found != nil {
			if err := tx.InsertSend(ctx, env, x.Transaction.ID, *recorded.Found); err != nil {
				return err
			}
		}
		if err := noteSend(ctx, tx, env, x, result, answer); err != nil {
			return err
		}
		looked := db.LookedAt{Refs: recorded.LookedAt, At: covered, Asked: x.Asks()}
		if x.Earlier != nil { // what the messages of the current provider say is another matter
			out, clockNow = outputOf(recorded.Transaction, state, changes), state.ClockNow
			if len(recorded.LookedAt) == 0 {
				return nil
			}
			return tx.MarkCallbacksElsewhere(ctx, env, in.TransactionID, x.Earlier.ProviderConfigID, looked)
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
	if x.Transaction.Status == payment.Pending && recorded.Transaction.Status != payment.Pending {
		a.Observer.PaymentEnded(ctx, measured(recorded, x.config.Mode, !clockNow.IsZero()))
	}
	return out, recorded.Transaction, nil
}

// loadResult reads the rows that the answer concerns beside the state, under lock.
func loadResult(
	ctx context.Context, tx *db.Tx, env string, state lifecycle.State, x exchange, answer providers.Result,
	asked time.Time,
) (lifecycle.Result, error) {
	r, err := tx.LockResult(ctx, env, state, x.Transaction)
	if err != nil {
		return r, err
	}
	r.Move, r.Asked, r.Protocol, r.Answer = x.Move, x.Asked, x.Protocol, answerOf(answer)
	if x.callID != "" {
		r.Begun = asked
	}
	r.About, r.Hint, r.Handed = x.About, x.Hint, x.Handed
	r.ConfirmLink = contract.ConfirmLink(x.publicURL, r.Transaction.Action.Token)
	r.Hold, r.Lost, r.RestoredAt = x.Hold, x.Lost, x.RestoredAt
	if !r.Transaction.EverSent() && x.Earlier == nil { // a callback told who has it, whoever refused it last
		r.Transaction.Provider, r.Transaction.ProviderConfigID = x.Transaction.Provider, x.Transaction.ProviderConfigID
	}
	r.Send = x.Earlier
	another := r.Transaction.Status == payment.Success && answer.Ref != "" && answer.Ref != r.Transaction.ProviderRef
	if (r.Send != nil || another) && r.Recovered == nil {
		if r.Recovered, err = tx.LockRecovered(ctx, env, x.Transaction.ID); err != nil {
			return r, err
		}
	}
	if answer.Outcome == providers.NotFound {
		if r.Sends, err = tx.Sends(ctx, env, x.Transaction.ID); err != nil {
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
	if answer.Outcome != providers.NotSent {
		return r, nil
	}
	return proven(ctx, tx, env, r, x, answer)
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

// proven is what "not taken" proves about a first send, or about what was handed over first.
func proven(
	ctx context.Context, tx *db.Tx, env string, r lifecycle.Result, x exchange, answer providers.Result,
) (lifecycle.Result, error) {
	completes := x.Move == payment.MoveComplete && !x.Handed.Again
	if x.Move != payment.MoveSend && !completes {
		return r, nil
	}
	calls, err := callsOf(ctx, tx, env, x.Transaction.ID)
	if completes {
		r.Answer.Outcome = x.NotCompleted(x.callID, r.Transaction.Action.HandedAt, calls)
	} else {
		r.Move = x.NotTaken(answer.HTTPStatus != 0, x.callID, x.key(), calls)
	}
	return r, err
}

// callsOf are the calls of the transaction, in the words of the rules.
func callsOf(ctx context.Context, tx *db.Tx, env, transactionID string) ([]charging.Call, error) {
	found, err := tx.ProviderCalls(ctx, env, transactionID)
	calls := make([]charging.Call, len(found))
	for i, c := range found {
		calls[i] = charging.Call{
			ID: c.ID, Key: c.Key, Completes: c.Operation == db.CallComplete, StartedAt: c.StartedAt,
		}
	}
	return calls, err
}

// noteSend writes the answer into the row of its send.
func noteSend(
	ctx context.Context, tx *db.Tx, env string, x exchange, r lifecycle.Result, answer providers.Result,
) error {
	number, answers := x.AnswersSend(r.Move, payment.Outcome(answer.Outcome))
	if !answers {
		return nil
	}
	if x.Transaction.FirstSentAt.IsZero() { // a restored database may have forgotten what the answer is about
		sends, err := tx.Sends(ctx, env, x.Transaction.ID)
		if err != nil || !x.SendIs(sends) {
			return err
		}
	}
	return tx.AnswerSend(ctx, env, x.Transaction.ID, number, payment.Outcome(answer.Outcome), answer.Ref)
}

// closeCall writes what came of the exchange into its own row.
func (a *Payments) closeCall(
	ctx context.Context, tx *db.Tx, env string, x exchange, answer providers.Result, callErr error,
) error {
	if x.Move == payment.MoveBelieve { // a worker died in a call that its provider can never be asked about
		return tx.CutOffProviderCalls(ctx, env, x.Transaction.ID, a.Clock())
	}
	if x.callID == "" {
		return nil
	}
	return tx.FinishProviderCall(ctx, env, db.ProviderCall{
		ID: x.callID, TransactionID: x.Transaction.ID, Outcome: outcomeOf(answer, callErr), HTTPStatus: answer.HTTPStatus,
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
	out := contract.ResolveOutput{
		Status: t.Status, CheckAt: t.NextCheckAt, Parked: !t.ParkedAt.IsZero(), Held: contract.HeldOf(t),
	}
	if state.Subscription.ID != "" {
		snapshot := contract.SnapshotOf(state, changes.Unfinished)
		out.Snapshot = &snapshot
	}
	return out
}

// unchanged returns what the rows say: there was nothing to do.
func (a *Payments) unchanged(
	ctx context.Context, in contract.ResolveInput, x exchange, asked time.Time,
) (contract.ResolveOutput, error) {
	var out contract.ResolveOutput
	err := a.Store.InTx(ctx, execution.Actor(ctx), a.Clock(), func(tx *db.Tx) error {
		state, err := tx.LockOwner(ctx, in.EnvironmentID, x.Transaction)
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
