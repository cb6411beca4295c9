package delivery

import (
	"context"
	"errors"
	"time"

	"perennial/activities/execution"
	"perennial/billing/delivery"
	"perennial/contract"
	"perennial/db"
)

// closeLost ends the attempts that a dead worker left open, which consume no retry.
func (r *run) closeLost(ctx context.Context) error {
	for found := dueBatch; found == dueBatch; execution.Heartbeat(ctx) {
		held := r.Clock().Add(-db.AttemptHeld)
		lost, err := r.Store.Webhooks.LostAttempts(ctx, r.endpoint.EnvironmentID, r.endpoint.ID, held, dueBatch)
		if err != nil {
			return err
		}
		if found = len(lost); found == 0 {
			return nil
		}
		ends := make([]db.AttemptEnd, found)
		for i, l := range lost {
			end := delivery.End{Outcome: delivery.OutcomeUnknown, At: r.Clock()}
			ends[i] = db.AttemptEnd{AttemptStart: l.AttemptStart, End: end, Next: r.policy(r.endpoint.Mode).Next(l.State, end)}
		}
		err = r.Store.InTx(ctx, r.by, r.Clock(), func(tx *db.Tx) error {
			return tx.Webhooks.EndAttempts(ctx, r.endpoint.EnvironmentID, ends)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// leave ends the activity's part of a run. It waits for the recorder, so that a reader of the backlog sees all that has
// begun.
func (r *run) leave(ctx context.Context) {
	if r.asked != nil {
		r.apps.withdraw(r.asked)
		r.asked = nil
	}
	for r.writing > 0 {
		_ = r.took(ctx, <-r.written) // what failed is tried again below
	}
	if r.stale = append(r.stale, r.ready...); len(r.stale) > 0 {
		r.ready = nil
		_ = r.recordFinished(context.WithoutCancel(ctx)) // if it fails, they count as lost
		r.sum.NextAt = r.Clock()
	}
	if r.posting > 0 || len(r.finished) > 0 {
		r.leaveBehind(ctx)
	}
}

// leaveBehind records the attempts that are open when the activity ends, and those that could not be recorded yet. Then
// it wakes the workflow, so that the deliveries behind them need not wait until the attempts count as lost. It uses its
// own transaction, since transactions that lock an endpoint and its deliveries lock the endpoint first.
func (r *run) leaveBehind(ctx context.Context) {
	rest := *r // the activity still reads the run
	r.flying, r.posting, r.finished = nil, 0, nil
	rest.closing = true
	ctx = context.WithoutCancel(ctx)
	r.background.Go(func() {
		for {
			deadline := rest.Clock().Add(recordPatience)
			for rest.recordFinished(ctx) != nil && rest.Clock().Before(deadline) {
				time.Sleep(recordPause)
			}
			if rest.posting == 0 {
				break
			}
			rest.landed(<-rest.ended)
		}
		_ = rest.Store.InTx(ctx, rest.by, rest.Clock(), func(tx *db.Tx) error { // if not, it looks when they would be lost
			tx.WakeWebhookEndpoint(rest.endpoint.EnvironmentID, rest.endpoint.ID)
			return nil
		})
	})
}

// recordFinished waits until all ended attempts are written.
func (r *run) recordFinished(ctx context.Context) error {
	err := r.turn(ctx)
	for r.writing > 0 {
		err = errors.Join(err, r.took(ctx, <-r.written))
	}
	return err
}

// output returns what is left, and marks an endpoint that has something to do, for the reconciler.
func (r *run) output(ctx context.Context) (contract.DeliverOutput, error) {
	ctx = context.WithoutCancel(ctx) // a worker that ends says so, too
	env, id, out := r.endpoint.EnvironmentID, r.endpoint.ID, r.sum
	backlog, err := r.Store.Webhooks.EndpointBacklog(ctx, env, id)
	if err != nil {
		return out, err
	}
	out.Slow, out.Waiting, out.Retrying = r.slow, backlog.First, backlog.Later
	switch {
	case r.endpoint.Status != delivery.EndpointEnabled:
		out.NextAt = r.Clock() // the next run closes the rest
	case !out.NextAt.IsZero():
	case len(r.due) > 0 || !r.Clock().Before(r.until):
		out.NextAt = r.Clock() // more is due than one run delivers
	default:
		out.NextAt = backlog.NextAt
	}
	return out, r.Store.InTx(ctx, r.by, r.Clock(), func(tx *db.Tx) error {
		return tx.Webhooks.SetEndpointNextAttempt(ctx, env, id, out.NextAt)
	})
}

// observe reports the recorded attempts to the measurements, and removes them from what the run remembers.
func (r *run) observe(ctx context.Context, written *recording) {
	for i, e := range written.ends {
		delete(r.known, e.DeliveryID)
		waited := time.Duration(-1)
		if written.finished[i].due.State.Attempts == 0 && !e.Manual {
			waited = e.End.At.Sub(written.finished[i].due.CreatedAt)
		}
		class := e.ErrorClass
		if e.End.Outcome == delivery.OutcomeUnknown {
			class = string(delivery.OutcomeUnknown)
		}
		r.Observer.AttemptEnded(ctx, r.endpoint.Mode, class, e.Latency, waited)
		if e.End.Outcome == delivery.OutcomeSucceeded {
			r.sum.Succeeded++
		} else {
			r.sum.Failed++
		}
	}
}

// ignoreGone passes over an endpoint that was deleted meanwhile.
func ignoreGone(err error) error {
	if errors.Is(err, db.ErrWebhookEndpointNotFound) {
		return nil
	}
	return err
}
