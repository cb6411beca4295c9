package rating_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/metered"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/subscription"
	"perennial/billing/tax"
	"perennial/db"
	"perennial/internal/id"
	"perennial/service/subscriptions"
	"perennial/test/life"
	"perennial/test/scene"
)

// taxes returns the tax category and the percentages of each line.
func taxes(inv invoice.Invoice) map[string]string {
	out := map[string]string{}
	for _, l := range inv.Lines {
		category := l.Description + ": " + string(l.TaxCategory)
		for _, r := range l.Rates {
			category += " " + r.Percent.String() + " %"
		}
		out[fmt.Sprintf("%s %s", l.Kind, l.PriceID)] = category
	}
	return out
}

// booksAtFive is a product of the category books, which is taxed at 5 %, and all else at 20 %.
func booksAtFive(t *testing.T, s *scene.Scene) plan.Product {
	t.Helper()
	product := plan.Product{ID: id.New(id.Product, scene.Start), Name: "Books", TaxCategory: "books", CreatedAt: scene.Start}
	s.InTx(t, func(tx *db.Tx) error { return tx.Catalog.InsertProduct(t.Context(), s.Env, product) })
	for percent, category := range map[int64]tax.Category{20: "", 5: "books"} {
		d := tax.Definition{
			Rate:     tax.Rate{ID: id.New(id.TaxRate, scene.Start), Name: "VAT", Percent: money.Whole(percent)},
			Category: category, CreatedAt: scene.Start,
		}
		s.InTx(t, func(tx *db.Tx) error { return tx.Catalog.InsertTaxRate(t.Context(), s.Env, d) })
	}
	return product
}

// Usage and the rest of a commitment have the tax category of the plan or the add-on with its prices, as in the
// preview. A new category of the product applies to later invoices, also for earlier usage.
func TestUsage_IsTaxedByCategory(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	of := calls(t, s)
	product := booksAtFive(t, s)
	p, extra := metering(of), scene.Monthly(0)
	p.ProductID = product.ID
	p.Metered.Commitment = &metered.Commitment{ID: p.Prices[0].ID + "c", Amount: 2000}
	extra.ID, extra.Name, extra.AddOn = id.New(id.Plan, scene.Start), "Extra", true
	extra.Prices = []plan.Price{{ID: id.New(id.Price, scene.Start), Name: "Desks", Arrears: true, Price: perUnit("3")}}
	s.Plan(t, extra)
	l := life.Begin(t, s, p)
	require.Equal(t, map[string]string{"recurring " + p.Prices[0].ID: "Plan – Base: books 5 %"}, taxes(l.Invoices()[0]))
	l.Until(scene.Start.Add(time.Hour))
	change(l, lifecycle.ChangePlan{AddOns: &[]subscription.Chosen{{AddOn: extra, Quantity: 1}}})
	used(l, "eu", 100, l.Clock.Now())

	shown := preview(l, subscriptions.Preview{Invoices: 1})
	l.Until(scene.Start.AddDate(0, 1, 1))

	bills := func(category string) map[string]string {
		return map[string]string{
			"recurring " + p.Prices[0].ID:         "Plan – Base: " + category,
			"usage " + p.Metered.Components[0].ID: "Plan – calls: " + category,
			"usage " + p.Metered.Commitment.ID:    "Plan – Commitment: " + category,
			"usage " + extra.Prices[0].ID:         "Extra – Desks:  20 %",
		}
	}
	all := l.Invoices()
	require.Equal(t, bills("books 5 %"), taxes(all[len(all)-1]))
	require.Equal(t, taxes(all[len(all)-1]), taxes(shown.Upcoming[0]))
	require.Equal(t, all[len(all)-1].Total, shown.Upcoming[0].Total)

	used(l, "eu", 100, l.Clock.Now())
	product.TaxCategory = "food" // it has no rate
	s.InTx(t, func(tx *db.Tx) error { return tx.Catalog.SaveProduct(t.Context(), s.Env, product) })
	l.Until(scene.Start.AddDate(0, 2, 1))
	all = l.Invoices()
	require.Equal(t, bills("food 20 %"), taxes(all[len(all)-1]))
	l.RequireBalanced(t)
	l.Sound()
}

// A correction refunds the billed taxes, even if the category of the product has changed.
func TestUsage_IsCorrectedWithTheTaxesThatWereBilled(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	product := booksAtFive(t, s)
	p := metering(calls(t, s))
	p.ProductID = product.ID
	l := life.Begin(t, s, p)
	l.Until(scene.Start.Add(life.Day))
	at := l.Clock.Now().Add(-time.Hour)
	used(l, "eu", 100, at)
	l.Until(scene.Start.AddDate(0, 1, 1))
	product.TaxCategory = ""
	s.InTx(t, func(tx *db.Tx) error { return tx.Catalog.SaveProduct(t.Context(), s.Env, product) })
	takenBack(l, fmt.Sprint("eu", 100, at.UnixNano()), 100)

	shown := preview(l, subscriptions.Preview{Invoices: 1})
	l.Until(scene.Start.AddDate(0, 2, 1))

	all := l.Invoices()
	require.Equal(t, map[string]string{
		"recurring " + p.Prices[0].ID:         "Plan – Base:  20 %",
		"usage " + p.Metered.Components[0].ID: "Correction of Plan – calls: books 5 %",
	}, taxes(all[2]))
	require.Equal(t, money.Minor(200-25), all[2].Tax)
	require.Equal(t, all[2].Total, shown.Upcoming[0].Total)
	l.Sound()
}
