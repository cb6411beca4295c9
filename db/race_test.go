package db_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/metadata"
	"perennial/billing/money"
	"perennial/billing/subscription"
	"perennial/db"
	"perennial/internal/id"
)

const sessions = 16

// atOnce runs n sessions that start together and answers their errors.
func atOnce(n int, session func(i int) error) []error {
	start := make(chan struct{})
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			<-start
			errs[i] = session(i)
		})
	}
	close(start)
	wg.Wait()
	return errs
}

func TestRace_OneSettlement(t *testing.T) {
	t.Parallel()
	b := setup(t)
	inv := b.openInvoice(t)
	charges := make([]string, sessions)
	for i := range charges {
		charges[i] = b.pendingCharge(t, "").ID
	}
	errs := atOnce(sessions, func(i int) error {
		return b.try(t, func(ctx context.Context, tx *db.Tx) error {
			return tx.Payments.InsertSettlement(ctx, b.env, inv.ID, charges[i], 1500, now)
		})
	})
	winner := slices.Index(errs, nil)
	require.GreaterOrEqual(t, winner, 0)
	for i, err := range errs {
		if i != winner { // nil here: two sessions settled the invoice
			requireFault(t, err, fault.Conflict, "invoice_settled")
		}
	}
	got, err := b.store.Payments.Settlement(t.Context(), b.env, inv.ID)
	require.NoError(t, err)
	require.Equal(t, db.Settlement{InvoiceID: inv.ID, TransactionID: charges[winner], Amount: 1500, SettledAt: now}, got)
}

func TestRace_OneLiveAttempt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	inv := b.openInvoice(t)
	errs := atOnce(sessions, func(int) error {
		txn := b.charge(inv.ID)
		return b.try(t, func(ctx context.Context, tx *db.Tx) error { return tx.Payments.InsertTransaction(ctx, b.env, txn) })
	})
	var won int
	for _, err := range errs {
		if err == nil {
			won++
			continue
		}
		requireFault(t, err, fault.Conflict, "payment_in_progress")
	}
	require.Equal(t, 1, won)
}

// A subscription and the erasure of its customer, interleaved both ways: the second waits for the first, and then
// either finds the customer gone or erases the rows of the first.
func TestRace_NoSubscriptionOutlivesErasure(t *testing.T) {
	t.Parallel()
	late := func(b *bundle) subscription.Subscription {
		s := b.subscription
		s.ID, s.Metadata = id.New(id.Subscription, wall), metadata.Pairs{"name": "Ada"}
		return s
	}
	// begun runs first up to just before its commit, starts second concurrently, sees it wait and returns its error.
	begun := func(t *testing.T, b *bundle, first, second func(context.Context, *db.Tx) error) error {
		t.Helper()
		done := make(chan error, 1)
		b.write(t, func(ctx context.Context, tx *db.Tx) {
			require.NoError(t, first(ctx, tx))
			_, _, err := tx.IdempotencyKey(ctx, b.env, "POST /", "none") // any read sends what is queued
			require.NoError(t, err)
			go func() { done <- b.try(t, second) }()
			require.Eventually(t, func() bool {
				return b.count(t,
					"select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'") == 1
			}, 10*time.Second, time.Millisecond, "the second must wait for the first")
		})
		return <-done
	}
	t.Run("erased first", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		s := late(b)
		err := begun(t, b,
			func(ctx context.Context, tx *db.Tx) error { return erase(ctx, tx, b.env, b.customer.ID) },
			func(ctx context.Context, tx *db.Tx) error { return tx.Subscriptions.Insert(ctx, b.env, s) })
		requireFault(t, err, fault.NotFound, "customer_not_found")
		require.Equal(t, "customerId", fault.From(err).Param)
		require.Zero(t, b.count(t, "select count(*) from subscriptions where id = $1", s.ID))
	})
	t.Run("subscribed first", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		s := late(b)
		require.NoError(t, begun(t, b,
			func(ctx context.Context, tx *db.Tx) error { return tx.Subscriptions.Insert(ctx, b.env, s) },
			func(ctx context.Context, tx *db.Tx) error { return erase(ctx, tx, b.env, b.customer.ID) }))
		got, err := b.store.Subscriptions.Get(t.Context(), b.env, s.ID)
		require.NoError(t, err)
		require.Empty(t, got.Metadata, "what was written while the erasure waited is erased too")
	})
}

