package catalog

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/catalog"
	"perennial/billing/discount"
	"perennial/billing/fault"
	"perennial/billing/metered"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/rating"
	"perennial/billing/tax"
	"perennial/billing/usage"
	"perennial/db"
	"perennial/internal/id"
	"perennial/test/scene"
)

// wholeFile has one object of each kind; the plan names its product and metric, and the coupon the plan.
func wholeFile() WantedCatalog {
	team, product := monthly("team", "Team", 4900), "mail"
	team.Product = &product
	team.Metered = &metered.Prices{Components: []metered.Component{{MetricName: "calls", Rates: []metered.Rate{
		{Price: rating.Price{Model: rating.PerUnit, UnitPrice: money.Whole(2)}},
	}}}}
	return WantedCatalog{Plans: []catalog.Plan{team}, Items: catalog.Items{
		Products: []catalog.Item[plan.Product]{{Key: "mail", Value: plan.Product{
			Name: "Mail", TaxCategory: "saas", Active: true}}},
		TaxRates: []catalog.Item[tax.Definition]{{Key: "de", Value: tax.Definition{
			Rate: tax.Rate{Name: "USt", Percent: money.Whole(19)}, Country: "DE", Category: "saas"}}},
		Metrics: []catalog.Item[usage.Metric]{{Key: "calls", Value: usage.Metric{
			Version: 1, Name: "calls", DisplayName: "Calls", Active: true, Definition: usage.Definition{Aggregation: usage.Sum}}}},
		Coupons: []catalog.Item[discount.Coupon]{{Key: "HELLO", Value: discount.Coupon{
			Code: "HELLO", Name: "Hello", Active: true, Terms: discount.Terms{
				Discount: discount.Discount{Percent: money.Whole(20)}, Duration: discount.Once, PlanIDs: []string{"team"}},
		}}},
	}}
}

func TestApplyCatalog_ItemsOnce(t *testing.T) {
	t.Parallel()
	s := newHouse(t)
	before := s.Rows(t)
	shown, err := s.DiffCatalog(t.Context(), s.caller, wholeFile())
	require.NoError(t, err)
	require.Equal(t, before, s.Rows(t), "a diff writes nothing")
	require.Nil(t, shown.Products[0].Was)

	done, err := s.ApplyCatalog(t.Context(), s.caller, wholeFile())

	require.NoError(t, err)
	p, err := s.Store.Catalog.Plan(t.Context(), s.Env, done.Plans[0].To.ID)
	require.NoError(t, err)
	require.Equal(t, done.Products[0].To.ID, p.ProductID)
	require.EqualValues(t, "saas", p.TaxCategory)
	require.Equal(t, done.Metrics[0].To.ID, p.Metered.Components[0].MetricVersionID)
	c, err := s.Store.Catalog.CouponByCode(t.Context(), s.Env, "hello")
	require.NoError(t, err)
	require.Equal(t, []string{p.ID}, c.PlanIDs)
	for _, kind := range []string{"product", "tax_rate", "metric", "coupon", "plan"} {
		require.Equal(t, 1, s.count(t, `select count(*) from events where type = $1`, kind+".created"), kind)
	}
	require.Equal(t, 4, s.count(t, `select count(*) from catalog_entries`))

	before = s.Rows(t)
	again, err := s.ApplyCatalog(t.Context(), s.caller, wholeFile())
	require.NoError(t, err)
	require.Empty(t, again.Plans)
	for _, differs := range []bool{again.Products[0].Differs(), again.TaxRates[0].Differs(), again.Metrics[0].Differs(),
		again.Coupons[0].Differs()} {
		require.False(t, differs)
	}
	require.Equal(t, before, s.Rows(t))
}

func TestApplyCatalog_ChangesItems(t *testing.T) {
	t.Parallel()
	s := newHouse(t)
	done, err := s.ApplyCatalog(t.Context(), s.caller, wholeFile())
	require.NoError(t, err)
	want := wholeFile()
	want.Products[0].Value.TaxCategory = "books"
	want.TaxRates[0].Value.ArchivedAt = catalog.ArchivedAtApply
	want.Metrics[0].Value.GroupBy = []string{"region"}
	want.Coupons[0].Value.Active = false

	shown, err := s.DiffCatalog(t.Context(), s.caller, want)
	require.NoError(t, err)
	require.Equal(t, []string{"definition"}, shown.Metrics[0].Fields)
	_, err = s.ApplyCatalog(t.Context(), s.caller, want)

	require.NoError(t, err)
	p, err := s.Store.Catalog.Plan(t.Context(), s.Env, done.Plans[0].To.ID)
	require.NoError(t, err)
	require.EqualValues(t, "books", p.TaxCategory)
	m, err := s.Store.Usage.ServedMetric(t.Context(), s.Env, "calls")
	require.NoError(t, err)
	require.Equal(t, 2, m.Version)
	c, err := s.Store.Catalog.CouponByCode(t.Context(), s.Env, "HELLO")
	require.NoError(t, err)
	require.False(t, c.Active)
	archived := true
	rates, _, err := s.Store.Catalog.TaxRates(t.Context(), s.Env, db.TaxRateFilter{Archived: &archived}, db.Page{Limit: 9})
	require.NoError(t, err)
	require.Len(t, rates, 1)
	require.Equal(t, s.Clock.Now().Unix(), rates[0].ArchivedAt.Unix())

	back := wholeFile() // the rate holds again, and the metric counts as before
	_, err = s.ApplyCatalog(t.Context(), s.caller, back)
	require.NoError(t, err)
	gone := WantedCatalog{Plans: back.Plans, Items: catalog.Items{Coupons: []catalog.Item[discount.Coupon]{}}}
	_, err = s.ApplyCatalog(t.Context(), s.caller, gone)
	require.ErrorContains(t, err, "catalog_archives_most")
	gone.AllowArchive = true
	_, err = s.ApplyCatalog(t.Context(), s.caller, gone)
	require.NoError(t, err)
	c, err = s.Store.Catalog.CouponByCode(t.Context(), s.Env, "HELLO")
	require.NoError(t, err)
	require.False(t, c.Active)
	require.Equal(t, 1, s.count(t, `select count(*) from products where active`), "its section is not in the file")
}

