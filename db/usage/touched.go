package usage

import (
	"context"
	"time"

	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// Touched is a subscription with merged records, whose thresholds and limits must be checked.
type Touched struct {
	core.Ref
	At time.Time // of the last merge
}

// Touch marks those of some subscriptions that have thresholds of usage, or features that a metric counts, for a later
// check.
func (tx *Tx) Touch(ctx context.Context, environmentID string, ids ...string) error {
	return core.Queries.UsageTouch(ctx, tx.Pipe, dbsqlc.UsageTouchParams{EnvironmentID: environmentID, Ids: ids})
}

// ClaimTouched returns subscriptions with merged records and no check since, those that wait longest first. No other
// process gets them before the lease ends. Global: every process that merges.
func (tx *Tx) ClaimTouched(ctx context.Context, limit int, lease time.Duration) ([]Touched, error) {
	rows, err := core.Queries.UsageTouchedClaim(ctx, tx.Handle, dbsqlc.UsageTouchedClaimParams{
		Seconds: lease.Seconds(), RowLimit: core.RowLimit(limit),
	})
	return core.Map(rows, func(row dbsqlc.UsageTouchedClaimRow) Touched {
		return Touched{core.Ref{EnvironmentID: row.EnvironmentID, ID: row.SubscriptionID}, row.TouchedAt}
	}), core.Translate("UsageTouchedClaim", err)
}

// Asked deletes the mark of a subscription without merged records since the claim.
func (tx *Tx) Asked(ctx context.Context, t Touched) error {
	return core.Queries.UsageTouchedDelete(ctx, tx.Pipe, dbsqlc.UsageTouchedDeleteParams{
		EnvironmentID: t.EnvironmentID, SubscriptionID: t.ID, TouchedAt: t.At,
	})
}

// AskLater delays the next check of a subscription, if records of it were merged since, or the check failed.
func (tx *Tx) AskLater(ctx context.Context, of core.Ref, rest time.Duration) error {
	return core.Queries.UsageTouchedLater(ctx, tx.Pipe, dbsqlc.UsageTouchedLaterParams{
		Seconds: rest.Seconds(), EnvironmentID: of.EnvironmentID, SubscriptionID: of.ID,
	})
}
