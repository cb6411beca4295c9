package main

import (
	"context"
	"time"

	"perennial/db"
)

// failingFor is how long a webhook endpoint may fail until its owner is worth a word; disabledFor is how long one that
// was disabled for it is named.
const (
	failingFor  = time.Hour
	disabledFor = 7 * 24 * time.Hour
)

// webhooks checks that what endpoints are owed is on its way. Receivers that fail are their owners' concern: a warning.
func (d *doctor) webhooks(ctx context.Context, store *db.Store) {
	const check = "webhooks"
	ctx, cancel := d.within(ctx)
	defer cancel()
	b, err := store.WebhookBacklog(ctx, d.now(), late, failingFor)
	if err != nil {
		d.fail(check, "check the database", "%s", describe(err))
		return
	}
	if b.Late > 0 {
		d.fail(check, "check that workers run; with many slow receivers, raise WEBHOOK_SLOTS",
			"%s: work is overdue, the oldest by %s", counted(b.Late, "endpoint"), b.DueAge.Round(time.Second))
	} else {
		d.ok(check, "nothing waits for more than %s", late)
	}
	troubled, err := store.TroubledEndpoints(ctx, d.now().Add(-failingFor), d.now().Add(-disabledFor), named)
	if err != nil {
		d.fail(check, "check the database", "%s", describe(err))
		return
	}
	if len(troubled) > 0 {
		d.warn("webhook receivers", "tell the owners of these endpoints; the log of each shows why",
			"these fail, or were disabled because they failed for three days: %s", names(troubled, troubleOf))
	}
}

// troubleOf names an endpoint by its id alone: its URL may hold a token of the receiver's.
func troubleOf(e db.TroubledEndpoint) string {
	if e.Disabled {
		return e.ID + " (disabled " + e.Since.Format(time.DateOnly) + ")"
	}
	return e.ID + " (fails since " + e.Since.Format(time.RFC3339) + ")"
}