// Both refuse the same files, naming section, key and field, and write nothing.
func TestApplyCatalog_RefusesItems(t *testing.T) {
	t.Parallel()
	s := newHouse(t)
	_, err := s.ApplyCatalog(t.Context(), s.caller, wholeFile())
	require.NoError(t, err)
	before := s.Rows(t)
	other := "post"
	for want, change := range map[string]func(*WantedCatalog){
		"taxRates catalog_item_fixed de.percent": func(w *WantedCatalog) { w.TaxRates[0].Value.Percent = money.Whole(20) },
		"taxRates tax_rate_repeated again": func(w *WantedCatalog) {
			again := w.TaxRates[0]
			again.Key = "again"
			w.TaxRates = append(w.TaxRates, again)
		},
		"metrics metric_version_incompatible calls.property": func(w *WantedCatalog) { w.Metrics[0].Value.Property = "bytes" },
		"coupons catalog_plan_not_found HELLO.plans[0]": func(w *WantedCatalog) {
			w.Coupons[0].Value.PlanIDs = []string{"gold"}
		},
		" catalog_product_not_found team.product": func(w *WantedCatalog) { w.Plans[0].Product = &other },
		" metric_not_found new.meteredPrices[0].metricName": func(w *WantedCatalog) {
			p := w.Plans[0]
			p.Key, p.Name = "new", "New"
			p.Metered = &metered.Prices{Components: []metered.Component{{MetricName: "mails", Rates: []metered.Rate{
				{Price: rating.Price{Model: rating.PerUnit, UnitPrice: money.Whole(2)}},
			}}}}
			w.Plans = append(w.Plans, p)
		},
	} {
		file := wholeFile()
		change(&file)
		_, shown := s.DiffCatalog(t.Context(), s.caller, file)
		section := ""
		var within *catalog.SectionError
		if errors.As(shown, &within) {
			section = within.Section
		}
		f := fault.From(shown)
		require.Equal(t, want, section+" "+f.Code+" "+f.Param)
		_, done := s.ApplyCatalog(t.Context(), s.caller, file)
		require.Equal(t, f.Error(), fault.From(done).Error(), want)
		require.Equal(t, before, s.Rows(t), want)
	}
}

// Coupons may be of plans that have no key, by their ids; an id of no plan here is refused.
func TestApplyCatalog_CouponsOfPlanIDs(t *testing.T) {
	t.Parallel()
	s := newHouse(t)
	loose := s.Plan(t, scene.Monthly(1900))
	file := wholeFile()
	file.Coupons[0].Value.PlanIDs = []string{loose.ID, "team"}
	second := file.Coupons[0]
	second.Key, second.Value.Code, second.Value.PlanIDs = "AGAIN", "AGAIN", []string{loose.ID}
	file.Coupons = append(file.Coupons, second)

	_, err := s.ApplyCatalog(t.Context(), s.caller, file)

	require.NoError(t, err)
	for code, plans := range map[string]int{"HELLO": 2, "AGAIN": 1} {
		c, err := s.Store.Catalog.CouponByCode(t.Context(), s.Env, code)
		require.NoError(t, err)
		require.Len(t, c.PlanIDs, plans)
		require.Contains(t, c.PlanIDs, loose.ID)
	}
	file.Coupons[1].Value.PlanIDs = []string{id.New(id.Plan, s.Clock.Now())}
	_, err = s.ApplyCatalog(t.Context(), s.caller, file)
	require.ErrorContains(t, err, "catalog_plan_not_found")
}

func TestItems_OfAnEnvironment(t *testing.T) {
	t.Parallel()
	s := newHouse(t)
	done, err := s.ApplyCatalog(t.Context(), s.caller, wholeFile())
	require.NoError(t, err)
	loose, err := s.CreateCoupon(t.Context(), s.caller, discount.Coupon{Code: "LOOSE", Terms: discount.Terms{
		Discount: discount.Discount{Percent: money.Whole(5)}, Duration: discount.Once}}, nil)
	require.NoError(t, err)
	plans, err := s.Plans(t.Context(), s.caller)
	require.NoError(t, err)

	items, tooMany, err := s.Items(t.Context(), s.caller, plans)

	require.NoError(t, err)
	require.Zero(t, tooMany)
	require.Equal(t, []any{"mail", "de", "calls", "HELLO", "", loose.ID}, []any{
		items.Products[0].Key, items.TaxRates[0].Key, items.Metrics[0].Key, items.Coupons[0].Key, items.Coupons[1].Key,
		items.Coupons[1].ID,
	})
	require.Equal(t, done.Products[0].To.ID, items.Products[0].ID)
}
