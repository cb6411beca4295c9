package db_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/db"
	"perennial/internal/id"
	"perennial/test/testdb"
)

// Events that one transaction writes about different subscriptions have no sequence in common: only the order of the
// list tells which came first.
func TestEvents_OneTransactionIsListedInOrder(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		for i := range 200 {
			// A process that makes ids for others in the same millisecond.
			_ = id.New(id.Event, tx.Real.Add(time.Duration(i%2)*time.Millisecond))
			require.NoError(t, tx.Emit(ctx, b.env, event.New(event.PlanCreated{ID: fmt.Sprint(i)}, now)))
		}
	})
	var listed []db.Event
	for page := (db.Page{Limit: 100}); ; page.StartingAfter = listed[len(listed)-1].ID {
		rows, more, err := b.store.Webhooks.Events(t.Context(), b.env, db.EventFilter{}, page)
		require.NoError(t, err)
		listed = append(listed, rows...)
		if !more {
			break
		}
	}
	require.Len(t, listed, 200)
	for i, e := range listed {
		require.Equal(t, fmt.Sprint(199-i), e.ObjectID)
	}
}

func TestList_UnknownCursorIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other := b.newEnvironment(t)
	for _, cursor := range []string{id.New(id.Customer, wall), other.customer.ID} {
		_, _, err := b.store.Customers.List(t.Context(), b.env, db.CustomerFilter{}, db.Page{StartingAfter: cursor})
		requireFault(t, err, fault.Invalid, "cursor_unknown")
		_, _, err = b.store.Customers.List(t.Context(), b.env, db.CustomerFilter{}, db.Page{EndingBefore: cursor})
		requireFault(t, err, fault.Invalid, "cursor_unknown")
	}
}

// A logical restore into another database has the rows and the sequence, but no transaction ids: the order is unchanged
// and continues behind it.
func TestPositions_OutliveALogicalRestore(t *testing.T) {
	t.Parallel()
	b, restored := setup(t), testdb.Migrated(t)
	ids := func(store *db.Store, page db.Page) (ids []string) {
		rows, _, err := store.Webhooks.Events(t.Context(), b.env, db.EventFilter{}, page)
		require.NoError(t, err)
		for _, e := range rows {
			ids = append(ids, e.ID)
		}
		return ids
	}
	for range 3 {
		b.write(t, func(ctx context.Context, tx *db.Tx) {
			require.NoError(t, tx.Emit(ctx, b.env, anEvent(b.subscription)))
		})
	}
	before := ids(b.store, db.Page{})
	pool := restored.Pool(t)
	for _, table := range []string{
		"tenants", "apps", "environments", "plans", "test_clocks", "customers", "subscriptions", "customer_event_sequences",
		"events",
	} {
		copyTable(t, b.pool, pool, table)
	}
	_, err := pool.Exec(t.Context(), "select setval('list_position', $1, true)",
		b.count(t, "select last_value from list_position"))
	require.NoError(t, err)
	store, err := db.Open(t.Context(), db.Config{URL: restored.URL, Clock: func() time.Time {
		return wall.Add(-time.Hour)
	}})
	require.NoError(t, err)
	t.Cleanup(store.Close)
	require.Equal(t, before, ids(store, db.Page{}))
	require.NoError(t, store.InTx(t.Context(), db.BySystem("test"), now, func(tx *db.Tx) error {
		return tx.Emit(t.Context(), b.env, anEvent(b.subscription))
	}))
	require.Len(t, ids(store, db.Page{EndingBefore: before[0]}), 1, "its id is an hour older, its position is not")
	require.Equal(t, before, ids(store, db.Page{})[1:])
}

// copyTable does what pg_dump and pg_restore do with the rows of a table: a restore creates triggers after the rows.
func copyTable(t *testing.T, from, to *pgxpool.Pool, table string) {
	t.Helper()
	source, err := from.Acquire(t.Context())
	require.NoError(t, err)
	defer source.Release()
	target, err := to.Acquire(t.Context())
	require.NoError(t, err)
	defer target.Release()
	var rows bytes.Buffer
	_, err = source.Conn().PgConn().CopyTo(t.Context(), &rows, "copy "+table+" to stdout")
	require.NoError(t, err)
	_, err = target.Exec(t.Context(), "alter table "+table+" disable trigger user")
	require.NoError(t, err)
	_, err = target.Conn().PgConn().CopyFrom(t.Context(), &rows, "copy "+table+" from stdin")
	require.NoError(t, err)
	_, err = target.Exec(t.Context(), "alter table "+table+" enable trigger user")
	require.NoError(t, err)
}
