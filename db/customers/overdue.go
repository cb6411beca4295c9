package customers

import (
	"context"
	"time"

	"perennial/billing/overdue"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// ToReview lists customers whose debts are to be reviewed by now, in real time, and by the time of their clock those
// whose clock stands still. Global: the reconciler.
func (r Reader) ToReview(ctx context.Context, now time.Time, limit int) ([]core.Ref, error) {
	found, err := core.Queries.CustomerListToReview(ctx, r.Lists(),
		dbsqlc.CustomerListToReviewParams{DueBy: &now, RowLimit: limit})
	return core.Map(found, func(f dbsqlc.CustomerListToReviewRow) core.Ref {
		return core.Ref{EnvironmentID: f.EnvironmentID, ID: f.ID}
	}), core.Translate("CustomerListToReview", err)
}

// ToReviewOnClock lists the next hundred customers of the clock whose debts are to be reviewed by then.
func (r Reader) ToReviewOnClock(ctx context.Context, environmentID, clockID string, by time.Time) ([]core.Ref, error) {
	found, err := core.Queries.CustomerListToReviewOnClock(ctx, r.Handle,
		dbsqlc.CustomerListToReviewOnClockParams{EnvironmentID: environmentID, TestClockID: &clockID, DueBy: &by})
	return core.Map(found, func(id string) core.Ref {
		return core.Ref{EnvironmentID: environmentID, ID: id}
	}), core.Translate("CustomerListToReviewOnClock", err)
}

// SaveStanding writes where a decision found a customer, and when the customer is to be reviewed next. The caller holds
// the customer's lock. Fault: customer_not_found.
func (tx *Tx) SaveStanding(ctx context.Context, environmentID, customerID string, s overdue.Standing) error {
	return core.Queries.CustomerSaveOverdue(ctx, tx.Pipe.OrElse(core.NotFound("customer")), dbsqlc.CustomerSaveOverdueParams{
		EnvironmentID: environmentID, ID: customerID, Overdue: core.StandingToDB(s), OverdueDueAt: core.NullTime(s.DueAt()),
	})
}

// MarkToReview has the debts of a customer reviewed at once.
func (tx *Tx) MarkToReview(ctx context.Context, environmentID, customerID string) error {
	return core.Queries.CustomerMarkToReview(ctx, tx.Pipe,
		dbsqlc.CustomerMarkToReviewParams{EnvironmentID: environmentID, ID: customerID, Now: tx.Real})
}

// Sweep is an environment with a new overdue policy, whose customers up to one follow it.
type Sweep struct {
	EnvironmentID string
	After         string // the customer; empty: none yet
}

// Sweeps lists environments whose customers are to follow a new overdue policy. Global: the reconciler.
func (r Reader) Sweeps(ctx context.Context, limit int) ([]Sweep, error) {
	found, err := core.Queries.EnvironmentListToSweep(ctx, r.Lists(), core.RowLimit(limit))
	return core.Map(found, func(f dbsqlc.EnvironmentListToSweepRow) Sweep { return Sweep{f.ID, f.OverdueSweep} }),
		core.Translate("EnvironmentListToSweep", err)
}

// SweepOn marks the next customers of an environment who have open invoices. After the last of them the sweep ends.
func (tx *Tx) SweepOn(ctx context.Context, s Sweep, limit int) error {
	last, err := core.Queries.CustomerSweepToReview(ctx, tx.Pipe, dbsqlc.CustomerSweepToReviewParams{
		EnvironmentID: s.EnvironmentID, After: s.After, Now: tx.Real, RowLimit: core.RowLimit(limit),
	})
	if err != nil {
		return core.Translate("CustomerSweepToReview", err)
	}
	return core.Queries.EnvironmentSetSweep(ctx, tx.Pipe,
		dbsqlc.EnvironmentSetSweepParams{EnvironmentID: s.EnvironmentID, Former: s.After, Next: core.Null(last)})
}
