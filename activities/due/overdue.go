// Package due does what becomes due on a date and has no workflow that waits for it: overdue invoices, ended credit
// grants and expiring cards. The reconciler finds them in real time, and a step of a test clock in the clock's.
package due

import (
	"context"
	"time"

	"perennial/activities/execution"
	"perennial/billing/lifecycle"
	"perennial/db"
)

// AnnounceOverdue announces once that the time to pay an invoice is over. Manual invoices have no workflow, and those
// of a canceled subscription none that waits: the reconciler finds those in real time, and a step of their clock the
// others (ADR 47).
func AnnounceOverdue(ctx context.Context, store *db.Store, due db.DueInvoice, now time.Time) error {
	return execution.InTx(ctx, store, now, func(tx *db.Tx) error {
		state, err := lockDue(ctx, tx, due)
		if err != nil {
			return err
		}
		state, changes, err := lifecycle.Overdue(state, db.Moment(now, now))
		if err != nil {
			return err
		}
		return tx.Lifecycle.Write(ctx, due.EnvironmentID, state, changes)
	})
}

func lockDue(ctx context.Context, tx *db.Tx, due db.DueInvoice) (lifecycle.State, error) {
	if due.SubscriptionID != "" {
		return tx.Lifecycle.LockSubscription(ctx, due.EnvironmentID, due.SubscriptionID)
	}
	return tx.Lifecycle.LockManualInvoice(ctx, due.EnvironmentID, due.CustomerID, due.ID)
}
