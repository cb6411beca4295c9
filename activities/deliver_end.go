package activities

import (
	"context"
	"errors"
	"time"

	"perennial/billing/delivery"
	"perennial/contract"
	"perennial/db"
)

// closeLost ends the attempts that a dead worker left open, which consume no retry.
func (r *run) closeLost(ctx context.Context) error {
	for found := dueBatch; found == dueBatch; heartbeat(ctx) {
		held := r.Clock().Add(-db.AttemptHeld)
		lost, err := r.Store.LostAttempts(ctx, r.endpoint.EnvironmentID, r.endpoint.ID, held, dueBatch)
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
			return tx.EndAttempts(ctx, r.endpoint.EnvironmentID, ends)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// output says what is left, and notes for the reconciler when the endpoint has something to do.
func (r *run) output(ctx context.Context) (contract.DeliverOutput, error) {
	ctx = context.WithoutCancel(ctx) // a worker that ends says so, too
	env, id, out := r.endpoint.EnvironmentID, r.endpoint.ID, r.sum
	backlog, err := r.Store.EndpointBacklog(ctx, env, id)
	if err != nil {
		return out, err
	}
	out.Slow, out.Waiting, out.Retrying = r.slow, backlog.First, backlog.Later
	switch {
	case r.endpoint.Status != delivery.EndpointEnabled:
		out.NextAt = r.Clock() // the next run closes what is left
	case !out.NextAt.IsZero():
	case len(r.due) > 0 || !r.Clock().Before(r.until):
		out.NextAt = r.Clock() // more is due than one run delivers
	default:
		out.NextAt = backlog.NextAt
	}
	return out, r.Store.InTx(ctx, r.by, r.Clock(), func(tx *db.Tx) error {
		return tx.SetEndpointNextAttempt(ctx, env, id, out.NextAt)
	})
}

// observe tells the measurements what was recorded.
func (r *run) observe(ctx context.Context, ends []db.AttemptEnd) {
	for i, e := range ends {
		waited := time.Duration(-1)
		if r.finished[i].due.State.Attempts == 0 && !e.Manual {
			waited = e.End.At.Sub(r.finished[i].due.CreatedAt)
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
