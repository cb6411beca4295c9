package lifecycle

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/payment"
	"perennial/billing/subscription"
)

func TestLeavesAtRest(t *testing.T) {
	t.Parallel()
	due := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	at := func(next time.Time, pending ...payment.Transaction) State {
		return State{Subscription: subscription.Subscription{NextActionAt: next}, Pending: pending}
	}
	ended := at(time.Time{})
	ended.Subscription.FinishedAt = due
	sent := payment.Transaction{ID: "txn_1"}
	for name, c := range map[string]struct {
		before, after State
		changes       Changes
		want          bool
	}{
		"the same date":             {before: at(due), after: at(due), want: true},
		"a later date":              {before: at(due), after: at(due.Add(1)), want: true},
		"a nearer date":             {before: at(due), after: at(due.Add(-1))},
		"the first date":            {before: at(time.Time{}), after: at(due)},
		"no date any more":          {before: at(due), after: at(time.Time{})},
		"the end":                   {before: at(due), after: ended},
		"a charge begins":           {before: at(due), after: at(due, sent)},
		"a charge is called off":    {before: at(due, sent), after: at(due)},
		"a charge is under way":     {before: at(due, sent), after: at(due, sent)},
		"more is due than was done": {before: at(due), after: at(due), changes: Changes{Unfinished: true}},
	} {
		require.Equal(t, c.want, LeavesAtRest(c.before, c.after, c.changes), name)
	}
}
