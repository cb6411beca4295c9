package db_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/customer"
	"perennial/billing/dunning"
	"perennial/billing/overdue"
	"perennial/billing/payment"
	"perennial/db"
)

func TestEveryField_Transaction(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.loosen(t, "transactions", "disputes")
	f := &filler{}
	reads := func(want payment.Transaction) {
		t.Helper()
		got, err := b.store.Payments.Transaction(t.Context(), b.env, want.ID)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	want := filled[payment.Transaction](t, f)
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Payments.InsertTransaction(ctx, b.env, want))
	})
	want.Revision, want.Granularity = 1, 0 // Granularity is read from limits
	take(&want, payment.Transaction{}, "HeldBack", "Action", "UnsentAt", "Silence")
	reads(want)

	for _, off := range []bool{false, true} {
		f.off = off
		saved := filled[payment.Transaction](t, f)
		take(&saved, want, "ID", "Type", "CustomerID", "SubscriptionID", "InvoiceID", "Amount", "Currency",
			"Description", "AttemptNumber", "PaymentMethodID",
			"Trigger", "ChargeID", "RecoveredFrom", "DueAt", "CreatedAt", "Granularity", "Revision")
		if saved.HeldBack.ForTurn {
			saved.HeldBack.Revision = 0
		}
		b.write(t, func(ctx context.Context, tx *db.Tx) {
			require.NoError(t, tx.Payments.SaveTransaction(ctx, b.env, saved))
		})
		saved.Revision++
		reads(saved)
		want = saved
	}
}

func TestEveryField_Customer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.loosen(t, "customers")
	f := &filler{}
	reads := func(want customer.Customer) {
		t.Helper()
		got, err := b.store.Customers.Get(t.Context(), b.env, want.ID)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	inSeconds := func(p *dunning.Policy) { // as a column has the times of a policy
		for _, d := range []*time.Duration{&p.Retry.Base, &p.Retry.MaxJitter, &p.Retry.Gaps[0]} {
			*d = time.Duration(int64(*d)) * time.Second
		}
	}
	want := filled[customer.Customer](t, f)
	want.Revision, want.ErasedAt, want.Overdue = 1, time.Time{}, overdue.Standing{} // decisions write the standing
	inSeconds(want.Dunning)
	b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Customers.Insert(ctx, b.env, want)) })
	reads(want)

	saved := filled[customer.Customer](t, f)
	inSeconds(saved.Dunning)
	take(&saved, want, "ID", "TestClockID", "CreatedAt", "Revision", "ErasedAt", "Overdue")
	b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Customers.Save(ctx, b.env, saved)) })
	saved.Revision = 2
	reads(saved)
}
