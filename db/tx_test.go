package db_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
	"perennial/db"
)

// halfWritten writes one event and one change of the subscription, so that half a transaction would show.
func halfWritten(ctx context.Context, t *testing.T, b *bundle, tx *db.Tx) {
	s := locked(ctx, t, b, tx)
	require.NoError(t, tx.Emit(ctx, b.env, anEvent(s)))
	s.CancelReason = "written"
	require.NoError(t, tx.Subscriptions.Save(ctx, b.env, s))
}

func requireUntouched(t *testing.T, b *bundle) {
	t.Helper()
	s, err := b.store.Subscriptions.Get(t.Context(), b.env, b.subscription.ID)
	require.NoError(t, err)
	require.Equal(t, b.subscription, s)
	require.Zero(t, b.count(t, "select count(*) from events"))
	require.Zero(t, b.store.Stat().AcquiredConns(), "no connection is lost")
	require.Zero(t, b.count(t,
		"select count(*) from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'"))
}

// The methods of a Store besides the reads write nothing: every write is a method of Tx, or of one of its columns.
func TestTx_OwnsEveryWrite(t *testing.T) {
	t.Parallel()
	reads, besides := reflect.TypeFor[db.Reader](), []string{}
	for store, i := reflect.TypeFor[*db.Store](), 0; i < store.NumMethod(); i++ {
		if _, read := reads.MethodByName(store.Method(i).Name); !read {
			besides = append(besides, store.Method(i).Name)
		}
	}
	require.Equal(
		t, []string{
			"Await", "ChargeLimits", "Close", "Export", "InTx", "Lease", "OneMoment", "Ping", "ProbeWrite", "Reset", "Stat",
			"SubscriptionState", "TakeUnsealed", "UsageLog", "With",
		}, besides,
	)
	for i := range reads.NumField() {
		column := reads.Field(i)
		require.True(t, column.Type.Name() == "Reader" && strings.HasPrefix(column.Type.PkgPath(), "perennial/db/"),
			"%s is part of a Store: it may only read", column.Name)
		require.Equal(t, column.Type.NumMethod(), reflect.PointerTo(column.Type).NumMethod(),
			"%s: reads have the value as their receiver, so that the tests of isolation see them all", column.Name)
	}
}

func TestInTx_RollsBackOnError(t *testing.T) {
	t.Parallel()
	b := setup(t)
	reason := errors.New("the caller thought better of it")
	err := b.try(t, func(ctx context.Context, tx *db.Tx) error {
		halfWritten(ctx, t, b, tx)
		_, err := tx.Subscriptions.Get(ctx, b.env, b.subscription.ID) // sends the writes
		require.NoError(t, err)
		return reason
	})
	require.ErrorIs(t, err, reason)
	requireUntouched(t, b)
}

func TestInTx_RollsBackOnPanic(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.PanicsWithValue(t, "boom", func() {
		_ = b.try(t, func(ctx context.Context, tx *db.Tx) error {
			halfWritten(ctx, t, b, tx)
			panic("boom")
		})
	})
	requireUntouched(t, b)
}

func TestInTx_RollsBackWhenCanceled(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx, cancel := context.WithCancel(t.Context())
	err := b.store.InTx(ctx, db.BySystem("test"), now, func(tx *db.Tx) error {
		halfWritten(ctx, t, b, tx)
		cancel()
		return nil // the commit must not go through
	})
	require.ErrorIs(t, err, context.Canceled)
	requireUntouched(t, b)
}

