package execution

import (
	"context"

	"perennial/contract"
)

// RowAbsent names the missing row of a workflow. Effects are dispatched after their commit, and only the primary is
// read: the row existed, and a restore of the database has lost it. Ending its workflow loses nothing, since the row is
// what the reconciler and signal-with-start start workflows by.
type RowAbsent struct {
	Kind string // a kind of this package
	contract.Ref
}

// Observer receives the rows that are absent.
type Observer interface {
	// RowAbsent reports a workflow that the database has no row for; it ends.
	RowAbsent(ctx context.Context, r RowAbsent)
}

// Kinds of absent rows, as the metric names them.
const (
	KindSubscription = "subscription"
	KindPayment      = "payment"
	KindTestClock    = "test_clock"
	KindErasure      = "erasure"
)
