package doctor

import (
	"context"
	"time"

	"perennial/cmd/perennial/backlog"
	"perennial/cmd/perennial/cli"
	"perennial/db"
)

// backlog checks by the rows alone that due work is done: it finds faults that every other check calls healthy.
func (d *doctor) backlog(ctx context.Context, store *db.Store) {
	ctx, cancel := d.within(ctx)
	defer cancel()
	b, err := store.Reconcile.Backlog(ctx, d.now(), backlog.Late)
	if err != nil {
		d.fail("overdue work", "check the database", "%s", cli.Describe(err))
		return
	}
	d.reconciled(b)
	d.behindClocks(ctx, store)
	d.overlooked(ctx, store)
	for _, w := range backlog.AllWaiting {
		d.waiting(ctx, store, w)
	}
	d.charging(ctx, store)
	d.breakers(ctx, store, d.now())
	d.lost(ctx, store, b)
	d.erasures(ctx, store, b)
	d.disputes(ctx, store, b)
}

// overlooked checks every date in a row, whatever the next actions are: a build that does not know a date writes a next
// action without it.
func (d *doctor) overlooked(ctx context.Context, store *db.Store) {
	const check = "overlooked dates"
	found, err := store.Reconcile.OverlookedDates(ctx, d.now().Add(-backlog.Late))
	switch {
	case err != nil:
		d.fail(check, "check the database", "%s", cli.Describe(err))
	case len(found) == 0:
		d.ok(check, "nothing waits for a date that has passed")
	}
	for _, o := range found {
		d.fail(check, "run workers of the present build: the reconciler does within a minute what has passed",
			"%d × %s since %s, such as %s: the next action does not say so, as after a step back to an earlier build",
			o.Count, o.Kind, o.Oldest.UTC().Format(time.RFC3339), o.Example)
	}
}

// reconciled checks when the last pass ended, not the workflow: one that runs and fails each time looks alive in
// Temporal.
func (d *doctor) reconciled(b db.Backlog) {
	const check = "reconciler"
	allowed := backlog.ReconciledWithin(d.config)
	switch {
	case b.ReconciledAge < 0:
		d.fail(check, startWorker, "it has never finished a pass")
	case b.ReconciledAge > allowed:
		d.fail(check, "check that a worker of the current build runs, and check the workflow `reconciler` in Temporal",
			"its last pass ended %s ago: what was left undone is not found", b.ReconciledAge.Round(time.Second))
	default:
		d.ok(check, "its last pass ended %s ago", b.ReconciledAge.Round(time.Second))
	}
}

// behindClocks warns only: it is about tests, and the reconciler wakes such subscriptions.
func (d *doctor) behindClocks(ctx context.Context, store *db.Store) {
	found, err := store.Reconcile.BehindClock(ctx, d.now().Add(-backlog.Late), backlog.Named)
	if err != nil {
		d.fail("test clocks", "check the database", "%s", cli.Describe(err))
	} else if len(found) > 0 {
		d.warn("test clocks",
			"run doctor again in a minute; terminate the workflows of those that stay: the reconciler starts them again",
			"these subscriptions stand behind their test clock for more than %s: %s", backlog.Late, backlog.Names(found, backlog.ActionOf))
	}
}

// lost finds payments that the provider knows and the database does not.
func (d *doctor) lost(ctx context.Context, store *db.Store, b db.Backlog) {
	const check = "lost payments"
	if b.Lost == 0 {
		d.ok(check, "none")
		return
	}
	found, err := store.Payments.LostCallbacks(ctx, backlog.Named)
	if err != nil {
		d.fail(check, "check the database", "%s", cli.Describe(err))
		return
	}
	d.fail(check, "look each up at its provider, book or refund the money, then run `perennial callback close`",
		"%s about payments that the database does not have, the oldest for %s: %s",
		cli.Counted(b.Lost, "callback"), b.LostAge.Round(time.Second), backlog.Names(found, func(c db.LostCallback) string {
			return c.TransactionID + " (" + c.ProviderRef + ", callback " + c.ID + ")"
		}))
}

// erasures finds deletions that make no progress: the law gives them a deadline.
func (d *doctor) erasures(ctx context.Context, store *db.Store, b db.Backlog) {
	const check = "erasures"
	if b.Erasures == 0 {
		d.ok(check, "none is late")
		return
	}
	found, err := store.Customers.StuckErasures(ctx, d.now().Add(-backlog.Late), backlog.Named)
	if err != nil {
		d.fail(check, "check the database", "%s", cli.Describe(err))
		return
	}
	d.fail(check,
		"check that workers run; then open these workflows in Temporal, which show the error of the batch that fails",
		"%s without progress for more than %s, the oldest requested %s ago: %s",
		cli.Counted(b.Erasures, "erasure"), backlog.Late, b.ErasureAge.Round(time.Second),
		backlog.Names(found, func(e db.StuckErasure) string { return e.ID + " (" + string(e.Stage) + ")" }))
}
