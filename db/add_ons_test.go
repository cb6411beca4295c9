package db_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/catalog"
	"perennial/billing/plan"
	"perennial/billing/subscription"
	"perennial/db"
	"perennial/internal/id"
)

// A subscription is read with the versions of its add-ons, can be found and counted by them, and its add-ons are
// distinguished from plans.
func TestAddOns_AreReadWithTheirSubscription(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := newPlan()
	first.AddOn, first.TrialDays, first.TrialEnd, first.Dunning, first.ProrationMeasure = true, 0, "", nil, ""
	b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Catalog.InsertPlan(ctx, b.env, first)) })
	second, err := first.Next(
		plan.Terms{Prices: []plan.Price{plan.Flat(id.New(id.Price, wall), "base", 1)}}, wall.Add(time.Hour),
	)
	require.NoError(t, err)
	second.AddOn = false // as a build from before writes it
	b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Catalog.InsertPlan(ctx, b.env, second)) })
	second.AddOn = true
	has := func(addOns subscription.AddOns, pending *subscription.AddOns) {
		t.Helper()
		b.write(t, func(ctx context.Context, tx *db.Tx) {
			s := locked(ctx, t, b, tx)
			s.AddOns, s.PendingAddOns = addOns, pending
			require.NoError(t, tx.Subscriptions.Save(ctx, b.env, s))
		})
	}
	running := func() []catalog.Running {
		t.Helper()
		found, err := b.store.Catalog.RunningOn(t.Context(), b.env, []string{first.ID})
		require.NoError(t, err)
		return found[first.ID]
	}
	count := func(f db.SubscriptionFilter) int {
		t.Helper()
		found, _, err := b.store.Subscriptions.List(t.Context(), b.env, f, db.Page{})
		require.NoError(t, err)
		return len(found)
	}
	has(subscription.AddOns{{Ref: first.Ref(), Quantity: 3}}, &subscription.AddOns{{Ref: second.Ref(), Quantity: 4}})

	s := load(t, b)
	require.Equal(t, []plan.Plan{first, second}, s.AddOns)
	require.Equal(t, b.plan, s.Plan)
	require.Equal(t, []catalog.Running{{Version: 1, Currency: "EUR", Quantity: 4, Pending: second.Ref(), Count: 1}}, running())
	for filter, want := range map[db.SubscriptionFilter]int{
		{AddOnID: first.ID}: 1, {AddOnID: first.ID, AddOnVersion: 1, PlanID: b.plan.ID}: 1,
		{AddOnID: first.ID, AddOnVersion: 2}: 0, {AddOnID: b.plan.ID}: 0,
	} {
		require.Equal(t, want, count(filter), "%+v", filter)
	}
	has(subscription.AddOns{{Ref: first.Ref(), Quantity: 3}}, &subscription.AddOns{})
	require.Equal(t, []catalog.Running{{Version: 1, Currency: "EUR", Quantity: 3, Pending: plan.Ref{ID: "none", Version: 1}, Count: 1}}, running())
	require.NotNil(t, load(t, b).Subscription.PendingAddOns, "all go")
	has(nil, nil)
	require.Empty(t, running())

	for _, addOns := range []bool{true, false} {
		listed, _, err := b.store.Catalog.Plans(t.Context(), b.env, db.PlanFilter{AddOn: &addOns}, db.Page{})
		require.NoError(t, err)
		for _, p := range listed {
			require.Equal(t, addOns, p.AddOn)
		}
		require.NotEmpty(t, listed)
	}
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		s := locked(ctx, t, b, tx)
		s.AddOns = subscription.AddOns{{Ref: plan.Ref{ID: "plan_gone", Version: 1}, Quantity: 1}}
		require.NoError(t, tx.Subscriptions.Save(ctx, b.env, s))
	})
	_, err = b.store.SubscriptionState(t.Context(), b.env, b.subscription.ID)
	require.ErrorContains(t, err, "plan_missing", "it is never left unbilled")
}
