package db_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/erasure"
	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/billing/subscription"
	"perennial/db"
	"perennial/internal/id"
)

func (b *bundle) backlog(t *testing.T, at time.Time) db.Backlog {
	t.Helper()
	got, err := b.store.Reconcile.Backlog(t.Context(), at, time.Minute)
	require.NoError(t, err)
	return got
}

func TestBacklog_CountsWhatWaits(t *testing.T) {
	t.Parallel()
	b := setup(t)
	quiet := b.backlog(t, now)
	require.Equal(t, db.Backlog{ReconciledAge: -time.Second, Writable: true}, quiet,
		"nothing waits, no pass has ever ended")

	sub := b.subscription
	sub.ID, sub.TestClockID, sub.NextActionAt = id.New(id.Subscription, wall), "", now.Add(-10*time.Minute)
	require.NotEqual(t, "none", string(sub.NextAction))
	b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Subscriptions.Insert(ctx, b.env, sub)) })
	got := b.backlog(t, now)
	require.Equal(t, 1, got.Actions)
	require.Equal(t, 10*time.Minute, got.ActionAge.Round(time.Millisecond))
	require.Zero(t, b.backlog(t, now.Add(-10*time.Minute)).Actions, "due is not overdue")
	overdue, err := b.store.Reconcile.OverdueSubscriptions(t.Context(), now.Add(-time.Minute), 5)
	require.NoError(t, err)
	require.Len(t, overdue, 1)
	require.Equal(t, db.Ref{EnvironmentID: b.env, ID: sub.ID}, overdue[0].Ref)
	b.actionsWait(t, sub)

	open, parked := b.charge(""), b.charge("")
	open.NextCheckAt, parked.ParkedAt = now.Add(-2*time.Minute), now.Add(-time.Hour)
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Payments.InsertTransaction(ctx, b.env, open))
		require.NoError(t, tx.Payments.InsertTransaction(ctx, b.env, parked))
	})
	got = b.backlog(t, now)
	require.Equal(t, 1, got.Payments)
	require.Equal(t, 2*time.Minute, got.PaymentAge.Round(time.Millisecond))
	require.Equal(t, 1, got.Reviews)
	require.Equal(t, time.Hour, got.ReviewAge.Round(time.Millisecond))
	reviews, err := b.store.Reconcile.Reviews(t.Context(), 5)
	require.NoError(t, err)
	require.Len(t, reviews, 1)
	require.Equal(t, parked.ID, reviews[0].ID)
	b.paymentsWait(t, open, parked)

	b.write(t, func(ctx context.Context, tx *db.Tx) {
		e := erasure.OfCustomer(id.New(id.Erasure, wall), b.customer.ID, now.Add(-time.Hour))
		require.NoError(t, tx.Customers.BeginErasure(ctx, b.env, e))
		e = erasure.OfTestClock(id.New(id.Erasure, wall), b.clock.ID, now.Add(-3*time.Hour))
		e.ProgressAt = now
		require.NoError(t, tx.Customers.BeginErasure(ctx, b.env, e))
	})
	got = b.backlog(t, now)
	require.Equal(t, 1, got.Erasures, "the other one makes progress")
	require.Equal(t, 3*time.Hour, got.ErasureAge.Round(time.Millisecond))
	stuck, err := b.store.Customers.StuckErasures(t.Context(), now.Add(-time.Minute), 5)
	require.NoError(t, err)
	require.Len(t, stuck, 1)
	require.Equal(t, erasure.Subscriptions, stuck[0].Stage)

	b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Reconcile.SetReconciled(ctx)) })
	age := b.backlog(t, now).ReconciledAge
	require.GreaterOrEqual(t, age, time.Duration(0))
	require.Less(t, age, time.Minute)
}

// actionsWait: the sum says whose subscription is overdue, since when, and what waits for it.
func (b *bundle) actionsWait(t *testing.T, sub subscription.Subscription) {
	t.Helper()
	read := func() db.WaitingMoney {
		sums, err := b.store.Payments.OverdueActions(t.Context(), now.Add(-time.Minute))
		require.NoError(t, err)
		require.Len(t, sums, 1)
		return sums[0]
	}
	var price money.Minor
	for _, p := range b.plan.Prices {
		price += p.Amount
	}
	got := read()
	require.Equal(t, db.WaitingMoney{
		EnvironmentID: b.env, Tenant: got.Tenant, App: got.App, Mode: got.Mode, Currency: sub.Currency, Count: 1,
		Amount: price, Oldest: got.Oldest, FirstID: sub.ID,
	}, got)
	require.NotEmpty(t, got.Tenant)
	require.NotEmpty(t, got.App)
	require.NotEmpty(t, got.Mode)
	require.Equal(t, 10*time.Minute, now.Sub(got.Oldest).Round(time.Millisecond))

	at := func(action subscription.Action) {
		_, err := b.pool.Exec(t.Context(), "update subscriptions set next_action = $1 where id = $2", action, sub.ID)
		require.NoError(t, err)
	}
	at(subscription.ActionCancel)
	require.Zero(t, read().Amount, "no period is to begin, and nothing is open")
	at(sub.NextAction)
}

