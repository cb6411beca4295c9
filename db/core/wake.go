package core

import (
	"context"
	"time"

	"perennial/billing/lifecycle"
	"perennial/db/internal/dbsqlc"
)

// Wake records that the subscription's workflow has something to do, and has it signaled after the commit, unless a
// signal is under way already. The row is locked, and s is its state. why names the signal; empty: no command. Where
// the transaction saves the subscription afterwards, the mark costs no extra statement.
func (tx *Tx) Wake(_ context.Context, environmentID string, s lifecycle.State, why string) error {
	if s.WakePending || s.Subscription.ID == "" {
		return nil
	}
	tx.AfterCommit(SignalSubscription{
		EnvironmentID: environmentID, ID: s.Subscription.ID, Why: why, Revision: s.Subscription.Revision,
	})
	tx.marks = append(tx.marks, Ref{EnvironmentID: environmentID, ID: s.Subscription.ID})
	return nil
}

// Tell sends the new state of a subscription that a decision leaves at rest to its workflow after the commit. The row
// has no mark of it: a signal that is lost is not sent again. A workflow that is being woken reads the row itself.
func (tx *Tx) Tell(environmentID string, s lifecycle.State, why string) {
	if s.WakePending {
		return
	}
	tx.AfterCommit(SignalSubscription{
		EnvironmentID: environmentID, ID: s.Subscription.ID, Why: why, Revision: s.Subscription.Revision, Told: &s,
	})
}

// TakeMark returns the mark that a subscription is to get when it is saved; nil: none.
func (tx *Tx) TakeMark(environmentID, id string) *time.Time {
	for i, m := range tx.marks {
		if m.EnvironmentID == environmentID && m.ID == id {
			tx.marks = append(tx.marks[:i], tx.marks[i+1:]...)
			return &tx.Real
		}
	}
	return nil
}

// setMarks queues the marks of subscriptions that were not saved since.
func (tx *Tx) setMarks(ctx context.Context) error {
	for _, m := range tx.marks {
		err := Queries.SubscriptionSetWakePending(ctx, tx.Pipe, dbsqlc.SubscriptionSetWakePendingParams{
			EnvironmentID: m.EnvironmentID, ID: m.ID, WakePendingSince: &tx.Real,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// ClearWakePending records that the subscription's workflow acts on its wake-up.
func (tx *Tx) ClearWakePending(ctx context.Context, environmentID string, s lifecycle.State) error {
	if !s.WakePending {
		return nil
	}
	tx.cleared++
	return Queries.SubscriptionClearWakePending(ctx, tx.Pipe, dbsqlc.SubscriptionClearWakePendingParams{
		EnvironmentID: environmentID, ID: s.Subscription.ID,
	})
}

// relax saves a flush to disk where the transaction only cleared marks, which is the usual case for a woken workflow. A
// mark that a crash of the server brings back costs one more signal: the reconciler sends it.
func (tx *Tx) relax(ctx context.Context) error {
	if tx.cleared == 0 || tx.Pipe.writes != tx.cleared {
		return nil
	}
	return Queries.CommitWithoutFlush(ctx, tx.Pipe)
}
