package usage

import (
	"context"
	"time"

	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// Touched is a subscription of which records were merged, and that may have reached something.
type Touched struct {
	core.Ref
	At time.Time // of the last merge
}

// Touch notes which of some subscriptions have thresholds of usage, or features that a metric counts: it is asked later
// what they have reached.
func (tx *Tx) Touch(ctx context.Context, environmentID string, ids ...string) error {
	return core.Queries.UsageTouch(ctx, tx.Pipe, dbsqlc.UsageTouchParams{EnvironmentID: environmentID, Ids: ids})
}

// ClaimTouched returns subscriptions of which records were merged and about which it was not asked since, those that
// wait longest first. No other process gets them before the lease is over. Global: every process that merges.
func (tx *Tx) ClaimTouched(ctx context.Context, limit int, lease time.Duration) ([]Touched, error) {
	rows, err := core.Queries.UsageTouchedClaim(ctx, tx.Handle, dbsqlc.UsageTouchedClaimParams{
		Seconds: lease.Seconds(), RowLimit: core.RowLimit(limit),
	})
	return core.Map(rows, func(row dbsqlc.UsageTouchedClaimRow) Touched {
		return Touched{core.Ref{EnvironmentID: row.EnvironmentID, ID: row.SubscriptionID}, row.TouchedAt}
	}), core.Translate("UsageTouchedClaim", err)
}

// Asked forgets a subscription of which no records were merged since it was claimed.
func (tx *Tx) Asked(ctx context.Context, t Touched) error {
	return core.Queries.UsageTouchedDelete(ctx, tx.Pipe, dbsqlc.UsageTouchedDeleteParams{
		EnvironmentID: t.EnvironmentID, SubscriptionID: t.ID, TouchedAt: t.At,
	})
}

// AskLater lets a subscription rest, if records of it were merged since it was asked about, or that failed.
func (tx *Tx) AskLater(ctx context.Context, of core.Ref, rest time.Duration) error {
	return core.Queries.UsageTouchedLater(ctx, tx.Pipe, dbsqlc.UsageTouchedLaterParams{
		Seconds: rest.Seconds(), EnvironmentID: of.EnvironmentID, SubscriptionID: of.ID,
	})
}