func TestRace_RowsAreLockedInOneOrder(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var subs, txns []db.Ref
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		for range 100 {
			s, c := b.subscription, b.charge("")
			s.ID = id.New(id.Subscription, wall)
			require.NoError(t, tx.Subscriptions.Insert(ctx, b.env, s))
			require.NoError(t, tx.Payments.InsertTransaction(ctx, b.env, c))
			subs, txns = append(subs, db.Ref{EnvironmentID: b.env, ID: s.ID}), append(txns,
				db.Ref{EnvironmentID: b.env, ID: c.ID})
		}
	})
	shuffled := func(refs []db.Ref) []db.Ref {
		refs = slices.Clone(refs)
		rand.Shuffle(len(refs), func(i, j int) { refs[i], refs[j] = refs[j], refs[i] })
		return refs
	}
	var epoch atomic.Int64
	errs := atOnce(sessions, func(i int) error {
		for range 10 {
			var err error
			switch next := epoch.Add(1); i % 3 {
			case 0:
				err = b.try(t, func(ctx context.Context, tx *db.Tx) error {
					return tx.Reconcile.SetStarted(ctx, db.StartedSubscriptions, next, shuffled(subs))
				})
			case 1:
				err = b.try(t, func(ctx context.Context, tx *db.Tx) error {
					return tx.Reconcile.SetStarted(ctx, db.StartedTransactions, next, shuffled(txns))
				})
			default:
				err = b.try(t, func(ctx context.Context, tx *db.Tx) error {
					_, err := tx.Subscriptions.MarkMethodChanged(ctx, b.env, b.customer.ID)
					return err
				})
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	require.NoError(t, errors.Join(errs...), "sessions waited for each other")
}

func TestRace_CreditIsNeverOverdrawn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	inv := b.openInvoice(t)
	add := func(amount money.Minor, reason invoice.CreditReason) error {
		return b.try(t, func(ctx context.Context, tx *db.Tx) error {
			return tx.Customers.AddCredit(ctx, b.env, b.customer.ID, eur, invoice.CreditEntry{Amount: amount, Reason: reason},
				inv.ID, now)
		})
	}
	requireFault(t, add(-1, invoice.CreditApplied), fault.Conflict, "credit_insufficient")
	require.NoError(t, add(1000, invoice.CreditProration))
	errs := atOnce(sessions, func(i int) error {
		if i%4 == 0 {
			return add(50, invoice.CreditReturned)
		}
		return add(-300, invoice.CreditApplied)
	})
	used, given := 0, 0
	for i, err := range errs {
		switch {
		case i%4 == 0:
			require.NoError(t, err)
			given++
		case err == nil:
			used++
		default:
			requireFault(t, err, fault.Conflict, "credit_insufficient")
		}
	}
	require.GreaterOrEqual(t, used, 3)
	balance, err := b.store.Customers.CreditBalance(t.Context(), b.env, b.customer.ID, eur)
	require.NoError(t, err)
	require.Equal(t, money.Minor(1000+50*given-300*used), balance)
	require.GreaterOrEqual(t, balance, money.Minor(0))
	require.Equal(t, int(balance), b.count(t, "select sum(amount) from credit_entries"))
	require.Zero(t, b.count(t, "select count(*) from credit_entries where balance_after < 0"))

	other, err := b.store.Customers.CreditBalance(t.Context(), b.env, b.customer.ID, "USD")
	require.NoError(t, err)
	require.Zero(t, other)
}

// The bundle's lock makes "read the balance, use at most that" safe for two subscriptions of one customer.
func TestRace_LoadLocksBalance(t *testing.T) {
	t.Parallel()
	b := setup(t)
	inv := b.openInvoice(t)
	second := b.subscription
	second.ID = id.New(id.Subscription, wall)
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Subscriptions.Insert(ctx, b.env, second))
		require.NoError(t, tx.Customers.AddCredit(ctx, b.env, b.customer.ID, eur,
			invoice.CreditEntry{Amount: 1000, Reason: invoice.CreditProration}, inv.ID, now))
	})
	errs := atOnce(sessions, func(i int) error {
		return b.try(t, func(ctx context.Context, tx *db.Tx) error {
			loaded, err := tx.Lifecycle.LockSubscription(ctx, b.env, []string{b.subscription.ID, second.ID}[i%2])
			if err != nil {
				return err
			}
			if use := min(loaded.Balance, 300); use > 0 {
				return tx.Customers.AddCredit(ctx, b.env, b.customer.ID, eur,
					invoice.CreditEntry{Amount: -use, Reason: invoice.CreditApplied}, inv.ID, now)
			}
			return nil
		})
	})
	require.NoError(t, errors.Join(errs...))
	balance, err := b.store.Customers.CreditBalance(t.Context(), b.env, b.customer.ID, eur)
	require.NoError(t, err)
	require.Zero(t, balance)
	require.Equal(t, 4, b.count(t, "select count(*) from credit_entries where amount < 0"), "300 + 300 + 300 + 100")
}

