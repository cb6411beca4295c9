package webhooks

import (
	"context"
	"time"

	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// WebhookBacklog is the state of webhook deliveries in the whole installation.
type WebhookBacklog struct {
	Late    int           // endpoints with something overdue, or not woken in time
	DueAge  time.Duration // since the oldest due work of an endpoint became due; 0: none is due
	Failing int           // enabled endpoints that fail for longer than asked for
}

// Backlog reads the backlog at now; work that has been due for longer than late is overdue. Global.
func (r Reader) Backlog(
	ctx context.Context, now time.Time, late, failing time.Duration,
) (WebhookBacklog, error) {
	now = now.Truncate(time.Microsecond)
	row, err := core.Queries.WebhookBacklogGet(ctx, r.Handle, dbsqlc.WebhookBacklogGetParams{
		Now: now, LateBefore: now.Add(-late), FailingBefore: now.Add(-failing), AtMost: core.BacklogAtMost,
	})
	return WebhookBacklog{Late: max(row.Late, row.Asleep), DueAge: max(0, now.Sub(row.DueAt)), Failing: row.Failing},
		core.Translate("WebhookBacklogGet", err)
}

// TroubledEndpoint is a webhook endpoint that fails, or was disabled for it.
type TroubledEndpoint struct {
	core.Ref
	Since    time.Time // it fails, or is disabled, since then
	Disabled bool
}

// TroubledEndpoints lists at most limit that fail since before one time, and as many that were disabled for it after
// the other. Global.
func (r Reader) TroubledEndpoints(
	ctx context.Context, failingBefore, disabledSince time.Time, limit int,
) ([]TroubledEndpoint, error) {
	found, err := core.Queries.WebhookEndpointListTroubled(ctx, r.Handle, dbsqlc.WebhookEndpointListTroubledParams{
		FailingBefore: failingBefore, DisabledSince: disabledSince, RowLimit: limit,
	})
	return core.Map(found, func(f dbsqlc.WebhookEndpointListTroubledRow) TroubledEndpoint {
		return TroubledEndpoint{core.Ref{EnvironmentID: f.EnvironmentID, ID: f.ID}, f.Since, f.Disabled}
	}), core.Translate("WebhookEndpointListTroubled", err)
}