// paymentsWait: the sums say whose payments are overdue, or need review, since when, and how much they are.
func (b *bundle) paymentsWait(t *testing.T, open, parked payment.Transaction) {
	t.Helper()
	sums, err := b.store.Payments.OverduePayments(t.Context(), now.Add(-time.Minute))
	require.NoError(t, err)
	require.Len(t, sums, 1)
	require.Equal(t, []any{b.env, 1, open.Amount, open.Currency, open.ID},
		[]any{sums[0].EnvironmentID, sums[0].Count, sums[0].Amount, sums[0].Currency, sums[0].FirstID})
	require.Equal(t, 2*time.Minute, now.Sub(sums[0].Oldest).Round(time.Millisecond))
	sums, err = b.store.Payments.PaymentsInReview(t.Context())
	require.NoError(t, err)
	require.Len(t, sums, 1)
	require.Equal(t, []any{b.env, 1, parked.Amount, parked.Currency, parked.ID},
		[]any{sums[0].EnvironmentID, sums[0].Count, sums[0].Amount, sums[0].Currency, sums[0].FirstID})
	require.NotEmpty(t, sums[0].Tenant)
	require.Equal(t, time.Hour, now.Sub(sums[0].Oldest).Round(time.Millisecond))
}

// A refused or silent exchange moves the next check: the sums count from the time when the charge was due.
func TestUntakenCharges_AreSummedByWhenTheyWereDue(t *testing.T) {
	t.Parallel()
	b := setup(t)
	untaken := func() []db.WaitingMoney {
		sums, err := b.store.Payments.UntakenCharges(t.Context(), now.Add(-time.Minute))
		require.NoError(t, err)
		return sums
	}
	for _, late := range []time.Duration{70 * time.Second, 10 * time.Minute, 30 * time.Second} {
		c := b.charge("")
		c.SendDueAt, c.NextCheckAt = now.Add(-late), now.Add(time.Hour)
		b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Payments.InsertTransaction(ctx, b.env, c)) })
	}
	require.Zero(t, b.backlog(t, now).Payments)
	sums := untaken()
	require.Len(t, sums, 1)
	require.Equal(t, 2, sums[0].Count)
	require.Equal(t, 2*b.charge("").Amount, sums[0].Amount)
	require.Equal(t, b.env, sums[0].EnvironmentID)
	require.Equal(t, 10*time.Minute, now.Sub(sums[0].Oldest).Round(time.Millisecond))
	_, err := b.pool.Exec(t.Context(), "update transactions set provider_ref = 'pi_' || id")
	require.NoError(t, err)
	require.Empty(t, untaken(), "the provider has them")
}

// A payment that a provider has and does not decide is reported after a day, and so is a refund; a payer's time does
// not count.
func TestUndecidedPayments_AreSummedByWhenTheyWereSent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	day := 24 * time.Hour
	send := func(late time.Duration, change func(*payment.Transaction)) payment.Transaction {
		t.Helper()
		c := b.charge("")
		b.write(t, func(ctx context.Context, tx *db.Tx) {
			require.NoError(t, tx.Payments.InsertTransaction(ctx, b.env, c))
			c.FirstSentAt, c.ProviderRef = now.Add(-late), "pi_"+c.ID
			if change != nil {
				change(&c)
			}
			require.NoError(t, tx.Payments.SaveTransaction(ctx, b.env, c))
		})
		return c
	}
	undecided := send(25*time.Hour, nil)
	send(23*time.Hour, nil)
	send(25*time.Hour, func(c *payment.Transaction) { *c = c.Park(now) })
	send(25*time.Hour, func(c *payment.Transaction) {
		c.Action = payment.Action{Token: strings.Repeat("A", 26), URL: "https://bank.example", ExpiresAt: now.Add(-time.Hour)}
	})
	sums, err := b.store.Payments.UndecidedPayments(t.Context(), now.Add(-day))
	require.NoError(t, err)
	require.Len(t, sums, 1)
	require.Equal(t, [2]any{1, undecided.ID}, [2]any{sums[0].Count, sums[0].FirstID})
	require.Equal(t, 25*time.Hour, now.Sub(sums[0].Oldest).Round(time.Millisecond))
	sums, err = b.store.Payments.UndecidedPayments(t.Context(), now)
	require.NoError(t, err)
	require.Equal(t, 3, sums[0].Count)
}

func TestRefundsOwed_AreSummedSinceTheyAreOwed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	owed := func() []db.WaitingMoney {
		sums, err := b.store.Payments.RefundsOwed(t.Context())
		require.NoError(t, err)
		return sums
	}
	c := b.pendingCharge(t, b.openInvoice(t).ID)
	require.Empty(t, owed())
	save := func(amount money.Minor) {
		c.RefundOwed = amount
		b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Payments.SaveTransaction(ctx, b.env, c)) })
		c.Revision++
	}
	save(700)
	first := owed()
	require.Len(t, first, 1)
	require.Equal(t, money.Minor(700), first[0].Amount)
	require.Equal(t, c.ID, first[0].FirstID)
	require.WithinDuration(t, time.Now(), first[0].Oldest, time.Minute)
	save(500)
	require.Equal(t, first[0].Oldest, owed()[0].Oldest, "it is owed since the first of them failed")
	save(0)
	require.Empty(t, owed())
}

