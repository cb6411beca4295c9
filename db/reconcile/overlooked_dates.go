package reconcile

import (
	"context"
	"time"

	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// OverlookedDates are dates of one kind that have passed and that nothing waits for.
type OverlookedDates struct {
	Kind    string // the subscription's action; or grant_end
	Count   int
	Oldest  time.Time
	Example string // of the subscriptions, or grants
}

// OverlookedDates lists those before then by kind, also where an earlier build wrote the next actions. Global.
func (r Reader) OverlookedDates(ctx context.Context, before time.Time) ([]OverlookedDates, error) {
	found, err := core.Queries.OverlookedDates(ctx, r.Lists(),
		dbsqlc.OverlookedDatesParams{Before: before, AtMost: core.BacklogAtMost})
	return core.Map(found, func(f dbsqlc.OverlookedDatesRow) OverlookedDates {
		return OverlookedDates{Kind: f.Kind, Count: f.Count, Oldest: f.Oldest, Example: f.Example}
	}), core.Translate("OverlookedDates", err)
}
