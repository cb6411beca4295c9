package activities_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/activities"
	"perennial/billing/customer"
	"perennial/billing/erasure"
	"perennial/billing/event"
	"perennial/billing/metadata"
	"perennial/billing/payment"
	"perennial/billing/period"
	"perennial/billing/subscription"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/id"
	"perennial/providers"
	"perennial/test/life"
	"perennial/test/scene"
)

// leavePersonalData writes personal data to each place to which it is copied: a subscription with metadata and a
// reason, a failed attempt with the provider's words, and a stored response.
func leavePersonalData(t *testing.T, s *scene.Scene, c customer.Customer, ref contract.Ref) {
	t.Helper()
	s.InTx(t, func(tx *db.Tx) error {
		state, err := tx.Lifecycle.LockSubscription(t.Context(), s.Env, ref.ID)
		if err != nil {
			return err
		}
		state.Subscription.Metadata = metadata.Pairs{"note": "canary lives in Mukono"}
		state.Subscription.CancelAtPeriodEnd, state.Subscription.CancelReason = true, "canary moves away"
		if err := tx.Subscriptions.Save(t.Context(), s.Env, state.Subscription); err != nil {
			return err
		}
		return tx.InsertAnsweredIdempotency(t.Context(), s.Env, db.IdempotencyKey{
			Route: "POST /customers", Key: ref.ID, Fingerprint: []byte("f"), StatusCode: 201, Response: []byte("canary"),
			CustomerID: c.ID,
		})
	})
}

// Workers die at any moment of any batch, and others repeat it: in the end everything is done, and each thing once.
func TestEraseBatch_ManySubscriptionsAndKilledWorkers(t *testing.T) {
	t.Parallel()
	const many, batch = 500, 20
	s := scene.New(t)
	c, kept, p := s.Customer(t, ""), s.Customer(t, ""), s.Plan(t, scene.Monthly(1000))
	other := s.Subscribe(t, kept, p)
	leavePersonalData(t, s, kept, other)
	for i := range many {
		ref := s.Subscribe(t, c, p)
		if i%10 == 0 {
			leavePersonalData(t, s, c, ref)
		}
	}
	l := &life.Life{Scene: s, T: t, Payer: c}
	s.Provider.Script = func(int, providers.ChargeRequest) scene.Answer { return scene.Decline }
	for range 12 {
		l.Charge(t, l.OwnCharge(t).ID)
	}
	ref := life.DeleteCustomer(t, s, c.ID)

	a := &activities.Erasures{Store: s.Worker, Clock: s.Clock.Now, Batch: batch}
	killed, done := 0, 0
	for out := (contract.EraseResult{}); !out.Done; {
		ctx, cancel := context.WithCancel(t.Context())
		if done%2 == 0 && killed <= done {
			time.AfterFunc(time.Duration(rand.IntN(30_000))*time.Microsecond, cancel)
		}
		next, err := a.EraseBatch(ctx, ref)
		if cancel(); err != nil {
			killed++
			continue
		}
		out, done = next, done+1
		require.LessOrEqual(t, out.Rows, batch)
	}
	t.Logf("%d batches, %d killed", done, killed)
	require.Positive(t, killed)

	require.Equal(t, many,
		life.Count(t, s,
			"select count(*) from subscriptions where customer_id = $1 and status = 'canceled' and cancel_reason = "+
				"'customer_deleted' and metadata::text = '{}'", c.ID))
	require.Equal(
		t, many, life.Count(t, s, "select count(*) from events where type = 'subscription.canceled'"), "each once",
	)
	require.Equal(t, 1, life.Count(t, s, "select count(*) from events where type = 'customer.deleted'"))
	require.Zero(t, life.Count(t, s, "select count(*) from invoices"), "nothing was billed")
	require.Len(t, s.Started.Signals(), many, "each workflow is woken once")
	for _, table := range []string{
		"customers", "subscriptions", "transactions", "provider_calls", "events", "idempotency_keys",
	} {
		require.Equal(t, life.Count(t, s,
			"select count(*) from "+table+" x where x::text ~* 'canary' and x::text like '%' || $1 || '%'", kept.ID),
			life.Count(t, s, "select count(*) from "+table+" x where x::text ~* 'canary'"), table)
	}
	require.Zero(t,
		life.Count(
			t, s, "select count(*) from transactions where failure_reason is not null or provider_response is not null",
		))
	require.Equal(t, 1, life.Count(t, s, "select count(*) from idempotency_keys where response is not null"),
		"another customer's")
	require.Equal(t, 12, life.Count(t, s, "select count(*) from transactions where customer_id = $1 and amount = 5", c.ID),
		"what money moved stays")
	sub, err := s.Store.Subscriptions.Get(t.Context(), s.Env, other.ID)
	require.NoError(t, err)
	require.Equal(t, "canary moves away", sub.CancelReason)

	again, err := a.EraseBatch(t.Context(), ref)
	require.NoError(t, err)
	require.True(t, again.Done, "a repeat of the last batch")
	require.Zero(t, again.Rows)
}