// The last write of a transaction travels together with COMMIT: where it touches no row, the rest must not be kept
// either.
func TestInTx_WriteWithoutRowRollsBack(t *testing.T) {
	t.Parallel()
	for name, last := range map[string]func(context.Context, *bundle, *db.Tx) error{
		"customer": func(ctx context.Context, b *bundle, tx *db.Tx) error {
			stale := b.customer
			stale.Revision--
			return tx.Customers.Save(ctx, b.env, stale)
		},
		"subscription": func(ctx context.Context, b *bundle, tx *db.Tx) error {
			stale := b.subscription
			stale.Revision--
			return tx.Subscriptions.Save(ctx, b.env, stale)
		},
		"invoice": func(ctx context.Context, b *bundle, tx *db.Tx) error {
			absent := b.invoice()
			return tx.Invoices.Save(ctx, b.env, absent)
		},
		"credit": func(ctx context.Context, b *bundle, tx *db.Tx) error {
			return tx.Customers.AddCredit(ctx, b.env, b.customer.ID, "EUR",
				invoice.CreditEntry{Amount: -1, Reason: invoice.CreditApplied},
				"", now)
		},
		"transaction": func(ctx context.Context, b *bundle, tx *db.Tx) error {
			return tx.Payments.SaveTransaction(ctx, b.env, b.charge(""))
		},
		"test clock": func(ctx context.Context, b *bundle, tx *db.Tx) error {
			stale := b.clock
			stale.Revision--
			return tx.Clocks.Save(ctx, b.env, stale)
		},
		"provider call": func(ctx context.Context, b *bundle, tx *db.Tx) error {
			return tx.Payments.FinishProviderCall(ctx, b.env, db.ProviderCall{ID: "pc_absent", TransactionID: "txn_absent"})
		},
		"api key": func(ctx context.Context, b *bundle, tx *db.Tx) error {
			return tx.Tenancy.RevokeAPIKey(ctx, b.env, "key_absent")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			var queued error
			err := b.try(t, func(ctx context.Context, tx *db.Tx) error {
				halfWritten(ctx, t, b, tx)
				queued = last(ctx, b, tx)
				return queued
			})
			require.NoError(t, queued, "it is only queued")
			require.Error(t, err)
			requireUntouched(t, b)
		})
	}
}

func TestInTx_RefusesToCommitFailedTransaction(t *testing.T) {
	t.Parallel()
	b := setup(t)
	inv := b.openInvoice(t)
	txn := b.pendingCharge(t, inv.ID)
	require.Error(t, b.try(t, func(ctx context.Context, tx *db.Tx) error {
		halfWritten(ctx, t, b, tx)
		require.NoError(t, tx.Payments.InsertSettlement(ctx, b.env, inv.ID, txn.ID, -1, now), "only queued")
		_, err := tx.Subscriptions.Get(ctx, b.env, b.subscription.ID)
		require.Error(t, err)
		return nil // swallowed
	}))
	requireUntouched(t, b)
}

func TestInTx_LostConnectionIsUnavailable(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, at := range []string{"read", "commit"} {
		err := b.try(t, func(ctx context.Context, tx *db.Tx) error {
			halfWritten(ctx, t, b, tx)
			if _, err := tx.Subscriptions.Get(ctx, b.env, b.subscription.ID); err != nil {
				return err
			}
			_, err := b.pool.Exec(ctx,
				"select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = current_database() and state "+
					"like 'idle in tr%'")
			require.NoError(t, err)
			if at == "read" {
				_, err = tx.Subscriptions.Get(ctx, b.env, b.subscription.ID)
			} else {
				err = tx.Emit(ctx, b.env, anEvent(b.subscription))
			}
			return err
		})
		requireFault(t, err, fault.Unavailable, "database_unavailable")
	}
	requireUntouched(t, b)
}

func TestTx_UnusableAfterEnd(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var kept *db.Tx
	b.write(t, func(ctx context.Context, tx *db.Tx) { kept = tx })
	require.ErrorContains(t, kept.Emit(t.Context(), b.env, anEvent(b.subscription)), "has ended")
	_, err := kept.Subscriptions.Get(t.Context(), b.env, b.subscription.ID)
	require.ErrorContains(t, err, "has ended")
	require.Zero(t, b.store.Stat().AcquiredConns())
}

func TestTx_QueuedErrorNamesQuery(t *testing.T) {
	t.Parallel()
	b := setup(t)
	stranger := b.subscription
	stranger.ID, stranger.PlanID = "sub_stranger", "plan_absent"
	good := anEvent(b.subscription)

	atRead := b.try(t, func(ctx context.Context, tx *db.Tx) error {
		require.NoError(t, tx.Emit(ctx, b.env, good))
		require.NoError(t, tx.Subscriptions.Insert(ctx, b.env, stranger), "only queued")
		require.NoError(t, tx.Emit(ctx, b.env, good))
		_, err := tx.Customers.Get(ctx, b.env, b.customer.ID) // a good read that meets the bad write
		return err
	})
	atCommit := b.try(t, func(ctx context.Context, tx *db.Tx) error {
		require.NoError(t, tx.Emit(ctx, b.env, good))
		return tx.Subscriptions.Insert(ctx, b.env, stranger)
	})
	atLock := b.try(t, func(ctx context.Context, tx *db.Tx) error {
		require.NoError(t, tx.Subscriptions.Insert(ctx, b.env, stranger))
		_, err := tx.Lifecycle.LockSubscription(ctx, b.env, b.subscription.ID)
		return err
	})
	for _, err := range []error{atRead, atCommit, atLock} {
		requireFault(t, err, fault.NotFound, "plan_not_found")
		require.Equal(t, "planId", fault.From(err).Param)
		require.ErrorContains(t, err, "SubscriptionInsert:")
	}
	require.Zero(t, b.count(t, "select count(*) from events"))
}

