package activities_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/activities/due"
	"perennial/billing/customer"
	"perennial/billing/lifecycle"
	"perennial/billing/overdue"
	"perennial/billing/subscription"
	"perennial/contract"
	"perennial/db"
	"perennial/test/life"
	"perennial/test/scene"
)

// debtPolicy warns after 3 days, denies access from three invoices on and cancels after 20 days.
var debtPolicy = overdue.Policy{States: []overdue.State{
	{Name: "warned", Days: 3},
	{Name: "blocked", Invoices: 3, DenyAccess: true, NeedsPerson: true},
	{Name: "ended", Days: 20, DenyAccess: true, NeedsPerson: true, Cancel: true},
}}

func withDebtPolicy(s *subscription.Settings) { s.Overdue = debtPolicy }

const (
	standings = "select count(*) from events where type = 'customer.overdue_state_changed' and object_id = $1"
	ends      = "select count(*) from events where type = 'subscription.canceled' and customer_id = $1"
)

// owing subscribes a customer so many times, each to a plan of 10.00 whose first payment is declined.
func owing(t *testing.T, s *scene.Scene, times int) (customer.Customer, []*life.Life) {
	t.Helper()
	s.Provider.Script = life.Always(scene.Decline)
	payer := s.Customer(t, "")
	var all []*life.Life
	for range times {
		l := &life.Life{Scene: s, T: t, Payer: payer}
		l.Ref = s.Subscribe(t, payer, s.Plan(t, scene.Monthly(1000)))
		l.Reload()
		l.Until(s.Clock.Now())
		all = append(all, l)
	}
	return payer, all
}

func standing(t *testing.T, s *scene.Scene, customerID string) overdue.Standing {
	t.Helper()
	c, err := s.Store.Customers.Get(t.Context(), s.Env, customerID)
	require.NoError(t, err)
	return c.Overdue
}

func subscriptionOf(t *testing.T, l *life.Life) subscription.Subscription {
	t.Helper()
	sub, err := l.Store.Subscriptions.Get(t.Context(), l.Env, l.Ref.ID)
	require.NoError(t, err)
	return sub
}

func markPaid(t *testing.T, l *life.Life) {
	t.Helper()
	life.Perform(t, l.Scene, l.Ref, lifecycle.MarkPaid{InvoiceID: l.Invoices()[0].ID, Method: "cash"})
}

// What changes an open invoice moves the customer's state in the same transaction; age does it with a pass.
func TestOverdue_FollowsEveryInvoiceOfTheCustomer(t *testing.T) {
	t.Parallel()
	s, w := scene.New(t, withDebtPolicy), &life.Waker{}
	other, _ := owing(t, s, 1)
	c, lives := owing(t, s, 2)
	require.Equal(t, overdue.Standing{NextAt: scene.Start.AddDate(0, 0, 3)}, standing(t, s, c.ID))
	third := &life.Life{Scene: s, T: t, Payer: c, Ref: s.Subscribe(t, c, s.Plan(t, scene.Monthly(500)))}
	third.Reload()
	third.Until(s.Clock.Now())
	got := standing(t, s, c.ID)
	require.Equal(t, "blocked", got.State)
	require.Equal(t, overdue.Sums{
		Invoices: 3, Oldest: scene.Start, Amounts: []overdue.Amount{{Currency: "EUR", Amount: 2500}},
	}, got.Sums)
	require.True(t, got.AccessDenied && got.NeedsPerson && !got.Canceling)
	require.Equal(t, scene.Start.AddDate(0, 0, 20), got.NextAt)
	require.Equal(t, 1, life.Count(t, s, standings, c.ID))
	require.Empty(t, standing(t, s, other.ID).State, "another customer")

	markPaid(t, lives[0])
	require.Empty(t, standing(t, s, c.ID).State)
	require.Equal(t, 2, life.Count(t, s, standings, c.ID))

	s.Clock.Set(scene.Start.AddDate(0, 0, 3).Add(-time.Second))
	w.Pass(t, s)
	require.Empty(t, standing(t, s, c.ID).State)
	s.Clock.Set(scene.Start.AddDate(0, 0, 3))
	for range 2 {
		w.Pass(t, s)
		require.Equal(t, "warned", standing(t, s, c.ID).State)
		require.Equal(t, 3, life.Count(t, s, standings, c.ID))
	}
	for _, l := range []*life.Life{lives[1], third} { // the retries until now are declined
		l.Until(s.Clock.Now())
	}
	life.Perform(t, s, lives[1].Ref, lifecycle.VoidInvoice{InvoiceID: lives[1].Invoices()[0].ID})
	require.Equal(t, []any{"warned", 1}, []any{standing(t, s, c.ID).State, standing(t, s, c.ID).Invoices})
	life.Perform(t, s, third.Ref, lifecycle.MarkUncollectible{InvoiceID: third.Invoices()[0].ID})
	require.Zero(t, standing(t, s, c.ID))
	require.Equal(t, 4, life.Count(t, s, standings, c.ID))
	s.RequireSound(t)
}

