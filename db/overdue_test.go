package db_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/customer"
	"perennial/billing/invoice"
	"perennial/billing/overdue"
	"perennial/db"
	"perennial/internal/id"
)

func TestStandingRoundTrip(t *testing.T) {
	t.Parallel()
	b := setup(t)
	full := overdue.Standing{
		State: "ended", Since: now, AccessDenied: true, NeedsPerson: true, Canceling: true, NextAt: now.Add(time.Hour),
		Sums: overdue.Sums{Invoices: 3, Oldest: now.Add(-time.Hour), Amounts: []overdue.Amount{{Currency: eur, Amount: 7}}},
	}
	for _, want := range []overdue.Standing{full, {NextAt: now}, {State: "warned", Since: now, Sums: full.Sums}, {}} {
		b.write(t, func(ctx context.Context, tx *db.Tx) {
			require.NoError(t, tx.Customers.SaveStanding(ctx, b.env, b.customer.ID, want))
		})
		got, err := b.store.Customers.Get(t.Context(), b.env, b.customer.ID)
		require.NoError(t, err)
		require.True(t, want.Equal(got.Overdue), "%+v, not %+v", got.Overdue, want)
		require.Equal(t, b.customer.Revision, got.Revision, "no change of the app's")
	}
	require.Equal(t, now, full.DueAt(), "what is to be canceled is due at once")
}

// realCustomer adds a customer in real time.
func (b *bundle) realCustomer(t *testing.T) customer.Customer {
	t.Helper()
	c := b.customer
	c.ID, c.TestClockID = id.New(id.Customer, wall), ""
	c.PaymentMethodID = c.FirstMethodID()
	b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Customers.Insert(ctx, b.env, c)) })
	return c
}

// Customers in real time are due by it, those of a clock by the clock's.
func TestToReview_ByTheCustomersTime(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := b.realCustomer(t)
	listed := func(at time.Time) (ids []string) {
		found, err := b.store.Customers.ToReview(t.Context(), at, 10)
		require.NoError(t, err)
		for _, ref := range found {
			require.Equal(t, b.env, ref.EnvironmentID)
			ids = append(ids, ref.ID)
		}
		return ids
	}
	at := b.clock.NowAt
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		for _, owner := range []string{c.ID, b.customer.ID} {
			require.NoError(t, tx.Customers.SaveStanding(ctx, b.env, owner, overdue.Standing{NextAt: at}))
		}
	})
	require.ElementsMatch(t, []string{b.customer.ID}, listed(at.Add(-time.Second)), "its clock stands there")
	require.ElementsMatch(t, []string{b.customer.ID, c.ID}, listed(at))
	next, known, err := b.store.Clocks.NextDue(t.Context(), b.env, b.clock.ID)
	require.NoError(t, err)
	require.True(t, known)
	require.False(t, next.After(at))
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Customers.SaveStanding(ctx, b.env, b.customer.ID, overdue.Standing{NextAt: at.Add(1e9)}))
		require.NoError(t, tx.Customers.SaveStanding(ctx, b.env, c.ID, overdue.Standing{}))
	})
	require.Empty(t, listed(at.AddDate(1, 0, 0)), "real time does not move a clock")
	b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Customers.MarkToReview(ctx, b.env, c.ID)) })
	require.Equal(t, []string{c.ID}, listed(wall), "at once")
	require.Empty(t, listed(wall.Add(-time.Second)))
}

// A sweep goes through the customers with open invoices page by page. A policy that is chosen meanwhile begins another.
func TestSweepOn_PageByPage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.openInvoice(t)
	other := b.invoice()
	other.ID, other.SubscriptionID, other.Reason, other.CustomerID = id.New(id.Invoice, wall), "", invoice.Manual, b.realCustomer(t).ID
	other.Lines = nil
	b.realCustomer(t) // without an invoice
	b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Invoices.Insert(ctx, b.env, other)) })
	choose := func(name string) {
		b.write(t, func(ctx context.Context, tx *db.Tx) {
			was, err := tx.Tenancy.LockSettings(ctx, b.env)
			require.NoError(t, err)
			is := was
			is.Overdue = overdue.Policy{States: []overdue.State{{Name: name, Days: 1}}}
			require.NoError(t, tx.Tenancy.SaveSettings(ctx, b.env, was, is))
		})
	}
	sweeps := func() []db.OverdueSweep {
		all, err := b.store.Customers.Sweeps(t.Context(), 10)
		require.NoError(t, err)
		return all
	}
	on := func(s db.OverdueSweep) {
		b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Customers.SweepOn(ctx, s, 1)) })
	}
	marked := func() (n int) {
		require.NoError(t, b.pool.QueryRow(t.Context(),
			"select count(*) from customers where environment_id = $1 and overdue_due_at is not null", b.env).Scan(&n))
		return n
	}
	require.Empty(t, sweeps())
	choose("late")
	first := db.OverdueSweep{EnvironmentID: b.env}
	require.Equal(t, []db.OverdueSweep{first}, sweeps())
	on(first)
	require.Equal(t, 1, marked())
	half := sweeps()[0]
	choose("later")
	require.Equal(t, []db.OverdueSweep{first}, sweeps(), "from the beginning")
	on(half)
	require.Equal(t, []db.OverdueSweep{first}, sweeps(), "the former one does not end it")
	for range 2 {
		on(sweeps()[0])
	}
	require.Equal(t, 2, marked())
	on(sweeps()[0])
	require.Empty(t, sweeps())
}
