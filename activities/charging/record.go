package charging

import (
	"context"
	"net/url"
	"time"

	"perennial/activities/execution"
	"perennial/billing/charging"
	"perennial/billing/fault"
	"perennial/billing/lifecycle"
	"perennial/billing/payment"
	"perennial/billing/recording"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/id"
	"perennial/providers"
)

// record writes the answer and its consequences in one transaction: load, decide, write.
func (a *Payments) record(
	ctx context.Context, in contract.ResolveInput, x exchange, said response,
) (contract.ResolveOutput, payment.Transaction, error) {
	wall := a.Clock()
	now := wall
	if in.Now.After(now) {
		now = in.Now
	}
	r := entry{x: x, env: in.EnvironmentID, said: said, moment: db.Moment(now, wall), clock: a.Clock}
	err := execution.InTx(ctx, a.Store, now, func(tx *db.Tx) error { return r.run(ctx, tx) })
	if err != nil {
		return contract.ResolveOutput{}, payment.Transaction{}, err
	}
	a.tellRecorded(ctx, r)
	return outputOf(r.led.Transaction, r.state, r.changes), r.led.Transaction, nil
}

// entry is an answer that is being recorded.
type entry struct {
	x      exchange
	env    string
	said   response
	moment lifecycle.Moment
	clock  execution.Clock

	state   lifecycle.State // locked, then as the answer leaves it
	result  recording.Result
	led     recording.Recorded // what the answer leads to
	changes lifecycle.Changes
}

// run loads, decides and writes; the first error ends it.
func (r *entry) run(ctx context.Context, tx *db.Tx) error {
	for _, stage := range []func(context.Context, *db.Tx) error{
		r.load, r.proven, r.decide, r.noteHealth, r.write, r.closeCall, r.noteSends, r.markCallbacks,
	} {
		if err := stage(ctx, tx); err != nil {
			return err
		}
	}
	return nil
}

// load reads and locks the rows that the answer concerns.
func (r *entry) load(ctx context.Context, tx *db.Tx) (err error) {
	x := r.x
	if r.state, err = tx.Lifecycle.LockOwner(ctx, r.env, x.Transaction); err != nil {
		return err
	}
	if !r.state.Customer.ErasedAt.IsZero() {
		// Nothing personal is written of an erased payer.
		r.said.Response, r.said.FailureReason, r.said.ConfirmURL = nil, "", ""
	}
	result, err := tx.Lifecycle.LockResult(ctx, r.env, r.state, x.Transaction)
	if err != nil {
		return err
	}
	result.Answer = r.said.Result
	result.Answer.ConfirmURL = webPage(r.said.ConfirmURL)
	about := x.Concerns(result.Transaction, result.Answer)
	result.Transaction = about.Transaction
	result.Move, result.Asked, result.Protocol = x.Move, x.Asked, x.Protocol
	result.About, result.Hint, result.Handed, result.Send = x.About, x.Hint, x.Handed, x.Earlier
	result.Hold, result.Lost, result.RestoredAt = x.Hold, x.Lost, x.RestoredAt
	result.ConfirmLink = contract.ConfirmLink(x.publicURL, result.Transaction.Action.Token)
	if x.callID != "" {
		result.Begun = r.said.asked
	}
	if r.said.err != nil {
		result.Impossible = fault.From(r.said.err)
	}
	if about.Recovered && result.Recovered == nil {
		if result.Recovered, err = tx.Payments.LockRecovered(ctx, r.env, x.Transaction.ID); err != nil {
			return err
		}
	}
	if about.Failed {
		t := result.Transaction
		if result.Failed, err = tx.Payments.FailedOperations(ctx, r.env, t.ID, t.ProviderConfigID); err != nil {
			return err
		}
	}
	if about.Sends {
		if result.Sends, err = tx.Payments.Sends(ctx, r.env, x.Transaction.ID); err != nil {
			return err
		}
	}
	if charging.ConcernsRefunds(result.Captured(), result.Answer) {
		if result.Refunds, err = tx.Payments.LockRefunds(ctx, r.env, result.Captured().ID); err != nil {
			return err
		}
		seen := result.Answer.Refunds
		vacant, err := vacantIDs(ctx, tx, payment.UncheckedIDs(seen, result.Refunds))
		if err != nil {
			return err
		}
		result.Answer.Refunds = payment.WithTrueIDs(seen, result.Refunds, vacant)
	}
	r.result = result
	return nil
}

// decide decides the consequences of the answer.
func (r *entry) decide(context.Context, *db.Tx) (err error) {
	r.state, r.led, r.changes, err = recording.Record(r.state, r.result, r.moment)
	return err
}

func (r *entry) write(ctx context.Context, tx *db.Tx) error {
	return tx.Lifecycle.Write(ctx, r.env, r.state, r.changes)
}

// markCallbacks marks the callbacks that the answer covers.
func (r *entry) markCallbacks(ctx context.Context, tx *db.Tx) error {
	covered := r.x.Covers(r.led.Transaction, r.led.LookedAt, r.said.asked, r.said.Outcome)
	return markCallbacks(ctx, tx, r.env, r.x.Transaction.ID, covered)
}

