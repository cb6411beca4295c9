package db_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/plan"
	"perennial/billing/subscription"
	"perennial/billing/terms"
	"perennial/db"
	"perennial/internal/id"
)

// The rows list the billed prices, and leave their interpretation to the rules. Subscriptions with the same billing
// share one answer.
func TestBillings(t *testing.T) {
	t.Parallel()
	b := setup(t)
	addOn, later := newPlan(), newPlan()
	addOn.AddOn, addOn.TrialDays, addOn.TrialEnd = true, 0, ""
	later.Prices[0].Amount, later.Prices[1].Once = 0, true
	bills := func() []subscription.Billing {
		t.Helper()
		found, err := b.store.Subscriptions.Billings(t.Context(), b.env, b.customer.ID, db.MethodUse{ByDefault: true})
		require.NoError(t, err)
		return found
	}
	add := func(change func(*subscription.Subscription)) {
		t.Helper()
		s := newSubscription(b.environment)
		s.ID = id.New(id.Subscription, wall)
		change(&s)
		b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Subscriptions.Insert(ctx, b.env, s)) })
	}
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		for _, p := range []plan.Plan{addOn, later} {
			require.NoError(t, tx.Catalog.InsertPlan(ctx, b.env, p))
		}
	})
	require.Equal(t, []subscription.Billing{{Currency: "EUR", Plans: []plan.Plan{b.plan}}}, bills())

	add(func(*subscription.Subscription) {}) // like the first
	require.Equal(t, []subscription.Billing{{Currency: "EUR", Plans: []plan.Plan{b.plan}}}, bills())

	add(func(s *subscription.Subscription) {
		s.AddOns = subscription.AddOns{{Ref: addOn.Ref(), Quantity: 2}}
		s.PendingPlanID, s.PendingPlanVersion = later.ID, 1
		s.Terms = terms.Terms{Method: terms.Send, NetDays: 14}
	})
	add(func(s *subscription.Subscription) {
		s.PendingAddOns = &subscription.AddOns{{Ref: addOn.Ref(), Quantity: 2}}
		s.CancelAtPeriodEnd = true
	})
	add(func(s *subscription.Subscription) {
		s.Status, s.PlanID, s.CanceledAt = subscription.Canceled, later.ID, now
		s.FinishedAt, s.NextAction, s.NextActionAt = now, subscription.ActionNone, time.Time{}
	})
	found := bills()
	require.Len(t, found, 3)
	sent, charged, ending := found[0], found[1], found[2]
	require.Equal(t, subscription.Billing{Currency: "EUR", Terms: terms.Terms{Method: terms.Send}, Plans: sent.Plans}, sent)
	require.ElementsMatch(t, []plan.Plan{b.plan, addOn, later}, sent.Plans)
	require.Equal(t, subscription.Billing{Currency: "EUR", Plans: []plan.Plan{b.plan}}, charged)
	require.Equal(t, subscription.Billing{Currency: "EUR", Ends: true, Plans: ending.Plans}, ending)
	require.ElementsMatch(t, []plan.Plan{b.plan, addOn}, ending.Plans)
}
