package db_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"perennial/billing/document"
	"perennial/billing/erasure"
	"perennial/db"
	"perennial/internal/id"
)

// A row can refer only to rows of its own environment, also where a check in Go was forgotten: each composite foreign
// key of the schema is pointed at a row that exists, elsewhere.
func TestIsolation_References(t *testing.T) {
	t.Parallel()
	b := setup(t)
	inv := b.openInvoice(t)
	txn := b.pendingCharge(t, inv.ID)
	ours := bundle{store: b.store, pool: b.pool, environment: b.newEnvironment(t)}
	ours.filled(t)
	back, backNote := ours.takenBack(ours.openInvoice(t))
	ours.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Invoices.InsertTakenBack(ctx, ours.env, back))
		require.NoError(t, tx.Invoices.InsertCreditNote(ctx, ours.env, &backNote))
	})
	note := b.creditNote(inv)
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Invoices.InsertCreditNote(ctx, b.env, &note))
	})
	endpoint, product := b.endpoint(t, b.env, "*"), aProduct(id.New(id.Product, wall))
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Catalog.InsertProduct(ctx, b.env, product))
	})
	b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Emit(ctx, b.env, anEvent(b.subscription))) })
	owed, _, err := b.store.Webhooks.Deliveries(t.Context(), b.env, db.WebhookDeliveryFilter{}, db.Page{Unsettled: true})
	require.NoError(t, err)
	ours.write(t, func(ctx context.Context, tx *db.Tx) {
		for _, e := range []erasure.Erasure{
			erasure.OfCustomer(id.New(id.Erasure, wall), ours.customer.ID, wall),
			erasure.OfTestClock(id.New(id.Erasure, wall), ours.clock.ID, wall),
		} {
			require.NoError(t, tx.Customers.BeginErasure(ctx, ours.env, e))
		}
	})
	ours.drawn(t, ours.env, ours.customer.ID, inv.ID)
	foreign := map[string]string{
		"customer_id": b.customer.ID, "plan_id": b.plan.ID, "pending_plan_id": b.plan.ID,
		"subscription_id": b.subscription.ID,
		"credit_note_id":  note.ID, "refund_id": txn.ID,
		"taken_back_by": inv.ID, "taken_back_with": inv.ID,
		"invoice_id": inv.ID, "collecting_invoice_id": inv.ID, "transaction_id": txn.ID, "charge_id": txn.ID,
		"recovered_from": txn.ID,
		"test_clock_id":  b.clock.ID, "provider_config_id": b.provider, "searched_config_id": b.provider,
		"event_id": owed[0].EventID, "delivery_id": owed[0].ID, "endpoint_id": endpoint, "price_id": b.plan.Prices[0].ID,
		"payment_method_id": b.customer.FirstMethodID(), "product_id": product.ID, "grant_id": b.grant(t, 5, time.Time{}).ID,
		"template_id": b.look(t, b.env, document.Template{}).ID,
	}
	rows, err := b.pool.Query(t.Context(), `
		select c.conname, c.conrelid::regclass::text, a.attname
		from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[cardinality(c.conkey)]
		where c.contype = 'f' and cardinality(c.conkey) = 2`)
	require.NoError(t, err)
	type foreignKey struct{ Name, Table, Column string }
	keys, err := pgx.CollectRows(rows, pgx.RowToStructByPos[foreignKey])
	require.NoError(t, err)
	require.Len(t, keys, 66)
	for _, k := range keys {
		require.NotEmpty(t, foreign[k.Column], "a new foreign key: %s", k.Name)
		pg := requireSQLState(t, b.point(t, k.Table, k.Column, ours.env, foreign[k.Column]), "23503")
		require.Equal(t, k.Name, pg.ConstraintName)
	}
}

// point makes one row of an environment refer to something else, in plain SQL and with our triggers off: they refuse
// changes of columns that never change before the key is looked at.
func (b *bundle) point(t *testing.T, table, column, env, at string) error {
	t.Helper()
	tx, err := b.pool.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }() // nothing to keep
	_, err = tx.Exec(t.Context(), "alter table "+table+" disable trigger user")
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), "set constraints all immediate")
	require.NoError(t, err)
	tag, err := tx.Exec(t.Context(), fmt.Sprintf(
		"update %[1]s set %[2]s = $1 where ctid = (select ctid from %[1]s where environment_id = $2 and %[2]s is not null "+
			"limit 1)", table, column), at, env)
	if err == nil {
		require.NotZero(t, tag.RowsAffected(), "the fixture has no row with %s.%s", table, column)
	}
	return err
}
