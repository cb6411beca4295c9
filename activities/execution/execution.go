// Package execution is the part of activities that concerns their own execution: the workflow that they act for,
// heartbeats, waits, and the report of a missing row.
package execution

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"

	"perennial/db"
)

// Clock returns real time. The time of a subscription always comes with the input.
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