// A worker is killed between two cancellations: the next pass goes on, and cancels nothing twice. What the customer
// buys later stays, and a payment brings nothing back.
func TestOverdue_CancelsEachSubscriptionOnce(t *testing.T) {
	t.Parallel()
	s, w := scene.New(t, withDebtPolicy), &life.Waker{}
	c, lives := owing(t, s, 3)
	s.Clock.Set(scene.Start.AddDate(0, 0, 20))
	ctx, kill := context.WithCancel(t.Context())
	s.Started.Signal = func(context.Context, db.SignalSubscription) { kill() }
	require.Error(t, due.ReviewDebts(ctx, s.Worker, db.Ref{EnvironmentID: s.Env, ID: c.ID}, s.Clock.Now()))
	s.Started.Signal = nil
	require.Equal(t, 1, life.Count(t, s, ends, c.ID))
	got := standing(t, s, c.ID)
	require.True(t, got.Canceling)
	require.Equal(t, "ended", got.State)

	s.Clock.Set(s.Clock.Now().Add(time.Minute))
	require.Equal(t, []string{c.ID}, unreviewed(t, s), "the doctor says so")
	s.Provider.Script = nil
	later := s.Subscribe(t, c, s.Plan(t, scene.Monthly(1)))
	for range 3 {
		w.Pass(t, s)
		require.Equal(t, 3, life.Count(t, s, ends, c.ID))
		require.False(t, standing(t, s, c.ID).Canceling)
	}
	require.Empty(t, unreviewed(t, s))
	for _, l := range lives {
		l.Reload()
		require.Equal(t, subscription.Canceled, subscriptionOf(t, l).Status)
		require.Equal(t, "customer_overdue", subscriptionOf(t, l).CancelReason)
		l.Until(s.Clock.Now())
	}
	bought, err := s.Store.Subscriptions.Get(t.Context(), s.Env, later.ID)
	require.NoError(t, err)
	require.Equal(t, subscription.Active, bought.Status)

	for _, l := range lives {
		markPaid(t, l)
	}
	require.Zero(t, standing(t, s, c.ID))
	require.Equal(t, subscription.Canceled, subscriptionOf(t, lives[0]).Status)
	s.RequireSound(t)
}

// unreviewed has an example of the customers whose review is late.
func unreviewed(t *testing.T, s *scene.Scene) (ids []string) {
	t.Helper()
	found, err := s.Store.Reconcile.OverlookedDates(t.Context(), s.Clock.Now())
	require.NoError(t, err)
	for _, late := range found {
		if late.Kind == "debt_review" {
			ids = append(ids, late.Example)
		}
	}
	return ids
}

// A payment comes between the review and a cancellation: what is left of it does not happen.
func TestOverdue_PaymentStopsTheCancellation(t *testing.T) {
	t.Parallel()
	s, w := scene.New(t, withDebtPolicy), &life.Waker{}
	c, lives := owing(t, s, 3)
	s.Clock.Set(scene.Start.AddDate(0, 0, 20))
	ctx, kill := context.WithCancel(t.Context())
	s.Started.Signal = func(context.Context, db.SignalSubscription) { kill() }
	require.Error(t, due.ReviewDebts(ctx, s.Worker, db.Ref{EnvironmentID: s.Env, ID: c.ID}, s.Clock.Now()))
	s.Started.Signal = nil
	for _, l := range lives {
		markPaid(t, l)
	}
	require.Zero(t, standing(t, s, c.ID))
	w.Pass(t, s)
	require.Equal(t, 1, life.Count(t, s, ends, c.ID))
	s.RequireSound(t)
}

