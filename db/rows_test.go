package db_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"perennial/billing/subscription"
	"perennial/db"
)

// Every field of the domain's value is written and read by each statement that writes whole rows. The values are made
// up, so what refuses them in the schema is taken away first.

// loosen removes constraints from tables of the test's database that refuse made-up values.
func (b *bundle) loosen(t *testing.T, tables ...string) {
	t.Helper()
	for _, table := range tables {
		rows, err := b.pool.Query(t.Context(),
			"select conname from pg_constraint where conrelid = $1::text::regclass and contype in ('c', 'f')", table)
		require.NoError(t, err)
		names, err := pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		for _, name := range names {
			_, err = b.pool.Exec(t.Context(), "alter table "+table+" drop constraint "+name)
			require.NoError(t, err)
		}
		rows, err = b.pool.Query(t.Context(), "select tgname from pg_trigger where tgrelid = $1::text::regclass "+
			"and tgname like 'guard%'", table)
		require.NoError(t, err)
		triggers, err := pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		for _, name := range triggers {
			_, err = b.pool.Exec(t.Context(), "alter table "+table+" disable trigger "+name)
			require.NoError(t, err)
		}
	}
}

func TestEveryField_Subscription(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.loosen(t, "subscriptions")
	f := &filler{}
	made := func() subscription.Subscription {
		s := filled[subscription.Subscription](t, f)
		s.CustomerID, s.Items, s.Revision, s.UpdatedAt = b.customer.ID, nil, 1, s.CreatedAt
		s.PendingLines[0].Credited = 0 // of issued lines only
		return s
	}
	reads := func(want subscription.Subscription) {
		t.Helper()
		got, err := b.store.Subscriptions.Get(t.Context(), b.env, want.ID)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}

	inserted, copied := made(), made()
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Subscriptions.Insert(ctx, b.env, inserted))
		require.NoError(t, tx.Subscriptions.InsertAll(ctx, b.env, []subscription.Subscription{copied}))
	})
	reads(inserted)
	reads(copied)

	f.off = true
	saved := filled[subscription.Subscription](t, f)
	saved.ID, saved.CustomerID, saved.Currency, saved.TimeZone = inserted.ID, inserted.CustomerID,
		inserted.Currency, inserted.TimeZone
	saved.PendingLines[0].Credited = 0
	saved.TestClockID, saved.Items, saved.Revision, saved.CreatedAt = inserted.TestClockID, nil, 1, inserted.CreatedAt
	everyFieldDiffers(t, inserted, saved, "ID", "CustomerID", "Currency", "TimeZone", "TestClockID", "Items",
		"Revision", "CreatedAt")
	b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Subscriptions.Save(ctx, b.env, saved)) })
	saved.Revision = 2
	reads(saved)
}
