package usage

import (
	"context"
	"time"

	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// Touched is a subscription with thresholds of usage of which records were merged.
type Touched struct {
	core.Ref
	At time.Time // of the last merge
}

// Touch notes which of some subscriptions have thresholds: it is asked later what they have reached.
func (tx *Tx) Touch(ctx context.Context, environmentID string, ids ...string) error {
	return core.Queries.UsageTouch(ctx, tx.Pipe, dbsqlc.UsageTouchParams{EnvironmentID: environmentID, Ids: ids})
}

// Touched lists subscriptions of which records were merged since it was asked what thresholds they have reached, those
// that wait longest first. Global: every process that merges.
func (r Reader) Touched(ctx context.Context, limit int) ([]Touched, error) {
	rows, err := core.Queries.UsageTouchedList(ctx, r.Handle, core.RowLimit(limit))
	return core.Map(rows, func(row dbsqlc.UsageTouched) Touched {
		return Touched{core.Ref{EnvironmentID: row.EnvironmentID, ID: row.SubscriptionID}, row.TouchedAt}
	}), core.Translate("UsageTouchedList", err)
}

// Asked forgets a subscription of which no records were merged since it was listed.
func (tx *Tx) Asked(ctx context.Context, t Touched) error {
	return core.Queries.UsageTouchedDelete(ctx, tx.Pipe, dbsqlc.UsageTouchedDeleteParams{
		EnvironmentID: t.EnvironmentID, SubscriptionID: t.ID, TouchedAt: t.At,
	})
}

// AskLater lets a subscription that could not be asked about wait behind all others.
func (tx *Tx) AskLater(ctx context.Context, of core.Ref) error {
	return core.Queries.UsageTouchedLater(ctx, tx.Pipe, dbsqlc.UsageTouchedLaterParams{
		EnvironmentID: of.EnvironmentID, SubscriptionID: of.ID,
	})
}
