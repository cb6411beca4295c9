package db_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/billing/metered"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/rating"
	"perennial/db"
	"perennial/internal/id"
)

// nextVersion writes and returns a version of the environment's plan with one other price.
func (b *bundle) nextVersion(t *testing.T, of plan.Plan, at time.Time) plan.Plan {
	t.Helper()
	next, err := of.Next(plan.Terms{
		Prices:    []plan.Price{plan.Flat(id.New(id.Price, wall), "base", of.Prices[0].Amount+1)},
		TrialDays: 7, TrialEnd: plan.TrialEndPause, Metered: meteredPrices(),
	}, at)
	require.NoError(t, err)
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		_, err := tx.Catalog.LockPlan(ctx, b.env, of.ID)
		require.NoError(t, err)
		require.NoError(t, tx.Catalog.InsertPlan(ctx, b.env, next))
	})
	return next
}

// meteredPrices have each field.
func meteredPrices() *metered.Prices {
	return &metered.Prices{
		Components: []metered.Component{{
			ID: id.New(id.Price, wall), Name: "Calls", MetricName: "calls", MetricVersionID: "met_1.2", Cumulated: true,
			Rates: []metered.Rate{{
				Where: map[string]string{"region": "eu"}, By: []string{"tier"},
				Price: rating.Price{Model: rating.Graduated, Tiers: []rating.Tier{
					{UpTo: money.Whole(7), UnitPrice: money.Whole(1)}, {UnitPrice: money.Whole(2)},
				}},
			}},
		}},
		Commitment: &metered.Commitment{ID: id.New(id.Price, wall), Amount: 5000, OverageFactor: money.Whole(2)},
	}
}

func TestPlanVersions_RoundTrip(t *testing.T) {
	t.Parallel()
	b := setup(t)
	second := b.nextVersion(t, b.plan, wall.Add(time.Hour))
	third := b.nextVersion(t, second, wall.Add(2*time.Hour))

	newest, err := b.store.Catalog.Plan(t.Context(), b.env, b.plan.ID)
	require.NoError(t, err)
	require.Equal(t, third, newest)
	_, newest, err = b.store.Catalog.PlanWithKey(t.Context(), b.hash, b.plan.ID)
	require.NoError(t, err)
	require.Equal(t, third, newest)
	all, err := b.store.Catalog.PlanVersions(t.Context(), b.env, b.plan.ID)
	require.NoError(t, err)
	require.Equal(t, []plan.Plan{third, second, b.plan}, all)
	for _, want := range all {
		got, err := b.store.Catalog.PlanVersion(t.Context(), b.env, want.Ref())
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	listed, _, err := b.store.Catalog.Plans(t.Context(), b.env, db.PlanFilter{}, db.Page{})
	require.NoError(t, err)
	require.Equal(t, []plan.Plan{third}, listed)
	require.Equal(t, b.plan, load(t, b).Plan, "a subscription keeps its version")

	b.write(t, func(ctx context.Context, tx *db.Tx) {
		s := locked(ctx, t, b, tx)
		s.PlanVersion, s.PendingPlanID, s.PendingPlanVersion = 2, b.plan.ID, 3
		require.NoError(t, tx.Subscriptions.Save(ctx, b.env, s))
	})
	moved := load(t, b)
	require.Equal(t, second, moved.Plan)
	require.Equal(t, third, *moved.PendingPlan)
	found, _, err := b.store.Subscriptions.List(t.Context(), b.env, db.SubscriptionFilter{PlanID: b.plan.ID}, db.Page{})
	require.NoError(t, err)
	require.Len(t, found, 1)

	for _, ref := range []plan.Ref{{ID: b.plan.ID, Version: 4}, {ID: "plan_absent", Version: 1}} {
		_, err = b.store.Catalog.PlanVersion(t.Context(), b.env, ref)
		requireFault(t, err, fault.NotFound, "plan_not_found")
	}
	_, err = b.store.Catalog.PlanVersions(t.Context(), b.env, "plan_absent")
	requireFault(t, err, fault.NotFound, "plan_not_found")
}

// Versions of several plans come in one round trip, whatever their number.
func TestVersionsOf(t *testing.T) {
	t.Parallel()
	b := setup(t)
	second, other := b.nextVersion(t, b.plan, wall.Add(time.Hour)), newPlan()
	b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Catalog.InsertPlan(ctx, b.env, other)) })
	c := newCounter(t, b)
	read := func(refs ...plan.Ref) ([]plan.Plan, error) {
		return c.store.Catalog.VersionsOf(t.Context(), b.env, refs)
	}
	found, err := read(b.plan.Ref(), other.Ref())
	require.NoError(t, err)
	require.ElementsMatch(t, []plan.Plan{b.plan, other}, found)
	c.trips()
	found, err = read(second.Ref(), other.Ref())
	require.NoError(t, err)
	require.ElementsMatch(t, []plan.Plan{second, other}, found)
	require.Equal(t, 1, c.trips())
	_, err = read(other.Ref(), plan.Ref{ID: b.plan.ID, Version: 3})
	require.ErrorIs(t, err, db.ErrPlanNotFound)
}
