package db_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/db"
	"perennial/internal/id"
)

// A build from before lines named their items runs together with this one: it opens a period, and changes the plan
// within it. The next decision of this build finds the rows that it writes without the new columns.
func TestOldBuild_WhatItBillsIsFound(t *testing.T) {
	t.Parallel()
	b := setup(t)
	exec := func(sql string, args ...any) {
		t.Helper()
		_, err := b.pool.Exec(t.Context(), sql, args...)
		require.NoError(t, err)
	}
	start, end := now.Add(month), now.Add(2*month)
	exec(`update subscriptions set next_period = 2, current_period_start = $1, current_period_end = $2, renewed_from = $1
		where environment_id = $3 and id = $4`, start, end, b.env, b.subscription.ID)
	bill := func(at time.Time, kind string, price *string, amount int) string {
		t.Helper()
		inv, line := id.New(id.Invoice, wall), id.New(id.InvoiceLine, wall)
		tx, err := b.pool.Begin(t.Context())
		require.NoError(t, err)
		defer func() { _ = tx.Rollback(t.Context()) }() // where it was not committed
		_, err = tx.Exec(t.Context(), `insert into invoice_lines (id, environment_id, invoice_id, position, kind, description,
			plan_id, price_id, amount, period_start, period_end) values ($1, $2, $3, 0, $4, '', $5, $6, $7, $8, $9)`,
			line, b.env, inv, kind, b.plan.ID, price, amount, at, end)
		require.NoError(t, err)
		_, err = tx.Exec(t.Context(), `insert into invoices (id, environment_id, number, customer_id, subscription_id, status,
			reason, currency, total, credit_applied, amount_due, amount_paid, period_start, period_end, phase,
			automatic_attempts, attempts, paid_at, issued_at, created_at) values ($1, $2, (select count(*) + 1 from invoices),
			$3, $4, 'paid', 'subscription_update', 'EUR', $5::bigint, 0, greatest($5::bigint, 0), greatest($5::bigint, 0), $6, $7, 'settled', 0, 0,
			$6, $6, $6)`, inv, b.env, b.customer.ID, b.subscription.ID, amount, at, end)
		require.NoError(t, err)
		require.NoError(t, tx.Commit(t.Context()))
		return line
	}
	price := b.plan.Prices[0].ID
	before := bill(start.Add(-month), "recurring", &price, 1000) // the period before ended elsewhere
	whole := bill(start, "recurring", &price, 1000)
	bill(start.Add(time.Hour), "proration_credit", nil, -900)

	s := load(t, b)

	require.Equal(t, [2]int{2, 2}, [2]int{s.Subscription.PeriodIndex, s.Subscription.RenewedIndex})
	require.Len(t, s.Paid, 2, "not that of the period before")
	require.Equal(t, whole, s.Paid[0].Lines[0].ID)
	require.NotEqual(t, before, s.Paid[0].Lines[0].ID)
	require.Equal(t, b.itemID(0), s.Paid[0].Lines[0].ItemID, "the item follows from the price")
	for _, inv := range s.Paid {
		require.Equal(t, [2]int{2, 2}, [2]int{inv.PeriodIndex, inv.Lines[0].PeriodIndex})
	}
	exec(`update subscriptions set interval_unit = 'week', current_period_start = $1, current_period_end = $2, anchor_at = $1,
		next_period = 1 where environment_id = $3 and id = $4`, start.Add(time.Hour), end, b.env, b.subscription.ID)
	s = load(t, b)
	require.Equal(t, [2]int{3, 2}, [2]int{s.Subscription.PeriodIndex, s.Subscription.RenewedIndex}, "a change of interval")

	b.write(t, func(ctx context.Context, tx *db.Tx) { // this build counts them itself
		sub := locked(ctx, t, b, tx)
		sub.CurrentPeriod.Start, sub.CurrentPeriod.End, sub.RenewedFrom = end, end.Add(month), end
		sub.NextPeriod, sub.PeriodIndex, sub.RenewedIndex = 2, 4, 4
		require.NoError(t, tx.Subscriptions.Save(ctx, b.env, sub))
	})
	counted := load(t, b)
	require.Equal(t, 4, counted.Subscription.PeriodIndex)
	require.Empty(t, counted.Paid)
}
