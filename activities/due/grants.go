package due

import (
	"context"
	"time"

	"perennial/activities/execution"
	"perennial/billing/lifecycle"
	"perennial/db"
)

// EndGrant removes the rest of a credit grant that has ended, once, and announces one that has expired. Invoices judge
// by time whether they may use a grant, so that nothing depends on when this happens. Grants have no workflow: the
// reconciler finds those in real time, and a step of their clock the others (ADR 48).
func EndGrant(ctx context.Context, store *db.Store, due db.DueGrant, now time.Time) error {
	return execution.InTx(ctx, store, now, func(tx *db.Tx) error {
		state, err := tx.Customers.LockState(ctx, due.EnvironmentID, due.CustomerID)
		if err != nil {
			return err
		}
		if _, err := tx.Customers.LockBalance(ctx, due.EnvironmentID, due.CustomerID, due.Currency); err != nil {
			return err
		}
		grant, err := tx.Customers.LockCreditGrant(ctx, due.EnvironmentID, due.ID)
		if err != nil {
			return err
		}
		return tx.Lifecycle.Write(ctx, due.EnvironmentID, state, lifecycle.EndGrant(state, grant, db.Moment(now, now)))
	})
}