func TestTx_DeferredErrorSurfacesAtCommit(t *testing.T) {
	t.Parallel()
	b := setup(t)
	err := b.try(t, func(ctx context.Context, tx *db.Tx) error {
		s := locked(ctx, t, b, tx)
		s.CollectingInvoiceID = "in_absent"
		require.NoError(t, tx.Subscriptions.Save(ctx, b.env, s))
		_, err := tx.Subscriptions.Get(ctx, b.env, s.ID)
		require.NoError(t, err, "the reference may be dangling until the commit")
		return nil
	})
	requireFault(t, err, fault.NotFound, "invoice_not_found")
	require.ErrorContains(t, err, "commit:")
	requireUntouched(t, b)
}

func TestTrigger_RefusalIsConflict(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		s := b.subscription
		s.Status, s.CanceledAt = subscription.Canceled, now
		require.NoError(t, tx.Subscriptions.Save(ctx, b.env, s))
	})
	back := b.subscription
	back.Revision = 2
	err := b.try(t, func(ctx context.Context, tx *db.Tx) error { return tx.Subscriptions.Save(ctx, b.env, back) })
	require.ErrorIs(t, err, subscribing.ErrCanceled)
}

// The round trips are saved for renewals: one to load and lock, one for everything else.
func TestTx_RoundTrips(t *testing.T) {
	t.Parallel()
	b := setup(t)
	counter := newCounter(t, b)
	err := counter.store.InTx(t.Context(), db.BySystem("test"), now, func(tx *db.Tx) error {
		loaded, err := tx.Lifecycle.LockSubscription(t.Context(), b.env, b.subscription.ID)
		if err != nil {
			return err
		}
		return renew(t.Context(), tx, b.environment, loaded)
	})
	require.NoError(t, err)
	require.Equal(t, 2, counter.trips())

	require.NoError(t, counter.store.InTx(t.Context(), db.BySystem("test"), now, func(*db.Tx) error { return nil }))
	require.Zero(t, counter.trips(), "an empty transaction talks to nobody")

	_, _, err = counter.store.Subscriptions.GetWithKey(t.Context(), b.hash, b.subscription.ID)
	require.NoError(t, err)
	_, _, err = counter.store.Catalog.PlanWithKey(t.Context(), b.hash, b.plan.ID)
	require.NoError(t, err)
	require.Equal(t, 2, counter.trips(), "key, resource and its parts are one")

	_, _, err = counter.store.Invoices.GetWithKey(t.Context(), b.hash, "in_absent")
	requireFault(t, err, fault.NotFound, "invoice_not_found")
	require.Equal(t, 2, counter.trips(), "one more tells what is missing")
}

// renew makes the writes of a renewal: the advanced period, an invoice with its lines, an attempt and two events.
func renew(ctx context.Context, tx *db.Tx, e environment, loaded lifecycle.State) error {
	s, inv := loaded.Subscription, e.invoice()
	txn := e.charge(inv.ID)
	s.CurrentPeriod.Start, s.CurrentPeriod.End = s.CurrentPeriod.End, s.CurrentPeriod.End.Add(month)
	s.NextPeriod, s.CollectingInvoiceID, s.NextActionAt = s.NextPeriod+1, inv.ID, s.CurrentPeriod.End
	steps := []func() error{
		func() error { return tx.Invoices.Insert(ctx, e.env, inv) },
		func() error { return tx.Emit(ctx, e.env, anEvent(s)) },
		func() error { return tx.Payments.InsertTransaction(ctx, e.env, txn) },
		func() error { return tx.Emit(ctx, e.env, anEvent(s)) },
		func() error { return tx.Subscriptions.Save(ctx, e.env, s) },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func TestTx_Times(t *testing.T) {
	t.Parallel()
	b := setup(t)
	local := now.In(time.FixedZone("elsewhere", 3600)).Add(999 * time.Nanosecond)
	require.NoError(t, b.store.InTx(t.Context(), db.BySystem("test"), local, func(tx *db.Tx) error {
		require.Equal(t, now, tx.Now, "UTC, to the microsecond that the database keeps")
		require.Equal(t, wall, tx.Real)
		return nil
	}))
}
