package db_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/catalog"
	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/rating"
	"perennial/db"
	"perennial/internal/id"
)

// Prices keep their amounts in every currency, and a subscription has its plan as it is sold in its own.
func TestPrices_InSeveralCurrencies(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := newPlan()
	p.Prices[0].Currencies = plan.Currencies{"XAF": {Amount: 6500}, "USD": {Amount: 1100}}
	p.Prices[1].Price = rating.Price{Model: rating.Volume, Tiers: []rating.Tier{
		{UpTo: money.Whole(3), UnitPrice: money.Whole(5)}, {UnitPrice: money.Whole(4)},
	}}
	p.Prices[1].Currencies = plan.Currencies{
		"XAF": {Tiers: []rating.TierAmounts{{UnitPrice: money.Whole(3001)}, {UnitPrice: money.Whole(2501)}}},
		"USD": {Tiers: []rating.TierAmounts{{UnitPrice: money.Whole(6)}, {UnitPrice: money.Whole(5)}}},
	}
	require.NoError(t, p.Validate())
	sub := newSubscription(b.environment)
	sub.ID, sub.PlanID, sub.Currency, sub.TestClockID = id.New(id.Subscription, wall), p.ID, "XAF", ""
	sub.Items = b.items(p, 1)
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Catalog.InsertPlan(ctx, b.env, p))
		require.NoError(t, tx.Subscriptions.Insert(ctx, b.env, sub))
	})

	stored, err := b.store.Catalog.Plan(t.Context(), b.env, p.ID)
	require.NoError(t, err)
	require.Equal(t, p, stored)

	b.subscription = sub
	sold, err := p.In("XAF")
	require.NoError(t, err)
	require.Equal(t, sold, load(t, b).Plan)
	seen, err := b.store.SubscriptionState(t.Context(), b.env, sub.ID)
	require.NoError(t, err)
	require.Equal(t, sold, seen.Plan)

	running, err := b.store.Catalog.RunningOn(t.Context(), b.env, []string{p.ID})
	require.NoError(t, err)
	require.Equal(t, []catalog.Running{{Version: 1, Currency: "XAF", Quantity: 1, Count: 1}}, running[p.ID])
	late, err := b.store.Payments.OverdueActions(t.Context(), sub.NextActionAt.Add(time.Second))
	require.NoError(t, err)
	require.Len(t, late, 1)
	require.Equal(t, [2]any{money.Currency("XAF"), money.Minor(6500)}, [2]any{late[0].Currency, late[0].Amount})

	_, err = b.pool.Exec(t.Context(), "update prices set currencies = currencies - 'XAF' where plan_id = $1", p.ID)
	require.NoError(t, err)
	_, err = b.store.SubscriptionState(t.Context(), b.env, sub.ID)
	requireFault(t, err, fault.Internal, "plan_currency_missing") // rather than francs at the price of euros
}
