package reconcile_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/activities/reconcile"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/id"
	"perennial/providers"
	"perennial/test/life"
	"perennial/test/scene"
)

func TestReconcile_StartsUnstarted(t *testing.T) {
	t.Parallel()
	s, w := scene.New(t), &life.Waker{}
	l := life.Begin(t, s, scene.Monthly(1000))
	s.Clock.Add(time.Minute)

	w.Err = errors.New("Temporal is away")
	require.Contains(t, w.Pass(t, s), "start "+l.Ref.ID)
	w.Err = nil
	require.Contains(t, w.Pass(t, s), "start "+l.Ref.ID, "what failed is tried again")
	require.NotContains(t, w.Pass(t, s), "start "+l.Ref.ID, "what was started is not")
	s.InTx(t, func(tx *db.Tx) error { _, err := tx.Reconcile.IncrementEpoch(t.Context()); return err })
	require.Contains(t, w.Pass(t, s), "start "+l.Ref.ID, "after Temporal was lost everything is started again")

	l.Command(life.CancelNow("prorated"))
	refund := l.Started.Take()
	s.InTx(t, func(tx *db.Tx) error { _, err := tx.Reconcile.IncrementEpoch(t.Context()); return err })
	s.Clock.Add(time.Minute)
	did := w.Pass(t, s)
	require.NotContains(t, did, "start "+l.Ref.ID, "a finished subscription needs no workflow")
	require.Len(t, refund, 1)
	require.Contains(t, did, "start "+refund[0].ID, "its refund does")
}

func TestReconcile_WakesOverdue(t *testing.T) {
	t.Parallel()
	s, w := scene.New(t), &life.Waker{}
	l := life.Begin(t, s, scene.Monthly(1000))
	_ = w.Pass(t, s)
	s.Clock.Set(scene.Start.AddDate(0, 1, 0).Add(30 * time.Second))
	require.Empty(t, w.Pass(t, s))
	s.Clock.Add(time.Minute)
	require.Equal(t, []string{"wake " + l.Ref.ID}, w.Pass(t, s))
	l.Wake() // which performs due work
	l.Until(s.Clock.Now())
	require.Empty(t, w.Pass(t, s))

	l.SetMethod(t, l.Payer.ID, &scene.Card)
	require.Empty(t, w.Pass(t, s), "the API's own signal has a while to arrive")
	s.Clock.Add(time.Minute)
	require.Equal(t, []string{"wake " + l.Ref.ID}, w.Pass(t, s))
	l.Wake()
	require.Empty(t, w.Pass(t, s))
	l.Sound()
}

func TestReconcile_ChecksPendingPayments(t *testing.T) {
	t.Parallel()
	l, w := life.Answering(t, scene.Pend), &life.Waker{}
	_ = w.Pass(t, l.Scene)
	txn := l.Last()
	l.Clock.Add(2 * time.Minute)
	require.Equal(t, []string{"check " + l.Ref.ID + " " + txn.ID}, w.Pass(t, l.Scene), "its timer is overdue")
	l.Check(txn.ID)

	l.InTx(t, func(tx *db.Tx) error {
		_, err := tx.Payments.InsertCallback(t.Context(), l.Env, db.Callback{
			ID: id.New(id.Callback, l.Clock.Now()), ProviderConfigID: l.Config.ID, ProviderEventID: "evt_1",
			Type: "payment_intent.succeeded", TransactionID: txn.ID, ReceivedAt: l.Clock.Now(),
		})
		return err
	})
	require.Empty(t, w.Pass(t, l.Scene))
	l.Provider.Settle(txn.ID, providers.Succeeded)
	l.Clock.Add(45 * time.Second)
	require.Contains(t, w.Pass(t, l.Scene), "check "+l.Ref.ID+" "+txn.ID, "word was stored, but nobody has looked")
	l.CheckAsked(txn.ID)
	require.Empty(t, w.Pass(t, l.Scene))
	l.Sound()
}