func TestRace_InvoiceNumbersHaveNoGaps(t *testing.T) {
	t.Parallel()
	b := setup(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	thoughtBetter := errors.New("rolled back")
	const each = 8
	want := 0
	plan := make([][each]int, sessions) // how many invoices each transaction issues; negative: then rolls back
	random := rand.New(rand.NewPCG(seed, 1))
	for i := range plan {
		for j := range plan[i] {
			plan[i][j] = 1 + random.IntN(2)
			if random.IntN(3) == 0 {
				plan[i][j] = -plan[i][j]
			} else {
				want += plan[i][j]
			}
		}
	}
	errs := atOnce(sessions, func(i int) error {
		for _, n := range plan[i] {
			err := b.try(t, func(ctx context.Context, tx *db.Tx) error {
				for range max(n, -n) {
					if err := tx.Invoices.Insert(ctx, b.env, b.invoice()); err != nil {
						return err
					}
				}
				if n < 0 {
					// fails at the commit, after the numbers were taken
					return tx.Payments.InsertSettlement(ctx, b.env, "in_absent", "", 0, now)
				}
				return nil
			})
			if n < 0 && err == nil {
				return errors.New("a transaction that cannot commit did")
			}
			if n > 0 && err != nil {
				return err
			}
		}
		return b.try(t, func(ctx context.Context, tx *db.Tx) error {
			if err := tx.Invoices.Insert(ctx, b.env, b.invoice()); err != nil {
				return err
			}
			return thoughtBetter
		})
	})
	for _, err := range errs {
		require.ErrorIs(t, err, thoughtBetter)
	}
	require.Equal(t, want, b.count(t, "select count(*) from invoices"))
	require.Equal(t, want, b.count(t, "select max(number) from invoices"))
	require.Equal(t, want, b.count(t, "select count(distinct number) from invoices"))
	require.Equal(t, want, b.count(t, "select last_number from invoice_counters where environment_id = $1", b.env))
}

func TestRace_EventSequences(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const each = 4
	errs := atOnce(sessions, func(int) error {
		return b.try(t, func(ctx context.Context, tx *db.Tx) error {
			if _, err := tx.Lifecycle.LockSubscription(ctx, b.env, b.subscription.ID); err != nil {
				return err
			}
			for range each {
				if err := tx.Emit(ctx, b.env, anEvent(b.subscription)); err != nil {
					return err
				}
			}
			return nil
		})
	})
	require.NoError(t, errors.Join(errs...))
	rows, err := b.pool.Query(t.Context(), "select sequence, occurred_at from events order by sequence")
	require.NoError(t, err)
	type numbered struct{ Sequence, OccurredAt int64 }
	events, err := pgx.CollectRows(rows, pgx.RowToStructByPos[numbered])
	require.NoError(t, err)
	require.Len(t, events, sessions*each)
	first := now.Unix()
	for i, e := range events {
		require.Equal(t, numbered{int64(i + 1), first + int64(i)}, e,
			"no gap, and a second for each, since receivers dedupe on it")
	}
}

func TestEvents_ListedAsEmitted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		for range 20 {
			require.NoError(t, tx.Emit(ctx, b.env, anEvent(b.subscription)))
		}
	})
	events, _, err := b.store.Webhooks.Events(t.Context(), b.env, db.EventFilter{}, db.Page{})
	require.NoError(t, err)
	for i, e := range events {
		require.EqualValues(t, 20-i, e.Sequence, "newest first")
	}
}

func TestEvents_OtherObjectOrLaterKeepsTime(t *testing.T) {
	t.Parallel()
	b := setup(t)
	later := anEvent(b.subscription)
	later.OccurredAt = later.OccurredAt.Add(10 * time.Second)
	other := event.New(event.SubscriptionUpdated{
		Subscription: event.Subscription{ID: "another", SubscriptionID: b.subscription.ID},
	}, anEvent(b.subscription).OccurredAt)
	alone := event.New(event.CustomerUpdated{ID: b.customer.ID}, other.OccurredAt)
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Emit(ctx, b.env, anEvent(b.subscription)))
		require.NoError(t, tx.Emit(ctx, b.env, later))
		require.NoError(t, tx.Emit(ctx, b.env, other))
		require.NoError(t, tx.Emit(ctx, b.env, alone))
		require.NoError(t, tx.Emit(ctx, b.env, anEvent(b.subscription)), "after the later one, never between")
	})
	rows, err := b.pool.Query(t.Context(), "select occurred_at - $1 from events order by id", now.Unix())
	require.NoError(t, err)
	offsets, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	require.NoError(t, err)
	require.ElementsMatch(t, []int64{0, 10, 0, 0, 11}, offsets)
	require.Equal(t, 4, b.count(t, "select event_sequence from subscriptions"))
	require.Equal(t, 1, b.count(t, "select count(*) from events where sequence is null"))
}