func TestBehindClock_ListsWhatItsClockHasPassed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	move := func(sql string, args ...any) {
		_, err := b.pool.Exec(t.Context(), sql, args...)
		require.NoError(t, err)
	}
	created, since := wall, wall.Add(time.Minute) // setup makes ids at wall
	behind := func() []db.Overdue {
		found, err := b.store.Reconcile.BehindClock(t.Context(), since, 5)
		require.NoError(t, err)
		return found
	}
	move("update subscriptions set next_action_at = $1", now.Add(time.Hour))
	require.Empty(t, behind())
	move("update test_clocks set now_at = $1", now.Add(time.Hour))
	require.Len(t, behind(), 1)

	since = created.Add(-time.Second)
	require.Empty(t, behind(), "it was created since then, and is about to begin")
	since = created.Add(time.Minute)
	move("update subscriptions set wake_pending_since = $1", since.Add(time.Second))
	require.Empty(t, behind(), "a command has changed it since then")
	move("update subscriptions set wake_pending_since = $1", since.Add(-time.Second))
	require.Len(t, behind(), 1)

	blocker := b.charge("")
	blocker.NextCheckAt = now
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Payments.InsertTransaction(ctx, b.env, blocker))
		require.NoError(t, tx.Payments.InsertProviderCall(ctx, b.env, db.ProviderCall{
			ID: id.New(id.ProviderCall, wall), TransactionID: blocker.ID, Operation: "charge", StartedAt: created,
		}))
	})
	move("update test_clocks set blocked_by = $1", []string{blocker.ID})
	require.Empty(t, behind(), "the clock is held up by a payment")
	move("update transactions set status = 'success', completed_at = now(), next_check_at = null")
	move("update provider_calls set ended_at = $1, outcome = 'succeeded'", since.Add(time.Second))
	require.Empty(t, behind(), "it was held up until a moment ago")
	move("update provider_calls set ended_at = $1", since.Add(-time.Second))
	require.Len(t, behind(), 1, "the clock keeps the id of the payment that held it up, until it is advanced again")

	move("update test_clocks set status = 'advancing', target_at = now_at")
	require.Empty(t, behind(), "a clock that moves brings its subscriptions along")
}

func TestWorkers_AreKnownByTheirBeats(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.Positive(t, db.BeatLife-2*db.BeatEvery, "one beat may be lost")
	of := func(build string) (int, bool) {
		working, known, err := b.store.Reconcile.WorkersOf(t.Context(), "perennial", build)
		require.NoError(t, err)
		return working, known
	}
	is := func(build string, working int, known bool) {
		t.Helper()
		w, k := of(build)
		require.Equal(t, fmt.Sprint(working, known), fmt.Sprint(w, k))
	}
	is("one", 0, false)
	w := db.WorkerProcess{ID: "w1", Deployment: "perennial", BuildID: "one"}
	beat := func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Reconcile.BeatWorker(ctx, w)) }
	b.write(t, beat)
	is("one", 1, true)
	is("two", 0, false)
	require.Equal(t, 1, b.backlog(t, now).Workers)

	b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Reconcile.StopWorker(ctx, w.ID)) })
	is("one", 0, true)
	b.write(t, beat)
	is("one", 1, true)
	_, err := b.pool.Exec(t.Context(), "update workers set seen_at = clock_timestamp() - $1::interval", db.BeatLife)
	require.NoError(t, err)
	is("one", 0, true)
	b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Reconcile.PurgeWorkers(ctx, time.Now())) })
	is("one", 0, false)
}

// A pool that kept its connections to a demoted primary would refuse writes for ever after a failover.
func TestReadOnlyServer_IsUnavailableAndLeft(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var name string
	require.NoError(t, b.pool.QueryRow(t.Context(), "select current_database()").Scan(&name))
	turn := func(to string) {
		_, err := b.pool.Exec(t.Context(), fmt.Sprintf("alter database %q %s", name, to))
		require.NoError(t, err)
	}
	turn("set default_transaction_read_only = on")
	store, err := db.Open(t.Context(), db.Config{URL: b.pool.Config().ConnString(), MaxConns: 1, Clock: func() time.Time {
		return wall
	}})
	require.NoError(t, err)
	t.Cleanup(store.Close)
	write := func() error {
		return store.InTx(t.Context(), db.BySystem("test"), now, func(tx *db.Tx) error {
			return tx.Reconcile.SetReconciled(t.Context())
		})
	}
	refused := fault.From(write())
	require.Equal(t, fault.Unavailable, refused.Kind)
	require.Positive(t, refused.RetryAfter)
	backlog, err := store.Reconcile.Backlog(t.Context(), now, time.Minute)
	require.NoError(t, err, "reads go on")
	require.False(t, backlog.Writable)

	turn("reset default_transaction_read_only")
	require.Error(t, write(), "this session began read-only")
	require.NoError(t, write(), "its connection was closed, so that the next one sees the server as it is")
}
