// Package execution is what every activity knows of its own execution: for which workflow it acts, how it shows that it
// is alive, how it waits, and what it reports where the row that it was started for is absent.
package execution

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"

	"perennial/db"
)

// Clock gives real time. Subscriptions' own time always comes in with the input.
type Clock func() time.Time

// Actor returns the workflow that has this done. Outside of one, where tests and benchmarks call an activity as a
// function, the activities themselves are the actor.
func Actor(ctx context.Context) db.Actor {
	if activity.IsActivity(ctx) {
		return db.ByWorkflow(activity.GetInfo(ctx).WorkflowExecution.ID)
	}
	return db.BySystem("activities")
}

// InTx runs a transaction in which the workflow acts that has this done. now is the time that the transaction is of, as
// for db.Store.InTx, whose errors it returns.
func InTx(ctx context.Context, store *db.Store, now time.Time, run func(tx *db.Tx) error) error {
	return store.InTx(ctx, Actor(ctx), now, run)
}

// Heartbeat shows that an activity is alive, and how far it has come. Tests call activities as functions, without a
// server to show it to.
func Heartbeat(ctx context.Context, far ...any) {
	if activity.IsActivity(ctx) {
		activity.RecordHeartbeat(ctx, far...)
	}
}

// Pause waits on the spot, as long as ctx lasts.
func Pause(ctx context.Context, wait time.Duration) error {
	if wait <= 0 {
		return nil
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(wait):
		return nil
	}
}
