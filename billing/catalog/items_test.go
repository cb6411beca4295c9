package catalog_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/catalog"
	"perennial/billing/discount"
	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/tax"
	"perennial/billing/usage"
)

// items are one object of each kind. Held ones have ids.
func items(held bool) catalog.Items {
	p := plan.Product{Name: "Mail", TaxCategory: "saas", Active: true}
	d := tax.Definition{Rate: tax.Rate{Name: "VAT", Percent: money.Whole(19)}, Country: "DE"}
	m := usage.Metric{Name: "calls", DisplayName: "Calls", Active: true,
		Definition: usage.Definition{Aggregation: usage.Sum, GroupBy: []string{"region"}}}
	c := discount.Coupon{Code: "Welcome", Name: "Welcome", Active: true, Terms: discount.Terms{
		Discount: discount.Discount{Percent: money.Whole(20)}, Duration: discount.Once, PlanIDs: []string{"plan_b", "plan_a"},
	}}
	if held {
		p.ID, d.ID, m.ID, c.ID = "prod_1", "txr_1", "met_1", "coup_1"
		c.PlanIDs = []string{"plan_a", "plan_b"}
	}
	return catalog.Items{
		Products: []catalog.Item[plan.Product]{{Key: "mail", ID: p.ID, Value: p}},
		TaxRates: []catalog.Item[tax.Definition]{{Key: "de", ID: d.ID, Value: d}},
		Metrics:  []catalog.Item[usage.Metric]{{Key: "calls", ID: m.ID, Value: m}},
		Coupons:  []catalog.Item[discount.Coupon]{{Key: "Welcome", ID: c.ID, Value: c}},
	}
}

// inFile returns the same without ids outside of the objects, as a file has them.
func inFile(change func(*catalog.Items)) catalog.Items {
	want := items(false)
	if change != nil {
		change(&want)
	}
	return want
}

func TestDiffItems_NamesWhatDiffers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*catalog.Items)
		want   [4][]string // by kind
	}{
		"nothing": {nil, [4][]string{}},
		"product": {func(i *catalog.Items) {
			p := &i.Products[0].Value
			p.Name, p.Description, p.TaxCategory, p.Active = "Post", "All", "", false
		}, [4][]string{{"name", "description", "taxCategory", "active"}}},
		"tax rate": {func(i *catalog.Items) {
			d := &i.TaxRates[0].Value
			d.Name, d.ArchivedAt = "USt", catalog.ArchivedAtApply
		}, [4][]string{nil, {"name", "archived"}}},
		"metric": {func(i *catalog.Items) {
			m := &i.Metrics[0].Value
			m.DisplayName, m.GroupBy = "All calls", nil
		}, [4][]string{nil, nil, {"displayName", "definition"}}},
		"coupon": {func(i *catalog.Items) {
			c := &i.Coupons[0].Value
			c.Name, c.Active, c.RedeemBy = "Hello", false, time.Unix(1800000000, 0)
		}, [4][]string{nil, nil, nil, {"name", "active", "redeemBy"}}},
	} {
		got, err := catalog.DiffItems(items(true), inFile(c.change), false)
		require.NoError(t, err, name)
		require.Equal(t, c.want, [4][]string{
			got.Products[0].Fields, got.TaxRates[0].Fields, got.Metrics[0].Fields, got.Coupons[0].Fields,
		}, name)
		require.Equal(t, []any{"prod_1", "txr_1", "met_1", "coup_1"}, []any{
			got.Products[0].To.ID, got.TaxRates[0].To.ID, got.Metrics[0].To.ID, got.Coupons[0].To.ID,
		}, "the objects stay the same")
	}
}

// A section that the file does not have is left alone; what a section has no longer is archived.
func TestDiffItems_Absent(t *testing.T) {
	t.Parallel()
	none, err := catalog.DiffItems(items(true), catalog.Items{}, false)
	require.NoError(t, err)
	require.Empty(t, none)

	empty := catalog.Items{TaxRates: []catalog.Item[tax.Definition]{}}
	_, err = catalog.DiffItems(items(true), empty, false)
	require.Equal(t, "catalog_archives_most", fault.From(err).Code)
	require.ErrorContains(t, err, "1 of the 1 active taxRates of this catalogue, because it does not describe them: de.")

	got, err := catalog.DiffItems(items(true), empty, true)
	require.NoError(t, err)
	require.Len(t, got.TaxRates, 1)
	require.Equal(t, []any{true, "-", []string{"archived"}, false}, []any{
		got.TaxRates[0].Absent, got.TaxRates[0].Symbol(), got.TaxRates[0].Fields, got.TaxRates[0].To.ArchivedAt.IsZero(),
	})
	held := items(true)
	held.TaxRates[0].Key = ""
	got, err = catalog.DiffItems(held, empty, false)
	require.NoError(t, err)
	require.Empty(t, got.TaxRates, "what no file describes is left alone")
}

func TestDiffItems_Refusals(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*catalog.Items){
		"taxRates catalog_item_fixed de.percent": func(i *catalog.Items) { i.TaxRates[0].Value.Percent = money.Whole(20) },
		"taxRates catalog_item_fixed de.country": func(i *catalog.Items) { i.TaxRates[0].Value.Country = "AT" },
		"coupons catalog_item_fixed Welcome.percent": func(i *catalog.Items) {
			i.Coupons[0].Value.Percent = money.Whole(25)
		},
		"coupons catalog_item_fixed Welcome.plans": func(i *catalog.Items) { i.Coupons[0].Value.PlanIDs = nil },
		"products catalog_item_not_found mail.id":  func(i *catalog.Items) { i.Products[0].ID = "prod_2" },
		"products catalog_item_repeated again.id": func(i *catalog.Items) {
			again := i.Products[0]
			again.Key, again.ID = "again", "prod_1"
			i.Products = append(i.Products, again)
		},
	} {
		_, err := catalog.DiffItems(items(true), inFile(change), false)
		var within *catalog.SectionError
		require.ErrorAs(t, err, &within, want)
		f := fault.From(err)
		require.Equal(t, want, within.Section+" "+f.Code+" "+f.Param)
	}
}

// An object without a key is adopted: by its id, or by its name, which no other object can have.
func TestDiffItems_Adopts(t *testing.T) {
	t.Parallel()
	held, want := items(true), inFile(nil)
	held.Products[0].Key, held.TaxRates[0].Key, held.Metrics[0].Key, held.Coupons[0].Key = "", "", "", ""
	want.TaxRates[0].ID = "txr_1"
	want.Coupons[0].Key, want.Coupons[0].Value.Code = "WELCOME", "WELCOME"

	got, err := catalog.DiffItems(held, want, false)

	require.NoError(t, err)
	require.Nil(t, got.Products[0].Was, "names of products repeat")
	require.Equal(t, "+", got.Products[0].Symbol())
	require.Equal(t, [3]bool{true, true, true},
		[3]bool{got.TaxRates[0].Adopts, got.Metrics[0].Adopts, got.Coupons[0].Adopts})
	require.True(t, got.TaxRates[0].Differs())
	require.Equal(t, "coup_1", got.Coupons[0].To.ID)
}