// Between the deletion and the batch that cancels its subscription, a renewal becomes due: nothing is charged.
func TestErasedCustomer_NothingIsChargedBeforeTheErasure(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Monthly(1000))
	captured, unsent := len(l.Provider.Calls()), l.OwnCharge(t)
	ref := life.DeleteCustomer(t, l.Scene, l.Payer.ID)
	l.Charge(t, unsent.ID)

	l.Clock.Set(scene.Start.AddDate(0, 1, 0))
	l.Wake() // its timer
	l.Until(l.Clock.Now())

	require.Len(t, l.Provider.Calls(), captured)
	require.Equal(t, subscription.Canceled, l.Sub().Status)
	require.Len(t, l.Invoices(), 1)
	got, err := l.Store.Payments.Transaction(t.Context(), l.Env, unsent.ID)
	require.NoError(t, err)
	require.Equal(t, payment.Canceled, got.Status, "it was never sent")
	life.EraseAll(t, l.Scene, ref, 0)
	require.Len(t, l.Provider.Calls(), captured)
	l.Sound()
}

// The attempt of a renewal exists when the customer is deleted: before its send it is dropped, after it it is kept.
func TestErasedCustomer_AttemptOfARenewal(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Monthly(1000))
	asked := len(l.Provider.Calls())
	l.Clock.Set(scene.Start.AddDate(0, 1, 0))
	due, err := l.Advance()
	require.NoError(t, err)
	life.DeleteCustomer(t, l.Scene, l.Payer.ID)
	l.Charge(t, due.Live.TransactionID)
	require.Len(t, l.Provider.Calls(), asked)
	require.Equal(t, payment.Canceled, l.Last().Status)
	require.Equal(t, subscription.Canceled, l.Sub().Status, "what records the answer cancels the subscription too")
	l.Sound()
}

func TestEraseBatch_TestClockErasesItsCustomers(t *testing.T) {
	t.Parallel()
	l := life.OnOldClock(t)
	var others []customer.Customer
	for range 4 {
		others = append(others, l.Customer(t, l.Payer.TestClockID))
	}
	free := l.Customer(t, "")
	ref := contract.Ref{EnvironmentID: l.Env, ID: id.New(id.Erasure, l.Clock.Now())}
	l.InTx(t, func(tx *db.Tx) error {
		return tx.Customers.BeginErasure(t.Context(), l.Env, erasure.OfTestClock(ref.ID, l.Payer.TestClockID, l.Clock.Now()))
	})
	require.Equal(t, 3, life.EraseAll(t, l.Scene, ref, 2))
	require.Equal(t, len(others)+1, life.Count(t, l.Scene,
		"select count(*) from erasures where customer_id is not null and stage = 'subscriptions'"))
	require.Equal(t, 1, life.Count(t, l.Scene, "select count(*) from customers where erased_at is null"))
	got, err := l.Store.Customers.Get(t.Context(), l.Env, free.ID)
	require.NoError(t, err)
	require.Equal(t, free.Email, got.Email)
}

