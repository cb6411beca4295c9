package db_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/db"
)

// operators: the reads of a scrape and of the doctor cost little while nothing is late. In the crowd everything is late.
func (c *crowd) operators(t *testing.T) {
	t.Helper()
	const next = 50 // as many rows may be read as for a list of so few: the ends of some indexes for each environment
	ctx, past, soon := t.Context(), time.Unix(0, 0), time.Now()
	reads := func(at time.Time) map[string]func() error {
		return map[string]func() error{
			"backlog":           func() error { _, err := c.store.Reconcile.Backlog(ctx, at, time.Minute); return err },
			"overdue actions":   func() error { _, err := c.store.Payments.OverdueActions(ctx, at); return err },
			"overdue payments":  func() error { _, err := c.store.Payments.OverduePayments(ctx, at); return err },
			"untaken charges":   func() error { _, err := c.store.Payments.UntakenCharges(ctx, at); return err },
			"undecided":         func() error { _, err := c.store.Payments.UndecidedPayments(ctx, at); return err },
			"oldest of overdue": func() error { _, err := c.store.Reconcile.OverdueSubscriptions(ctx, at, 5); return err },
			"in review":         func() error { _, err := c.store.Payments.PaymentsInReview(ctx); return err },
			"refunds owed":      func() error { _, err := c.store.Payments.RefundsOwed(ctx); return err },
			"unrated usage":     func() error { _, err := c.store.Payments.UnratedUsage(ctx); return err },
			"overlooked dates":  func() error { _, err := c.store.Reconcile.OverlookedDates(ctx, at); return err },
		}
	}
	for when, of := range map[string]struct {
		reads map[string]func() error
		limit int
	}{"nothing late": {reads(past), next}, "all late": {reads(soon), db.BacklogAtMost}} {
		for name, read := range of.reads {
			c.trace.take()
			require.NoError(t, read(), name)
			c.explain(t, name+", "+when, of.limit)
		}
	}
}
