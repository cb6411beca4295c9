package doctor

import (
	"context"
	"time"

	"perennial/cmd/perennial/backlog"
	"perennial/cmd/perennial/cli"
	"perennial/db"
)

// disabledFor is the time for which an endpoint that was disabled because it failed is named.
const disabledFor = 7 * 24 * time.Hour

// webhooks checks that what endpoints are owed is on its way. Receivers that fail are their owners' concern: a warning.
func (d *doctor) webhooks(ctx context.Context, store *db.Store) {
	const check = "webhooks"
	ctx, cancel := d.within(ctx)
	defer cancel()
	b, err := store.Webhooks.Backlog(ctx, d.now(), backlog.Late, backlog.FailingFor)
	if err != nil {
		d.fail(check, "check the database", "%s", cli.Describe(err))
		return
	}
	if b.Late > 0 {
		d.fail(check, "check that workers run; with many slow receivers, raise WEBHOOK_SLOTS",
			"%s: work is overdue, the oldest by %s", cli.Counted(b.Late, "endpoint"), b.DueAge.Round(time.Second))
	} else {
		d.ok(check, "nothing waits for more than %s", backlog.Late)
	}
	troubled, err := store.Webhooks.TroubledEndpoints(ctx, d.now().Add(-backlog.FailingFor),
		d.now().Add(-disabledFor), backlog.Named)
	if err != nil {
		d.fail(check, "check the database", "%s", cli.Describe(err))
		return
	}
	if len(troubled) > 0 {
		d.warn("webhook receivers", "tell the owners of these endpoints; the log of each shows why",
			"these fail, or were disabled because they failed for three days or answered 410: %s", backlog.Names(troubled, troubleOf))
	}
}

// troubleOf names an endpoint by its id alone: its URL may hold a token of the receiver's.
func troubleOf(e db.TroubledEndpoint) string {
	if e.Disabled {
		return e.ID + " (disabled " + e.Since.Format(time.DateOnly) + ")"
	}
	return e.ID + " (fails since " + e.Since.Format(time.RFC3339) + ")"
}
