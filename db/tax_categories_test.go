package db_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/plan"
	"perennial/billing/tax"
	"perennial/db"
	"perennial/internal/id"
	"perennial/internal/testkit/wait"
)

// versionCategories returns the categories of the versions of the plan, the newest first.
func (b *bundle) versionCategories(t *testing.T, planID string) (all []tax.Category) {
	t.Helper()
	versions, err := b.store.Catalog.PlanVersions(t.Context(), b.env, planID)
	require.NoError(t, err)
	for _, v := range versions {
		all = append(all, v.TaxCategory)
	}
	return all
}

// aVersion is the second version of the bundle's plan.
func (b *bundle) aVersion() plan.Plan {
	second := b.plan
	second.Version, second.VersionAt = b.plan.Version+1, wall.Add(time.Hour)
	second.Prices = []plan.Price{plan.Flat(id.New(id.Price, wall), "", 700)}
	return second
}

// All versions of a plan have the tax category of its product: from its creation or its move to the product, through
// every change, until it leaves. Other plans keep theirs.
func TestPlan_HasItsProductsTaxCategory(t *testing.T) {
	t.Parallel()
	b := setup(t)
	product, untaxed := aProduct(id.New(id.Product, wall)), aProduct(id.New(id.Product, wall))
	untaxed.TaxCategory = ""
	sold := b.plan
	sold.ID, sold.ProductID, sold.Key = id.New(id.Plan, wall), product.ID, ""
	sold.Prices = []plan.Price{plan.Flat(id.New(id.Price, wall), "", 700)}
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Catalog.InsertProduct(ctx, b.env, product))
		require.NoError(t, tx.Catalog.InsertProduct(ctx, b.env, untaxed))
		require.NoError(t, tx.Catalog.InsertPlan(ctx, b.env, sold))
	})
	require.Equal(t, []tax.Category{"books"}, b.versionCategories(t, sold.ID))
	require.Equal(t, []tax.Category{""}, b.versionCategories(t, b.plan.ID))
	inProduct := b.plan
	move := func(productID string) {
		b.write(t, func(ctx context.Context, tx *db.Tx) {
			was := inProduct
			inProduct.ProductID = productID
			require.NoError(t, tx.Catalog.SavePlan(ctx, b.env, was, inProduct))
		})
	}
	move(product.ID)
	b.write(t, func(ctx context.Context, tx *db.Tx) { // by a build without products
		require.NoError(t, tx.Catalog.InsertPlan(ctx, b.env, b.aVersion()))
	})
	require.Equal(t, []tax.Category{"books", "books"}, b.versionCategories(t, b.plan.ID))
	require.Equal(t, tax.Category("books"), load(t, b).Plan.TaxCategory, "as a decision reads it")

	product.TaxCategory = "food"
	save := func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Catalog.SaveProduct(ctx, b.env, product))
	}
	b.write(t, save)
	require.Equal(t, []tax.Category{"food", "food"}, b.versionCategories(t, b.plan.ID))
	require.Equal(t, []tax.Category{"food"}, b.versionCategories(t, sold.ID))
	move(untaxed.ID)
	require.Equal(t, []tax.Category{"", ""}, b.versionCategories(t, b.plan.ID))
	move(product.ID)
	product.TaxCategory = ""
	b.write(t, save)
	require.Equal(t, []tax.Category{"", ""}, b.versionCategories(t, b.plan.ID))
	product.TaxCategory = "food"
	b.write(t, save)
	move("")
	require.Equal(t, []tax.Category{"", ""}, b.versionCategories(t, b.plan.ID))
	require.Equal(t, []tax.Category{"food"}, b.versionCategories(t, sold.ID))

	_, err := b.pool.Exec(t.Context(), "update products set tax_category = 'Books'")
	require.ErrorContains(t, err, "products_tax_category")
	_, err = b.pool.Exec(t.Context(), "update tax_rates set tax_category = 'Books'")
	require.NoError(t, err, "there is none")
}

// A concurrent change of a plan and of its product's category gives the plan the new category, whichever waits for the
// other, and neither is refused.
func TestPlan_TaxCategoryUnderWay(t *testing.T) {
	t.Parallel()
	b := setup(t)
	waiting := func() bool {
		return b.count(t,
			"select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'") == 1
	}
	enter := func(ctx context.Context, tx *db.Tx, product plan.Product) error {
		was, err := tx.Catalog.LockPlan(ctx, b.env, b.plan.ID)
		if err != nil {
			return err
		}
		in := was
		in.ProductID = product.ID
		return tx.Catalog.SavePlan(ctx, b.env, was, in)
	}
	version := func(ctx context.Context, tx *db.Tx, _ plan.Product) error {
		if _, err := tx.Catalog.LockPlan(ctx, b.env, b.plan.ID); err != nil {
			return err
		}
		return tx.Catalog.InsertPlan(ctx, b.env, b.aVersion())
	}
	change := func(ctx context.Context, tx *db.Tx, product plan.Product) error {
		locked, err := tx.Catalog.LockProduct(ctx, b.env, product.ID)
		if err != nil {
			return err
		}
		locked.TaxCategory = "food"
		return tx.Catalog.SaveProduct(ctx, b.env, locked)
	}
	for name, c := range map[string]struct {
		in, first, second func(context.Context, *db.Tx, plan.Product) error
	}{
		"a version is made, then the product changes": {enter, version, change},
		"the product changes, then a version is made": {enter, change, version},
		"a plan enters, then the product changes":     {nil, enter, change},
		"the product changes, then a plan enters":     {nil, change, enter},
	} {
		b.environment = b.newEnvironment(t)
		product := aProduct(id.New(id.Product, wall))
		b.write(t, func(ctx context.Context, tx *db.Tx) {
			require.NoError(t, tx.Catalog.InsertProduct(ctx, b.env, product))
			if c.in != nil {
				require.NoError(t, c.in(ctx, tx, product))
			}
		})
		second := make(chan error, 1)
		err := b.try(t, func(ctx context.Context, tx *db.Tx) error {
			if err := c.first(ctx, tx, product); err != nil {
				return err
			}
			if _, err := tx.Catalog.Plan(ctx, b.env, b.plan.ID); err != nil { // reading sends the writes
				return err
			}
			go func() {
				second <- b.store.InTx(ctx, db.BySystem("test"), now, func(tx *db.Tx) error { return c.second(ctx, tx, product) })
			}()
			require.Eventually(t, waiting, wait.Patience, time.Millisecond, name)
			return nil
		})
		require.NoError(t, err, name)
		require.NoError(t, <-second, name)
		for _, category := range b.versionCategories(t, b.plan.ID) {
			require.Equal(t, tax.Category("food"), category, name)
		}
	}
}
