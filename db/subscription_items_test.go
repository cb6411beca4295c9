package db_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/rating"
	"perennial/billing/subscription"
	"perennial/db"
	"perennial/internal/id"
)

func TestItemsRoundTrip(t *testing.T) {
	t.Parallel()
	b := setup(t)
	kept, gone := b.subscription.Items[0], b.subscription.Items[1]
	dearer := kept
	dearer.Quantity, dearer.Joined = 7, 3
	save := func(items, changed []subscription.Item, ended ...string) {
		b.write(t, func(ctx context.Context, tx *db.Tx) {
			s := b.subscription
			s.Items = items
			require.NoError(t, tx.Subscriptions.SaveItems(ctx, b.env, s, changed, ended))
		})
	}
	requireItems := func(want ...subscription.Item) {
		t.Helper()
		require.Equal(t, want, load(t, b).Subscription.Items)
		got, err := b.store.Subscriptions.Get(t.Context(), b.env, b.subscription.ID)
		require.NoError(t, err)
		require.Equal(t, want, got.Items)
		_, got, err = b.store.Subscriptions.GetWithKey(t.Context(), b.hash, b.subscription.ID)
		require.NoError(t, err)
		require.Equal(t, want, got.Items)
		list, _, err := b.store.Subscriptions.List(t.Context(), b.env, db.SubscriptionFilter{}, db.Page{})
		require.NoError(t, err)
		require.Equal(t, want, list[0].Items)
	}
	requireItems(kept, gone)
	save([]subscription.Item{dearer}, []subscription.Item{dearer}, gone.ID)
	requireItems(dearer)
	save([]subscription.Item{gone, dearer}, []subscription.Item{gone, dearer})
	requireItems(gone, dearer)
}

// An add-on with a shorter interval makes the current period shorter, which stays the same period.
func TestSave_ShorterPeriodKeepsItsIndex(t *testing.T) {
	t.Parallel()
	b := setup(t)
	want := b.subscription
	want.Realign(period.Interval{Unit: period.Day, Count: 1}, want.Interval, want.CurrentPeriod.Start)
	b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Subscriptions.Save(ctx, b.env, want)) })

	got := load(t, b).Subscription

	require.Equal(t, want.PeriodIndex, got.PeriodIndex)
	require.Equal(t, want.CurrentPeriod, got.CurrentPeriod)
	require.NotEqual(t, b.subscription.CurrentPeriod, got.CurrentPeriod)
}

func TestPriceRoundTrip_KeepsTheModel(t *testing.T) {
	t.Parallel()
	b := setup(t)
	unit, err := money.ParseDecimal("0.0035")
	require.NoError(t, err)
	want := newPlan()
	want.Prices = append(want.Prices,
		plan.Price{
			ID: id.New(id.Price, wall), Price: rating.Price{Model: rating.PerUnit, UnitPrice: unit, Included: money.Whole(3)},
		},
		plan.Price{ID: id.New(id.Price, wall), Price: rating.Price{Model: rating.Volume, Minimum: 5, Tiers: []rating.Tier{
			{UpTo: money.Whole(12), UnitPrice: unit}, {FlatAmount: 900},
		}}})
	b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Catalog.InsertPlan(ctx, b.env, want)) })
	got, err := b.store.Catalog.Plan(t.Context(), b.env, want.ID)
	require.NoError(t, err)
	require.Equal(t, want, got)
}
