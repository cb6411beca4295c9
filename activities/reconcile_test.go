package activities_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/activities"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/id"
	"perennial/providers"
	"perennial/test/scene"
)

// woken notes what the reconciler starts and signals.
type woken struct {
	mu  sync.Mutex
	did []string
	err error
	on  func() // called before each
	// attended reports whether workers keep up; nil: they do.
	attended func() bool
}

func (w *woken) note(what string) error {
	if w.on != nil {
		w.on()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.did = append(w.did, what)
	return w.err
}

func (w *woken) StartSubscription(_ context.Context, in contract.SubscriptionStart) error {
	return w.note("start " + in.Input.Ref.ID)
}

func (w *woken) StartPayment(_ context.Context, in contract.PaymentInput) error {
	return w.note("start " + in.Ref.ID)
}

func (w *woken) StartErasure(_ context.Context, in contract.ErasureInput) error {
	return w.note("erase " + in.Ref.ID)
}

func (w *woken) AdvanceClock(_ context.Context, ref contract.Ref) error {
	return w.note("resume " + ref.ID)
}

func (w *woken) Wake(_ context.Context, ref contract.Ref, signal string, _ contract.Wake) error {
	return w.note(signal + " " + ref.ID)
}

func (w *woken) Check(_ context.Context, owner contract.Owner, check contract.Check) error {
	return w.note("check " + owner.SubscriptionID + " " + check.TransactionID)
}

func (w *woken) WakeEndpoint(_ context.Context, ref contract.Ref) error {
	return w.note("wake endpoint " + ref.ID)
}

func (w *woken) Attended(context.Context, string) (bool, error) {
	if w.attended == nil {
		return true, nil
	}
	return w.attended(), nil
}

// pass makes one pass and answers what it did.
func (w *woken) pass(t *testing.T, s *scene.Scene) []string {
	t.Helper()
	w.did = nil
	r := &activities.Reconciler{Store: s.Worker, Clock: s.Clock.Now, Waker: w}
	_, err := r.Reconcile(t.Context())
	require.NoError(t, err)
	slices.Sort(w.did)
	return w.did
}

func TestReconcile_StartsUnstarted(t *testing.T) {
	t.Parallel()
	s, w := scene.New(t), &woken{}
	l := begin(t, s, scene.Monthly(1000))
	s.Clock.Add(time.Minute)

	w.err = errors.New("Temporal is away")
	require.Contains(t, w.pass(t, s), "start "+l.ref.ID)
	w.err = nil
	require.Contains(t, w.pass(t, s), "start "+l.ref.ID, "what failed is tried again")
	require.NotContains(t, w.pass(t, s), "start "+l.ref.ID, "what was started is not")
	s.InTx(t, func(tx *db.Tx) error { _, err := tx.IncrementEpoch(t.Context()); return err })
	require.Contains(t, w.pass(t, s), "start "+l.ref.ID, "after Temporal was lost everything is started again")

	l.command(cancelNow("prorated"))
	refund := l.Started.Take()
	s.InTx(t, func(tx *db.Tx) error { _, err := tx.IncrementEpoch(t.Context()); return err })
	s.Clock.Add(time.Minute)
	did := w.pass(t, s)
	require.NotContains(t, did, "start "+l.ref.ID, "a finished subscription needs no workflow")
	require.Len(t, refund, 1)
	require.Contains(t, did, "start "+refund[0].ID, "its refund does")
}

func TestReconcile_WakesOverdue(t *testing.T) {
	t.Parallel()
	s, w := scene.New(t), &woken{}
	l := begin(t, s, scene.Monthly(1000))
	_ = w.pass(t, s)
	s.Clock.Set(scene.Start.AddDate(0, 1, 0).Add(30 * time.Second))
	require.Empty(t, w.pass(t, s))
	s.Clock.Add(time.Minute)
	require.Equal(t, []string{"wake " + l.ref.ID}, w.pass(t, s))
	l.wake() // which does what is due
	l.until(s.Clock.Now())
	require.Empty(t, w.pass(t, s))

	l.SetMethod(t, l.customer.ID, &scene.Card)
	require.Empty(t, w.pass(t, s), "the API's own signal has a while to arrive")
	s.Clock.Add(time.Minute)
	require.Equal(t, []string{"wake " + l.ref.ID}, w.pass(t, s))
	l.wake()
	require.Empty(t, w.pass(t, s))
	l.sound()
}

func TestReconcile_ChecksPendingPayments(t *testing.T) {
	t.Parallel()
	l, w := answering(t, scene.Pend), &woken{}
	_ = w.pass(t, l.Scene)
	txn := l.last()
	l.Clock.Add(2 * time.Minute)
	require.Equal(t, []string{"check " + l.ref.ID + " " + txn.ID}, w.pass(t, l.Scene), "its timer is overdue")
	l.check(txn.ID)

	l.InTx(t, func(tx *db.Tx) error {
		_, err := tx.InsertCallback(t.Context(), l.Env, db.Callback{
			ID: id.New(id.Callback, l.Clock.Now()), ProviderConfigID: l.Config.ID, ProviderEventID: "evt_1",
			Type: "payment_intent.succeeded", TransactionID: txn.ID, ReceivedAt: l.Clock.Now(),
		})
		return err
	})
	require.Empty(t, w.pass(t, l.Scene))
	l.Provider.Settle(txn.ID, providers.Succeeded)
	l.Clock.Add(45 * time.Second)
	require.Contains(t, w.pass(t, l.Scene), "check "+l.ref.ID+" "+txn.ID, "word was stored, but nobody has looked")
	l.asked(txn.ID)
	require.Empty(t, w.pass(t, l.Scene))
	l.sound()
}

// A restored database has lost the transaction: that is told until it is known again, however long it takes.
func TestReconcile_NamesCallbacksAboutLostTransactions(t *testing.T) {
	t.Parallel()
	l, w := answering(t, scene.Pend), &woken{}
	_ = w.pass(t, l.Scene)
	txn := l.last()
	missing := id.New(id.Transaction, l.Clock.Now())
	for event, lost := range map[string]string{"evt_1": txn.ID, "evt_2": missing} { // the first was made again since
		l.InTx(t, func(tx *db.Tx) error {
			_, err := tx.InsertCallback(t.Context(), l.Env, db.Callback{
				ID: id.New(id.Callback, l.Clock.Now()), ProviderConfigID: l.Config.ID, ProviderEventID: event,
				Type: "payment_intent.succeeded", LostTransactionID: lost, ProviderRef: "pi_" + event, ReceivedAt: l.Clock.Now(),
			})
			return err
		})
	}
	for range 2 {
		l.Clock.Add(48 * time.Hour)
		net := activities.Reconciler{Store: l.Worker, Clock: l.Clock.Now, Waker: w}
		found, err := net.Reconcile(t.Context())
		require.NoError(t, err)
		require.Len(t, found.Lost, 1)
		require.Equal(t, [3]string{missing, l.Env, "pi_evt_2"},
			[3]string{found.Lost[0].TransactionID, found.Lost[0].EnvironmentID, found.Lost[0].ProviderRef})
		require.Zero(t, found.Unclaimed, "it is not given up")
	}
	require.Contains(t, w.did, "check "+l.ref.ID+" "+txn.ID, "what is known again is polled")
}

func TestReconcile_ResumesAdvancingClock(t *testing.T) {
	t.Parallel()
	w := newClockwork(t)
	net := &woken{}
	require.Empty(t, net.pass(t, w.Scene))
	require.NoError(t, w.begin(scene.Start.AddDate(0, 1, 0)))
	require.Equal(t, []string{"resume " + w.ref.ID}, net.pass(t, w.Scene))
}

// A command whose signal was lost: Temporal was away, or the process died between commit and signal.
func TestReconcile_WakePending(t *testing.T) {
	t.Parallel()
	l, w := begin(t, scene.New(t), scene.Monthly(1000)), &woken{}
	_ = w.pass(t, l.Scene)
	l.collecting()
	require.Nil(t, l.command(command{Name: contract.CommandCancel}).Refusal)
	l.Clock.Add(30 * time.Second)
	require.Empty(t, w.pass(t, l.Scene), "the signal of the command has a while to arrive")
	l.Clock.Add(time.Millisecond)
	wake := "wake " + l.ref.ID
	require.Equal(t, []string{wake}, w.pass(t, l.Scene))
	require.Equal(t, []string{wake}, w.pass(t, l.Scene), "until the workflow acts")

	l.Clock.Add(time.Hour)
	require.Nil(t, l.command(command{Name: contract.CommandReactivate}).Refusal)
	require.Contains(t, w.pass(t, l.Scene), wake, "a later command does not set the mark back")
	l.wake()
	require.NotContains(t, w.pass(t, l.Scene), wake)
	l.sound()
}

// The mark is cleared by the transaction in which the workflow acts: where that fails, the reconciler goes on
// signalling.
func TestReconcile_WakePendingStaysWhereAdvanceFails(t *testing.T) {
	t.Parallel()
	l, w := begin(t, scene.New(t), scene.Monthly(1000)), &woken{}
	_ = w.pass(t, l.Scene)
	l.collecting()
	require.Nil(t, l.command(command{Name: contract.CommandCancel}).Refusal)
	l.Clock.Add(time.Minute)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := l.Subscriptions.Advance(ctx, contract.AdvanceInput{Ref: l.ref, Now: l.Clock.Now()})
	require.Error(t, err)
	require.Equal(t, []string{"wake " + l.ref.ID}, w.pass(t, l.Scene))
}

// Whoever wrote the attempt may have died before the workflow knew of it, whether a command asked for it or a date.
func TestReconcile_FindsUnsentAttemptWithinAMinute(t *testing.T) {
	t.Parallel()
	l, w := begin(t, scene.New(t), scene.Monthly(1000)), &woken{}
	_ = w.pass(t, l.Scene)
	l.Clock.Set(scene.Start.AddDate(0, 1, 0))
	l.due()
	check := []string{"check " + l.ref.ID + " " + l.last().ID}
	require.Empty(t, w.pass(t, l.Scene))
	l.Clock.Add(61 * time.Second)
	require.Equal(t, check, w.pass(t, l.Scene))
}

// TestReconcile_BrokenEnvironmentDelaysNoOther has 600 payments of one environment hang, more than a pass looks at, all
// longer than the one of another.
func TestReconcile_BrokenEnvironmentDelaysNoOther(t *testing.T) {
	t.Parallel()
	l, w := answering(t, scene.Pend), &woken{}
	_ = w.pass(t, l.Scene)
	clone := func(table, change, from string, n int) {
		_, err := l.Pool.Exec(t.Context(),
			"insert into "+table+" select (jsonb_populate_record(null::"+table+", to_jsonb(r) || "+change+")).* "+
				"from "+table+" r, generate_series(1, $1) n where "+from, n)
		require.NoError(t, err)
	}
	mine := "r.id = '" + l.last().ID + "'"
	hung := `jsonb_build_object('subscription_id', null, 'invoice_id', null, 'provider_ref', null, 'started_epoch', 9`
	clone("transactions", hung+`, 'id', 'txn_' || n, 'next_check_at', r.next_check_at - interval '1 hour')`, mine, 600)
	clone("environments", `'{"id": "env_good", "mode": "live"}'`, "r.id = '"+l.Env+"'", 1)
	clone("provider_configs", `'{"id": "pp_good", "environment_id": "env_good"}'`, "r.id = '"+l.Config.ID+"'", 1)
	clone("customers", `'{"environment_id": "env_good"}'`, "r.id = '"+l.customer.ID+"'", 1)
	clone("transactions", hung+`, 'id', 'txn_good', 'environment_id', 'env_good', 'provider_config_id', 'pp_good')`, mine,
		1)
	l.Clock.Add(2 * time.Minute)

	did := w.pass(t, l.Scene)
	require.Len(t, did, 500)
	require.True(t, slices.Contains(did, "check  txn_good"))
}

// After a loss of Temporal's database everything is started again, beside commands and renewals that want the same
// workers.
func TestReconcile_KeepsItsPace(t *testing.T) {
	t.Parallel()
	s, w := scene.New(t), &woken{}
	const many, perSecond = 30, 20
	for range many {
		begin(t, s, scene.Monthly(1000))
	}
	s.Clock.Add(time.Minute)
	r := &activities.Reconciler{Store: s.Worker, Clock: s.Clock.Now, Waker: w, Rate: perSecond}
	began := time.Now()
	found, err := r.Reconcile(t.Context())
	require.NoError(t, err)
	require.Equal(t, many, found.Started)
	require.GreaterOrEqual(t, time.Since(began), (many-perSecond/10)*time.Second/perSecond-100*time.Millisecond)
	found, err = (&activities.Reconciler{Store: s.Worker, Clock: s.Clock.Now, Waker: w}).Reconcile(t.Context())
	require.NoError(t, err)
	require.Zero(t, found.Started)
}

// A worker that dies in the middle of a pass has started workflows, and the next pass should not start them again.
func TestReconcile_NotesWhatItStartedAsItGoes(t *testing.T) {
	t.Parallel()
	s, w := scene.New(t), &woken{}
	const many, noteEvery = 40, 25
	for range many {
		begin(t, s, scene.Monthly(1000))
	}
	s.Clock.Add(time.Minute)
	ctx, die := context.WithCancel(t.Context())
	var calls atomic.Int32
	w.on = func() {
		if calls.Add(1) == noteEvery+5 {
			die()
		}
	}
	_, err := (&activities.Reconciler{Store: s.Worker, Clock: s.Clock.Now, Waker: w, Rate: 1000}).Reconcile(ctx)
	require.Error(t, err)
	w.on = nil
	require.Len(t, w.pass(t, s), many-noteEvery)
}

func TestReconcile_StartsWhatIsOverdueFirst(t *testing.T) {
	t.Parallel()
	s, w := scene.New(t), &woken{}
	l := begin(t, s, scene.Monthly(1000))
	s.Clock.Set(scene.Start.AddDate(0, 1, 0).Add(-time.Minute))
	begin(t, s, scene.Monthly(1000)) // not due for a month
	s.Clock.Add(3 * time.Minute)
	_, err := (&activities.Reconciler{Store: s.Worker, Clock: s.Clock.Now, Waker: w}).Reconcile(t.Context())
	require.NoError(t, err)
	require.Equal(t, "wake "+l.ref.ID, w.did[0], "it is started by its signal, before everything that can wait")
	require.Len(t, w.did, 3)
}

// A run that refuses its messages, or waits for what never comes, is overdue however often it is woken.
func TestReconcile_NamesWhatIsStuck(t *testing.T) {
	t.Parallel()
	s, w := scene.New(t), &woken{}
	l := begin(t, s, scene.Monthly(1000))
	r := &activities.Reconciler{Store: s.Worker, Clock: s.Clock.Now, Waker: w}
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
	require.Equal(t, []string{l.ref.ID}, found.StuckIDs)
	require.Equal(t, []string{l.ref.EnvironmentID}, found.StuckIn)
	l.wake()
	l.until(s.Clock.Now())
	require.Zero(t, pass(time.Minute).Stuck)

	backlog, err := s.Store.Backlog(t.Context(), s.Clock.Now(), time.Minute)
	require.NoError(t, err)
	require.GreaterOrEqual(t, backlog.ReconciledAge, time.Duration(0), "each pass leaves its time")
}

// Whatever a queue holds, a command waits behind.
func TestReconcile_WaitsForSlowWorkers(t *testing.T) {
	t.Parallel()
	s, w := scene.New(t), &woken{}
	const many, atOnce = 60, 25
	for range many {
		begin(t, s, scene.Monthly(1000))
	}
	s.Clock.Add(time.Minute)
	var started, attended atomic.Int32
	w.on = func() {
		require.LessOrEqual(t, started.Add(1)-attended.Load(), int32(atOnce), "more wait for workers than may")
	}
	asked := 0
	w.attended = func() bool {
		if asked++; asked%3 != 0 {
			return false
		}
		attended.Store(started.Load())
		return true
	}
	_ = w.pass(t, s)
	require.EqualValues(t, many, started.Load())
	require.GreaterOrEqual(t, asked, 9)
}