// A restored database has lost the transaction: this is reported until the transaction is known again, however long
// that takes.
func TestReconcile_NamesCallbacksAboutLostTransactions(t *testing.T) {
	t.Parallel()
	l, w := life.Answering(t, scene.Pend), &life.Waker{}
	_ = w.Pass(t, l.Scene)
	txn := l.Last()
	missing := id.New(id.Transaction, l.Clock.Now())
	for event, lost := range map[string]string{"evt_1": txn.ID, "evt_2": missing} { // the first was made again since
		l.InTx(t, func(tx *db.Tx) error {
			_, err := tx.Payments.InsertCallback(t.Context(), l.Env, db.Callback{
				ID: id.New(id.Callback, l.Clock.Now()), ProviderConfigID: l.Config.ID, ProviderEventID: event,
				Type: "payment_intent.succeeded", LostTransactionID: lost, ProviderRef: "pi_" + event, ReceivedAt: l.Clock.Now(),
			})
			return err
		})
	}
	for range 2 {
		l.Clock.Add(48 * time.Hour)
		net := reconcile.Reconciler{Store: l.Worker, Clock: l.Clock.Now, Waker: w}
		found, err := net.Reconcile(t.Context())
		require.NoError(t, err)
		require.Len(t, found.Lost, 1)
		require.Equal(t, [3]string{missing, l.Env, "pi_evt_2"},
			[3]string{found.Lost[0].TransactionID, found.Lost[0].EnvironmentID, found.Lost[0].ProviderRef})
		require.Zero(t, found.Unclaimed, "it is not given up")
	}
	require.Contains(t, w.Did, "check "+l.Ref.ID+" "+txn.ID, "what is known again is polled")
}

func TestReconcile_ResumesAdvancingClock(t *testing.T) {
	t.Parallel()
	w := life.NewClockwork(t)
	net := &life.Waker{}
	require.Empty(t, net.Pass(t, w.Scene))
	require.NoError(t, w.Begin(scene.Start.AddDate(0, 1, 0)))
	require.Equal(t, []string{"resume " + w.Ref.ID}, net.Pass(t, w.Scene))
}

// A command whose signal was lost: Temporal was away, or the process died between commit and signal.
func TestReconcile_WakePending(t *testing.T) {
	t.Parallel()
	l, w := life.Begin(t, scene.New(t), scene.Monthly(1000)), &life.Waker{}
	_ = w.Pass(t, l.Scene)
	l.Collecting()
	require.Nil(t, l.Command(life.Command{Name: contract.CommandCancel}).Refusal)
	l.Clock.Add(30 * time.Second)
	require.Empty(t, w.Pass(t, l.Scene), "the signal of the command has a while to arrive")
	l.Clock.Add(time.Millisecond)
	wake := "wake " + l.Ref.ID
	require.Equal(t, []string{wake}, w.Pass(t, l.Scene))
	require.Equal(t, []string{wake}, w.Pass(t, l.Scene), "until the workflow acts")

	l.Clock.Add(time.Hour)
	require.Nil(t, l.Command(life.Command{Name: contract.CommandReactivate}).Refusal)
	require.Contains(t, w.Pass(t, l.Scene), wake, "a later command does not set the mark back")
	l.Wake()
	require.NotContains(t, w.Pass(t, l.Scene), wake)
	l.Sound()
}

// The transaction in which the workflow acts clears the mark: while that fails, the reconciler keeps signaling.
func TestReconcile_WakePendingStaysWhereAdvanceFails(t *testing.T) {
	t.Parallel()
	l, w := life.Begin(t, scene.New(t), scene.Monthly(1000)), &life.Waker{}
	_ = w.Pass(t, l.Scene)
	l.Collecting()
	require.Nil(t, l.Command(life.Command{Name: contract.CommandCancel}).Refusal)
	l.Clock.Add(time.Minute)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := l.Subscriptions.Advance(ctx, contract.AdvanceInput{Ref: l.Ref, Now: l.Clock.Now()})
	require.Error(t, err)
	require.Equal(t, []string{"wake " + l.Ref.ID}, w.Pass(t, l.Scene))
}

