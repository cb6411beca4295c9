package db_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/invoice"
	"perennial/billing/subscription"
	"perennial/db"
	"perennial/internal/id"
)

// Whole rows written by the statements of package rows, a hundred in each transaction: the time of the client and the
// server for one, without the commit's part.

const rowsAtOnce = 100

func BenchmarkInsertSubscription(b *testing.B) {
	w := setup(b)
	each(b, w, func(ctx context.Context, tx *db.Tx) error {
		s := w.subscription
		s.ID, s.Items = id.New(id.Subscription, wall), nil
		return tx.Subscriptions.Insert(ctx, w.env, s)
	})
}

func BenchmarkCopySubscriptions(b *testing.B) {
	w := setup(b)
	b.ReportAllocs()
	for b.Loop() {
		all := make([]subscription.Subscription, rowsAtOnce)
		for i := range all {
			all[i] = w.subscription
			all[i].ID, all[i].Items = id.New(id.Subscription, wall), nil
		}
		require.NoError(b, w.store.InTx(b.Context(), db.BySystem("test"), now, func(tx *db.Tx) error {
			return tx.Subscriptions.InsertAll(b.Context(), w.env, all)
		}))
	}
}

func BenchmarkSaveSubscription(b *testing.B) {
	w := setup(b)
	s := w.subscription
	each(b, w, func(ctx context.Context, tx *db.Tx) error {
		err := tx.Subscriptions.Save(ctx, w.env, s)
		s.Revision++
		return err
	})
}

func BenchmarkInsertInvoice(b *testing.B) {
	w := setup(b)
	each(b, w, func(ctx context.Context, tx *db.Tx) error {
		inv := w.invoice()
		inv.Lines = nil
		return tx.Invoices.Insert(ctx, w.env, inv)
	})
}

func BenchmarkSaveInvoice(b *testing.B) {
	w := setup(b)
	var inv invoice.Invoice
	require.NoError(b, w.store.InTx(b.Context(), db.BySystem("test"), now, func(tx *db.Tx) error {
		inv = w.invoice()
		return tx.Invoices.Insert(b.Context(), w.env, inv)
	}))
	each(b, w, func(ctx context.Context, tx *db.Tx) error { return tx.Invoices.Save(ctx, w.env, inv) })
}

// each repeats a write within transactions of rowsAtOnce.
func each(b *testing.B, w *bundle, write func(context.Context, *db.Tx) error) {
	b.Helper()
	b.ReportAllocs()
	for b.Loop() {
		require.NoError(b, w.store.InTx(b.Context(), db.BySystem("test"), now, func(tx *db.Tx) error {
			for range rowsAtOnce {
				if err := write(b.Context(), tx); err != nil {
					return err
				}
			}
			return nil
		}))
	}
}
