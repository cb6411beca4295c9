package activities_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/subscribing"
	"perennial/billing/subscription"
	"perennial/billing/testclock"
	"perennial/contract"
	"perennial/db"
	"perennial/service"
	"perennial/service/subscriptions"
	"perennial/service/usecase"
	"perennial/test/life"
	"perennial/test/scene"
)

// An advance is stopped in the middle, is continued, and ends with its clock, whose customers are deleted.
func TestTestClock_StoppedGoesOnAndIsDeleted(t *testing.T) {
	t.Parallel()
	w := life.NewClockwork(t)
	sub := w.Add(0)
	target := scene.Start.AddDate(1, 0, 0)
	require.NoError(t, w.Begin(target))
	for w.TestClock().NowAt.Before(scene.Start.AddDate(0, 2, 0)) {
		_, err := w.Clocks.StepClock(t.Context(), w.Ref)
		require.NoError(t, err)
	}
	require.NoError(t, w.AsAPI(func(s *service.Service, by usecase.Caller) error {
		return s.Clocks.StopTestClock(t.Context(), by, w.Ref.ID, usecase.Around[testclock.Clock]{})
	}))
	step, _ := w.Steps()
	require.True(t, step.Done)
	stopped := w.TestClock()
	require.Equal(t, testclock.Ready, stopped.Status)
	require.Equal(t, scene.Start.AddDate(0, 2, 0), stopped.NowAt)

	require.NoError(t, w.Begin(target))
	for w.TestClock().NowAt.Before(scene.Start.AddDate(0, 4, 0)) {
		_, err := w.Clocks.StepClock(t.Context(), w.Ref)
		require.NoError(t, err)
	}
	calls := len(w.Provider.Calls())
	remove := func(s *service.Service, by usecase.Caller) error {
		return s.Clocks.DeleteTestClock(t.Context(), by, w.Ref.ID, usecase.Around[testclock.Clock]{})
	}
	require.NoError(t, w.AsAPI(remove))
	require.ErrorIs(t, w.AsAPI(remove), db.ErrTestClockNotFound)
	step, n := w.Steps()
	require.True(t, step.Done)
	require.Equal(t, 1, n, "nothing moves any more")
	require.Equal(t, scene.Start.AddDate(0, 4, 0), w.TestClock().NowAt)
	require.ErrorIs(t, w.Begin(target), db.ErrTestClockNotFound)
	row, err := w.Store.Subscriptions.Get(t.Context(), w.Env, sub.ID)
	require.NoError(t, err)
	payer, err := w.Store.Customers.Get(t.Context(), w.Env, row.CustomerID)
	require.NoError(t, err)
	require.ErrorIs(t, w.AsAPI(func(s *service.Service, by usecase.Caller) error {
		_, err := s.Subscriptions.CreateSubscription(t.Context(), by, subscriptions.NewSubscription{CustomerID: payer.ID, PlanID: row.PlanID},
			nil)
		return err
	}), db.ErrCustomerNotFound, "also before the erasure")

	for { // the workflows of the erasures: the clock's, then its customer's
		refs, err := w.Store.Customers.UnstartedErasures(t.Context(), 1000, 10)
		require.NoError(t, err)
		if len(refs) == 0 {
			break
		}
		w.Asleep = true // the signal of the cancellation is no step's
		w.Started.Signal = nil
		life.EraseAll(t, w.Scene, contract.Ref{EnvironmentID: w.Env, ID: refs[0].ID}, 0)
	}
	row, err = w.Store.Subscriptions.Get(t.Context(), w.Env, sub.ID)
	require.NoError(t, err)
	require.Equal(t, subscription.Canceled, row.Status)
	require.Equal(t, subscribing.ReasonCustomerDeleted, row.CancelReason)
	require.Equal(t, scene.Start.AddDate(0, 4, 0), row.CanceledAt, "in the clock's time")
	require.Len(t, w.Provider.Calls(), calls)
	require.Equal(t, 1, life.Count(t, w.Scene, "select count(*) from events where type = 'test_clock.deleted'"))
	w.RequireSound(t)
}

// However many subscriptions are due at one instant, a step handles a hundred and time waits for the others.
func TestStepClock_ManyDueAtOneInstant(t *testing.T) {
	t.Parallel()
	const many = 250
	w := life.NewClockwork(t)
	w.Asleep = true
	c, p := w.Customer(t, w.Ref.ID), w.Plan(t, scene.Monthly(0))
	for range many {
		w.SubscribeAt(t, c, p, scene.Start)
	}
	renewed := func() int {
		return life.Count(t, w.Scene, "select count(*) from subscriptions where next_period >= 2")
	}
	month := scene.Start.AddDate(0, 1, 0)
	require.NoError(t, w.Begin(month))
	before, steps := renewed(), 0
	for done := false; !done; steps++ {
		step, err := w.Clocks.StepClock(t.Context(), w.Ref)
		require.NoError(t, err)
		require.LessOrEqual(t, renewed()-before, 100)
		before, done = renewed(), step.Done
	}
	require.Equal(t, many, before)
	require.Equal(t, month, w.TestClock().NowAt)
	require.LessOrEqual(t, steps, 8, "three for the beginning, three for the renewal, and one that finds nothing left")
}