// The writer of the attempt may have died before the workflow knew of it, whether a command or a date led to it.
func TestReconcile_FindsUnsentAttemptWithinAMinute(t *testing.T) {
	t.Parallel()
	l, w := life.Begin(t, scene.New(t), scene.Monthly(1000)), &life.Waker{}
	_ = w.Pass(t, l.Scene)
	l.Clock.Set(scene.Start.AddDate(0, 1, 0))
	l.Due()
	check := []string{"check " + l.Ref.ID + " " + l.Last().ID}
	require.Empty(t, w.Pass(t, l.Scene))
	l.Clock.Add(61 * time.Second)
	require.Equal(t, check, w.Pass(t, l.Scene))
}

// TestReconcile_BrokenEnvironmentDelaysNoOther has 600 stuck payments of one environment, more than a pass looks at,
// all older than the one of another environment.
func TestReconcile_BrokenEnvironmentDelaysNoOther(t *testing.T) {
	t.Parallel()
	l, w := life.Answering(t, scene.Pend), &life.Waker{}
	_ = w.Pass(t, l.Scene)
	clone := func(table, change, from string, n int) {
		_, err := l.Pool.Exec(t.Context(),
			"insert into "+table+" select (jsonb_populate_record(null::"+table+", to_jsonb(r) || "+change+")).* "+
				"from "+table+" r, generate_series(1, $1) n where "+from, n)
		require.NoError(t, err)
	}
	mine := "r.id = '" + l.Last().ID + "'"
	hung := `jsonb_build_object('subscription_id', null, 'invoice_id', null, 'provider_ref', null, 'started_epoch', 9`
	clone("transactions", hung+`, 'id', 'txn_' || n, 'next_check_at', r.next_check_at - interval '1 hour')`, mine, 600)
	clone("environments", `'{"id": "env_good", "mode": "live"}'`, "r.id = '"+l.Env+"'", 1)
	clone("provider_configs", `'{"id": "pp_good", "environment_id": "env_good"}'`, "r.id = '"+l.Config.ID+"'", 1)
	clone("customers", `'{"environment_id": "env_good"}'`, "r.id = '"+l.Payer.ID+"'", 1)
	clone("transactions", hung+`, 'id', 'txn_good', 'environment_id', 'env_good', 'provider_config_id', 'pp_good')`, mine,
		1)
	l.Clock.Add(2 * time.Minute)

	did := w.Pass(t, l.Scene)
	require.Len(t, did, 500)
	require.True(t, slices.Contains(did, "check  txn_good"))
}

// After a loss of Temporal's database every workflow is started again, while commands and renewals want the same
// workers.
func TestReconcile_KeepsItsPace(t *testing.T) {
	t.Parallel()
	s, w := scene.New(t), &life.Waker{}
	const many, perSecond = 30, 20
	for range many {
		life.Begin(t, s, scene.Monthly(1000))
	}
	s.Clock.Add(time.Minute)
	r := &reconcile.Reconciler{Store: s.Worker, Clock: s.Clock.Now, Waker: w, Rate: perSecond}
	began := time.Now()
	found, err := r.Reconcile(t.Context())
	require.NoError(t, err)
	require.Equal(t, many, found.Started)
	require.GreaterOrEqual(t, time.Since(began), (many-perSecond/10)*time.Second/perSecond-100*time.Millisecond)
	found, err = (&reconcile.Reconciler{Store: s.Worker, Clock: s.Clock.Now, Waker: w}).Reconcile(t.Context())
	require.NoError(t, err)
	require.Zero(t, found.Started)
}

