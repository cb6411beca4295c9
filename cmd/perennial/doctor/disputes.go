package doctor

import (
	"context"
	"time"

	"perennial/cmd/perennial/backlog"
	"perennial/cmd/perennial/cli"
	"perennial/db"
)

// evidenceSoon is the time before its deadline at which a dispute is reported: a person must still collect the
// documents.
const evidenceSoon = 3 * 24 * time.Hour

// disputes warns only: the installation works, but each dispute has a deadline at the provider.
func (d *doctor) disputes(ctx context.Context, store *db.Store, b db.Backlog) {
	const open, due = "disputes", "dispute evidence"
	found, err := store.Payments.UnansweredDisputes(ctx, backlog.Named)
	if err != nil {
		d.fail(open, "check the database", "%s", cli.Describe(err))
		return
	}
	if b.Disputed == 0 {
		d.ok(open, "none open")
	} else {
		d.warn(open, "answer each at the provider's dashboard before its deadline (docs/operations.md)",
			"%s with an open dispute, the oldest for %s; not answered: %s",
			cli.Counted(b.Disputed, "payment"), b.DisputeAge.Round(time.Second), backlog.Names(found, disputeOf))
	}
	var soon []db.UnansweredDispute
	for _, u := range found {
		if !u.DueAt.IsZero() && u.DueAt.Before(d.now().Add(evidenceSoon)) {
			soon = append(soon, u)
		}
	}
	if len(soon) == 0 {
		d.ok(due, "none is due within %s", evidenceSoon)
		return
	}
	d.warn(due, "send the evidence at the provider's dashboard, or accept the dispute there",
		"due within %s, or overdue: %s", evidenceSoon, backlog.Names(soon, func(u db.UnansweredDispute) string {
			return disputeOf(u) + " until " + u.DueAt.UTC().Format(time.RFC3339)
		}))
}

// disputeOf names a dispute and its payment.
func disputeOf(u db.UnansweredDispute) string { return u.ID + " (" + u.ChargeID + ")" }
