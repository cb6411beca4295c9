package activities

import (
	"context"
	"errors"

	"perennial/contract"
	"perennial/db"
)

// RowAbsent names a row that a workflow was started for and that the database does not have. Effects are dispatched
// after their commit, and only the primary is read: the row existed, and a restore of the database has lost it. Ending
// its workflow loses nothing, since the row is what the reconciler and signal-with-start start workflows by.
type RowAbsent struct {
	Kind string // a kind of this package
	contract.Ref
}

// Kinds of absent rows, as the metric names them.
const (
	KindSubscription = "subscription"
	KindPayment      = "payment"
	KindTestClock    = "test_clock"
	KindErasure      = "erasure"
)

// clockAbsent reports a clock that a restore has lost. One that was deleted meanwhile still has its row.
func (a *Clocks) clockAbsent(ctx context.Context, ref contract.Ref) error {
	_, err := a.Store.TestClock(ctx, ref.EnvironmentID, ref.ID)
	if !errors.Is(err, db.ErrTestClockNotFound) {
		return err
	}
	a.Observer.RowAbsent(ctx, RowAbsent{KindTestClock, ref})
	return nil
}