// A worker that dies in the middle of a pass has started workflows, and the next pass should not start them again.
func TestReconcile_NotesWhatItStartedAsItGoes(t *testing.T) {
	t.Parallel()
	s, w := scene.New(t), &life.Waker{}
	const many, noteEvery = 40, 25
	for range many {
		life.Begin(t, s, scene.Monthly(1000))
	}
	s.Clock.Add(time.Minute)
	ctx, die := context.WithCancel(t.Context())
	var calls atomic.Int32
	w.On = func() {
		if calls.Add(1) == noteEvery+5 {
			die()
		}
	}
	_, err := (&reconcile.Reconciler{Store: s.Worker, Clock: s.Clock.Now, Waker: w, Rate: 1000}).Reconcile(ctx)
	require.Error(t, err)
	w.On = nil
	require.Len(t, w.Pass(t, s), many-noteEvery)
}

func TestReconcile_StartsWhatIsOverdueFirst(t *testing.T) {
	t.Parallel()
	s, w := scene.New(t), &life.Waker{}
	l := life.Begin(t, s, scene.Monthly(1000))
	s.Clock.Set(scene.Start.AddDate(0, 1, 0).Add(-time.Minute))
	life.Begin(t, s, scene.Monthly(1000)) // not due for a month
	s.Clock.Add(3 * time.Minute)
	_, err := (&reconcile.Reconciler{Store: s.Worker, Clock: s.Clock.Now, Waker: w}).Reconcile(t.Context())
	require.NoError(t, err)
	require.Equal(t, "wake "+l.Ref.ID, w.Did[0], "it is started by its signal, before everything that can wait")
	require.Len(t, w.Did, 3)
}

// A run that refuses its messages, or waits for what never comes, is overdue however often it is woken.
func TestReconcile_NamesWhatIsStuck(t *testing.T) {
	t.Parallel()
	s, w := scene.New(t), &life.Waker{}
	l := life.Begin(t, s, scene.Monthly(1000))
	r := &reconcile.Reconciler{Store: s.Worker, Clock: s.Clock.Now, Waker: w}
	pass := func(after time.Duration) contract.ReconcileResult {
		s.Clock.Add(after)
		found, err := r.Reconcile(t.Context())
		require.NoError(t, err)
		return found
	}
	s.Clock.Set(scene.Start.AddDate(0, 1, 0))
	require.Zero(t, pass(2*time.Minute).Stuck, "it has just been woken")
	require.Zero(t, pass(4*time.Minute).Stuck)
	found := pass(2 * time.Minute)
	require.Equal(t, 1, found.Stuck)
	require.Equal(t, []string{l.Ref.ID}, found.StuckIDs)
	require.Equal(t, []string{l.Ref.EnvironmentID}, found.StuckIn)
	l.Wake()
	l.Until(s.Clock.Now())
	require.Zero(t, pass(time.Minute).Stuck)

	backlog, err := s.Store.Reconcile.Backlog(t.Context(), s.Clock.Now(), time.Minute)
	require.NoError(t, err)
	require.GreaterOrEqual(t, backlog.ReconciledAge, time.Duration(0), "each pass leaves its time")
}

// Whatever a queue holds, a command waits behind.
func TestReconcile_WaitsForSlowWorkers(t *testing.T) {
	t.Parallel()
	s, w := scene.New(t), &life.Waker{}
	const many, atOnce = 60, 25
	for range many {
		life.Begin(t, s, scene.Monthly(1000))
	}
	s.Clock.Add(time.Minute)
	var started, attended atomic.Int32
	w.On = func() {
		require.LessOrEqual(t, started.Add(1)-attended.Load(), int32(atOnce), "more wait for workers than may")
	}
	asked := 0
	w.KeepsUp = func() bool {
		if asked++; asked%3 != 0 {
			return false
		}
		attended.Store(started.Load())
		return true
	}
	_ = w.Pass(t, s)
	require.EqualValues(t, many, started.Load())
	require.GreaterOrEqual(t, asked, 9)
}