// Payments and reviews race: in the end the state is that of what is owed, and each subscription has ended once or not
// at all.
func TestOverdue_PaymentsRaceReviews(t *testing.T) {
	t.Parallel()
	s := scene.New(t, withDebtPolicy)
	c, lives := owing(t, s, 3)
	s.Clock.Set(scene.Start.AddDate(0, 0, 20))
	quiet := s.Worker.With(&scene.Effects{})
	var racing sync.WaitGroup
	for range 2 {
		racing.Go(func() {
			for range 4 {
				err := due.ReviewDebts(t.Context(), quiet, db.Ref{EnvironmentID: s.Env, ID: c.ID}, s.Clock.Now())
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	for _, l := range lives {
		racing.Go(func() { markPaid(t, l) })
	}
	racing.Wait()
	require.NoError(t, due.ReviewDebts(t.Context(), quiet, db.Ref{EnvironmentID: s.Env, ID: c.ID}, s.Clock.Now()))
	require.Zero(t, standing(t, s, c.ID))
	var ended int
	for _, l := range lives {
		if subscriptionOf(t, l).Status == subscription.Canceled {
			ended++
		}
	}
	require.Equal(t, ended, life.Count(t, s, ends, c.ID))
	s.RequireSound(t)
}

// A new policy of the environment reaches customers who owed before it, page by page, and its end releases them.
func TestOverdue_NewPolicyReachesEverybody(t *testing.T) {
	t.Parallel()
	s, w := scene.New(t), &life.Waker{}
	c, _ := owing(t, s, 3)
	other, _ := owing(t, s, 3)
	choose := func(p overdue.Policy) {
		s.InTx(t, func(tx *db.Tx) error {
			was, err := tx.Tenancy.LockSettings(t.Context(), s.Env)
			is := was
			is.Overdue = p
			require.NoError(t, err)
			return tx.Tenancy.SaveSettings(t.Context(), s.Env, was, is)
		})
	}
	require.Zero(t, standing(t, s, c.ID))
	choose(debtPolicy)
	w.Pass(t, s)
	require.Equal(t, "blocked", standing(t, s, c.ID).State)
	require.Equal(t, "blocked", standing(t, s, other.ID).State)
	w.Pass(t, s)
	require.Zero(t, life.Count(t, s, "select count(*) from environments where overdue_sweep is not null"), "it ends")
	choose(overdue.Policy{})
	w.Pass(t, s)
	require.Zero(t, standing(t, s, c.ID))
	require.Zero(t, life.Count(t, s, "select count(*) from customers where overdue is not null or overdue_due_at is not null"))
}

// A test clock stops at each state, and cancels at its time.
func TestStepClock_ReviewsDebts(t *testing.T) {
	t.Parallel()
	w := life.NewClockwork(t)
	w.Provider.Script = life.Always(scene.Decline)
	c := w.Customer(t, w.Ref.ID)
	w.InTx(t, func(tx *db.Tx) error {
		locked, err := tx.Customers.Lock(t.Context(), w.Env, c.ID)
		require.NoError(t, err)
		locked.OverduePolicy = &debtPolicy
		return tx.Customers.Save(t.Context(), w.Env, locked)
	})
	var refs []contract.Ref
	for range 2 {
		refs = append(refs, w.SubscribeAt(t, c, w.Plan(t, scene.Monthly(1000)), scene.Start))
	}
	require.NoError(t, w.Begin(scene.Start.AddDate(0, 0, 25)))
	w.Steps()
	rows, err := w.Pool.Query(t.Context(), `select data ->> 'state', to_timestamp(occurred_at) from events
		where type = 'customer.overdue_state_changed' order by position`)
	require.NoError(t, err)
	defer rows.Close()
	var said []string
	for rows.Next() {
		var state string
		var at time.Time
		require.NoError(t, rows.Scan(&state, &at))
		said = append(said, state+" "+at.UTC().Format(time.DateTime))
	}
	require.NoError(t, rows.Err())
	require.Equal(t, []string{"warned 2026-01-18 00:00:00", "ended 2026-02-04 00:00:00"}, said)
	for _, ref := range refs {
		sub, err := w.Store.Subscriptions.Get(t.Context(), w.Env, ref.ID)
		require.NoError(t, err)
		require.Equal(t, subscription.Canceled, sub.Status)
		require.Equal(t, scene.Start.AddDate(0, 0, 20), sub.CanceledAt.UTC())
	}
	require.False(t, standing(t, w.Scene, c.ID).Canceling)
	w.RequireSound(t)
}