func TestReconcile_StartsErasures(t *testing.T) {
	t.Parallel()
	s, w := scene.New(t), &life.Waker{}
	c := s.Customer(t, "")
	s.Subscribe(t, c, s.Plan(t, scene.Every(period.Month, 0)))
	ref := life.DeleteCustomer(t, s, c.ID)
	erase := "erase " + ref.ID
	w.Err = errors.New("Temporal is away")
	require.Contains(t, w.Pass(t, s), erase)
	w.Err = nil
	require.Contains(t, w.Pass(t, s), erase, "what failed is tried again")
	require.NotContains(t, w.Pass(t, s), erase, "what was started is not")
	s.InTx(t, func(tx *db.Tx) error { _, err := tx.Reconcile.IncrementEpoch(t.Context()); return err })
	require.Contains(t, w.Pass(t, s), erase, "after Temporal was lost")
	require.NotContains(t, w.Pass(t, s), erase)
	s.Clock.Add(2 * time.Minute)
	require.Contains(t, w.Pass(t, s), erase, "without progress: its workflow may have been terminated")
	life.EraseAll(t, s, ref, 0)
	s.Clock.Add(time.Hour)
	s.InTx(t, func(tx *db.Tx) error { _, err := tx.Reconcile.IncrementEpoch(t.Context()); return err })
	require.NotContains(t, w.Pass(t, s), erase, "it is finished")
}

// A renewal holds the second subscription, and numbers an event of the customer while the batch has done the first one.
func TestEraseBatch_BesideATransactionOfALaterSubscription(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	c, plan := s.Customer(t, ""), s.Plan(t, scene.Monthly(1000))
	ids := []string{s.Subscribe(t, c, plan).ID, s.Subscribe(t, c, plan).ID}
	slices.Sort(ids)
	ref := life.DeleteCustomer(t, s, c.ID)
	a := &activities.Erasures{Store: s.Worker, Clock: s.Clock.Now}
	erased := make(chan error, 1)

	err := s.Store.InTx(t.Context(), db.BySystem("test"), s.Clock.Now(), func(tx *db.Tx) error {
		if _, err := tx.Lifecycle.LockSubscription(t.Context(), s.Env, ids[1]); err != nil {
			return err
		}
		go func() {
			_, err := a.EraseBatch(t.Context(), ref)
			erased <- err
		}()
		time.Sleep(300 * time.Millisecond) // it waits for the subscription
		updated := event.SubscriptionUpdated{Subscription: event.OfSubscription(ids[1], c.ID)}
		return tx.Emit(t.Context(), s.Env, event.New(updated, s.Clock.Now()))
	})

	require.NoError(t, err)
	require.NoError(t, <-erased)
}

// The customer comes before the subscriptions in the order of locks: a batch that held these and waited for the balance
// would wait for a command that has the balance and waits for one of them.
func TestEraseBatch_LocksTheCustomerFirst(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	c := s.Customer(t, "")
	subscribed := s.Subscribe(t, c, s.Plan(t, scene.Monthly(1000)))
	ref := life.DeleteCustomer(t, s, c.ID)
	a := &activities.Erasures{Store: s.Worker, Clock: s.Clock.Now}
	erased := make(chan error, 1)
	count := func(sql string, args ...any) (n int) {
		require.NoError(t, s.Pool.QueryRow(t.Context(), sql, args...).Scan(&n))
		return n
	}

	s.InTx(t, func(tx *db.Tx) error {
		if _, err := tx.Customers.Lock(t.Context(), s.Env, c.ID); err != nil {
			return err
		}
		go func() {
			_, err := a.EraseBatch(t.Context(), ref)
			erased <- err
		}()
		require.Eventually(t, func() bool {
			return count(
				"select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
			) > 0
		}, time.Minute, time.Millisecond)
		require.Equal(t, 1, count(`with free as (select from subscriptions where id = $1 for update nowait)
			select count(*) from free`, subscribed.ID))
		return nil
	})

	require.NoError(t, <-erased)
}
