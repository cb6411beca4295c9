package db_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/catalog"
	"perennial/billing/metadata"
	"perennial/billing/plan"
	"perennial/db"
	"perennial/internal/id"
)

func aProduct(id string) plan.Product {
	return plan.Product{
		ID: id, Name: "Mail", Description: "For teams.", TaxCategory: "books", Active: true, Metadata: metadata.Pairs{"tier": "2"}, CreatedAt: wall,
	}
}

func TestProductRoundTrip(t *testing.T) {
	t.Parallel()
	b := setup(t)
	want, other := aProduct(id.New(id.Product, wall)), aProduct(id.New(id.Product, wall))
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Catalog.InsertProduct(ctx, b.env, want))
		require.NoError(t, tx.Catalog.InsertProduct(ctx, b.env, other))
		locked, err := tx.Catalog.LockProduct(ctx, b.env, want.ID)
		require.NoError(t, err)
		require.Equal(t, want, locked)
		want.Name, want.Description, want.TaxCategory, want.Active = "Post", "", "", false
		require.NoError(t, tx.Catalog.SaveProduct(ctx, b.env, want))
	})
	archived := false
	listed, more, err := b.store.Catalog.Products(t.Context(), b.env, db.ProductFilter{Active: &archived}, db.Page{})
	require.NoError(t, err)
	require.False(t, more)
	require.Equal(t, []plan.Product{want}, listed)
}

// A version that a build from before makes knows neither key nor product: it has the plan's.
func TestPlan_KeyAndProductAreThePlans(t *testing.T) {
	t.Parallel()
	b := setup(t)
	product := aProduct(id.New(id.Product, wall))
	p := b.plan
	p.Key, p.ProductID = "solo", product.ID
	second := b.plan
	second.Version, second.VersionAt = p.Version+1, wall.Add(time.Hour)
	second.Prices = []plan.Price{plan.Flat(id.New(id.Price, wall), "", 700)}
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Catalog.InsertProduct(ctx, b.env, product))
		require.NoError(t, tx.Catalog.SavePlan(ctx, b.env, b.plan, p))
		require.NoError(t, tx.Catalog.InsertPlan(ctx, b.env, second))
	})

	held, err := b.store.Catalog.CatalogPlans(t.Context(), b.env, nil)

	require.NoError(t, err)
	require.Len(t, held, 1)
	require.Equal(t, []any{p.Key, product.ID, second.Version}, []any{held[0].Key, held[0].ProductID, held[0].Version})
	of, _, err := b.store.Catalog.Plans(t.Context(), b.env, db.PlanFilter{ProductID: product.ID}, db.Page{})
	require.NoError(t, err)
	require.Equal(t, held, of)
	running, err := b.store.Catalog.RunningOn(t.Context(), b.env, []string{p.ID})
	require.NoError(t, err)
	require.Equal(
		t, []catalog.Running{{Version: 1, Currency: "EUR", Quantity: b.subscription.Quantity, Count: 1}}, running[p.ID],
	)
}
