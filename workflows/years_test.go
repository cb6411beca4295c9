package workflows_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/invoice"
	"perennial/billing/subscription"
	"perennial/db"
	"perennial/test/scene"
)

// Ten years in one sitting: every month is billed once, on the anchor, and no run grows old.
func TestSubscription_TenYearsOfRenewals(t *testing.T) {
	t.Parallel()
	sc := scene.New(t)
	sc.Clock.Set(time.Date(2026, 1, 31, 9, 30, 0, 0, time.UTC))
	p := scene.Monthly(1000)
	p.TrialDays = 31 // to 3 March
	s := subscribe(t, sc, p)
	anchor := time.Date(2026, 3, 3, 9, 30, 0, 0, time.UTC)
	s.play(anchor.AddDate(10, 0, 0).Add(-time.Second))

	sub, err := s.Store.Subscriptions.Get(t.Context(), s.Env, s.ref.ID)
	require.NoError(t, err)
	require.Equal(t, subscription.Active, sub.Status)
	require.Equal(t, anchor.AddDate(10, 0, 0), sub.PaidThrough)
	require.Equal(t, 120, sub.NextPeriod)
	require.Len(t, s.Provider.Captures(), 120)
	require.Len(t, s.Provider.Calls(), 120)
	var ends []time.Time
	for page := (db.Page{Limit: 100}); ; {
		list, more, err := s.Store.Invoices.List(t.Context(), s.Env, db.InvoiceFilter{SubscriptionID: s.ref.ID}, page)
		require.NoError(t, err)
		for _, i := range list {
			require.Equal(t, invoice.Paid, i.Status)
			require.Equal(t, i.Period.Start, i.IssuedAt)
			ends = append(ends, i.Period.End)
		}
		if !more {
			break
		}
		page.StartingAfter = list[len(list)-1].ID
	}
	require.Len(t, ends, 120)
	for i, end := range ends { // newest first
		require.Equal(t, anchor.AddDate(0, 120-i, 0), end)
	}
	require.InDelta(t, 120, s.runs, 2, "a run lasts for one period")
	s.RequireSound(t)
}