// markCallbacks marks the callbacks that have nothing left to say.
func markCallbacks(ctx context.Context, tx *db.Tx, env, transactionID string, c charging.Coverage) error {
	looked := db.LookedAt{Refs: c.Refs, At: c.Until, Asked: c.Asked}
	if c.AccountID != "" {
		return tx.Payments.MarkCallbacksElsewhere(ctx, env, transactionID, c.AccountID, looked)
	}
	return tx.Payments.MarkCallbacksProcessed(ctx, env, transactionID, looked, c.Shows...)
}

// vacantIDs returns the transaction ids among some ids that no transaction has.
func vacantIDs(ctx context.Context, tx *db.Tx, ids []string) (vacant []string, _ error) {
	for _, one := range ids {
		if !id.Is(id.Transaction, one) {
			continue
		}
		taken, err := tx.Payments.TransactionIsKnown(ctx, one)
		if err != nil {
			return nil, err
		}
		if !taken {
			vacant = append(vacant, one)
		}
	}
	return vacant, nil
}

// proven records that "not taken" proves the absence of a first send, or of the first completion.
func (r *entry) proven(ctx context.Context, tx *db.Tx) error {
	x := r.x
	completes := x.Move == payment.MoveComplete && !x.Handed.Again
	if r.said.Outcome != providers.NotSent || x.Move != payment.MoveSend && !completes {
		return nil
	}
	calls, err := callsOf(ctx, tx, r.env, x.Transaction.ID)
	if completes {
		r.result.Answer.Outcome = x.NotCompleted(x.callID, r.result.Transaction.Action.HandedAt, calls)
	} else {
		r.result.Move = x.NotTaken(r.said.HTTPStatus != 0, x.callID, x.key(), calls)
	}
	return err
}

// callsOf are the calls of the transaction, in the words of the rules.
func callsOf(ctx context.Context, tx *db.Tx, env, transactionID string) ([]charging.Call, error) {
	found, err := tx.Payments.ProviderCalls(ctx, env, transactionID)
	calls := make([]charging.Call, len(found))
	for i, c := range found {
		calls[i] = charging.Call{
			ID: c.ID, Key: c.Key, Completes: c.Operation == db.CallComplete, StartedAt: c.StartedAt,
		}
	}
	return calls, err
}

// noteSends writes the row of a send that was found, and the answer into the row of the send that it concerns.
func (r *entry) noteSends(ctx context.Context, tx *db.Tx) error {
	txn := r.x.Transaction
	if r.led.Found != nil {
		if err := tx.Payments.InsertSend(ctx, r.env, txn.ID, *r.led.Found); err != nil {
			return err
		}
	}
	number, answers := r.x.AnswersSend(r.result.Move, r.said.Outcome)
	if !answers {
		return nil
	}
	if txn.FirstSentAt.IsZero() { // a restored database may have lost the send that the answer is about
		sends, err := tx.Payments.Sends(ctx, r.env, txn.ID)
		if err != nil || !r.x.SendIs(sends) {
			return err
		}
	}
	return tx.Payments.AnswerSend(ctx, r.env, txn.ID, number, r.said.Outcome, r.said.Ref)
}

// closeCall writes what came of the exchange into its own row. A callback that is believed is the answer to a call in
// which a worker died, and which its provider can never be asked about.
func (r *entry) closeCall(ctx context.Context, tx *db.Tx) error {
	switch {
	case r.x.Move == payment.MoveBelieve:
		if err := tx.Payments.CutOffProviderCalls(ctx, r.env, r.x.Transaction.ID, r.clock()); err != nil {
			return err
		}
		return tx.Payments.MarkCallbackProcessed(ctx, r.env, r.x.Evidence[0].CallbackID)
	case r.x.callID == "":
		return nil
	}
	return tx.Payments.FinishProviderCall(ctx, r.env, db.ProviderCall{
		ID: r.x.callID, TransactionID: r.x.Transaction.ID, Outcome: r.said.shown(), HTTPStatus: r.said.HTTPStatus,
		Response: r.said.Response, EndedAt: r.clock(),
	})
}

// webPage returns the address of a page that a browser may be sent to; empty: it is none.
func webPage(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return ""
	}
	return address
}

// outputOf returns what is left to do. A refund does not concern the subscription's workflow.
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

// unchanged returns the state of the rows: there was nothing to do.
func (a *Payments) unchanged(
	ctx context.Context, in contract.ResolveInput, x exchange, asked time.Time,
) (contract.ResolveOutput, error) {
	var out contract.ResolveOutput
	err := execution.InTx(ctx, a.Store, a.Clock(), func(tx *db.Tx) error {
		state, err := tx.Lifecycle.LockOwner(ctx, in.EnvironmentID, x.Transaction)
		if err != nil {
			return err
		}
		txn, err := tx.Payments.Transaction(ctx, in.EnvironmentID, in.TransactionID) // as it is under the locks
		if err != nil {
			return err
		}
		out = outputOf(txn, state, lifecycle.Changes{})
		return markCallbacks(ctx, tx, in.EnvironmentID, in.TransactionID, charging.CoversUnasked(txn, in.Asked, asked))
	})
	return out, err
}
