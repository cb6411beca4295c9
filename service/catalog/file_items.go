package catalog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"perennial/billing/catalog"
	"perennial/billing/country"
	"perennial/billing/discount"
	"perennial/billing/fault"
	"perennial/billing/plan"
	"perennial/billing/tax"
	"perennial/billing/text"
	"perennial/billing/usage"
	"perennial/db"
	"perennial/internal/id"
	"perennial/service/usecase"
)

// heldItems reads the objects that a file may describe beside plans, each with its key: all products, tax rates and
// metrics, and the coupons that have a key or that the file names. It reads only the kinds that the file has, and
// products where a plan names one.
func heldItems(
	ctx context.Context, r db.Reader, environmentID string, want WantedCatalog,
) (held catalog.Items, err error) {
	entries, err := r.Catalog.CatalogEntries(ctx, environmentID)
	if err != nil {
		return held, err
	}
	keys := map[catalog.Kind]map[string]string{} // by id of the object
	for _, e := range entries {
		if keys[e.Kind] == nil {
			keys[e.Kind] = map[string]string{}
		}
		keys[e.Kind][e.ID] = e.Key
	}
	var products []plan.Product
	if want.Products != nil || slices.ContainsFunc(want.Plans, namesProduct) {
		products, err = every(func(p db.Page) ([]plan.Product, bool, error) {
			return r.Catalog.Products(ctx, environmentID, db.ProductFilter{}, p)
		}, func(p plan.Product) string { return p.ID })
		if err != nil {
			return held, err
		}
	}
	var rates []tax.Definition
	if want.TaxRates != nil {
		rates, err = every(func(p db.Page) ([]tax.Definition, bool, error) {
			return r.Catalog.TaxRates(ctx, environmentID, db.TaxRateFilter{}, p)
		}, func(d tax.Definition) string { return d.ID })
		if err != nil {
			return held, err
		}
	}
	var metrics []usage.Metric
	if want.Metrics != nil {
		metrics, err = every(func(p db.Page) ([]usage.Metric, bool, error) {
			return r.Usage.Metrics(ctx, environmentID, db.MetricFilter{}, p)
		}, func(m usage.Metric) string { return m.ID })
		if err != nil {
			return held, err
		}
	}
	var coupons []discount.Coupon
	if want.Coupons != nil {
		if coupons, err = heldCoupons(ctx, r, environmentID, keys[catalog.CouponKind], want.Coupons); err != nil {
			return held, err
		}
	}
	return keyedItems(keys, products, rates, metrics, coupons), nil
}

// heldCoupons reads the coupons that have a key, or that a file names. keys are by id of the coupon.
func heldCoupons(
	ctx context.Context, r db.Reader, environmentID string, keys map[string]string, want []catalog.Item[discount.Coupon],
) (coupons []discount.Coupon, err error) {
	codes := slices.Collect(maps.Values(keys))
	for _, c := range want {
		codes = append(codes, c.Value.Code)
	}
	return r.Catalog.CouponsByCode(ctx, environmentID, codes)
}

// namesProduct reports whether a plan of a file has a product.
func namesProduct(p catalog.Plan) bool { return p.Product != nil && *p.Product != "" }

// keyedItems returns objects with their keys.
func keyedItems(
	keys map[catalog.Kind]map[string]string, products []plan.Product, rates []tax.Definition, metrics []usage.Metric,
	coupons []discount.Coupon,
) (held catalog.Items) {
	for _, p := range products {
		item := catalog.Item[plan.Product]{Key: keys[catalog.ProductKind][p.ID], ID: p.ID, Value: p}
		held.Products = append(held.Products, item)
	}
	for _, d := range rates {
		item := catalog.Item[tax.Definition]{Key: keys[catalog.TaxRateKind][d.ID], ID: d.ID, Value: d}
		held.TaxRates = append(held.TaxRates, item)
	}
	for _, m := range metrics {
		item := catalog.Item[usage.Metric]{Key: keys[catalog.MetricKind][m.ID], ID: m.ID, Value: m}
		held.Metrics = append(held.Metrics, item)
	}
	for _, c := range coupons {
		item := catalog.Item[discount.Coupon]{Key: keys[catalog.CouponKind][c.ID], ID: c.ID, Value: c}
		held.Coupons = append(held.Coupons, item)
	}
	slices.SortFunc(held.Coupons, func(a, b catalog.Item[discount.Coupon]) int { return strings.Compare(a.ID, b.ID) })
	return held
}

// every reads all pages of a list, the oldest object first.
func every[T any](list func(db.Page) ([]T, bool, error), idOf func(T) string) (all []T, err error) {
	for page := (db.Page{Limit: 100, Unsettled: true}); ; {
		some, more, err := list(page)
		if err != nil {
			return nil, err
		}
		if all = append(all, some...); !more {
			break
		}
		page.StartingAfter = idOf(some[len(some)-1])
	}
	slices.Reverse(all) // lists are newest first
	return all, nil
}

// newPlanMark begins what stands for the id of a plan that a file creates, in the coupons of the file.
const newPlanMark = "new:"

// itemChanges returns the changes of the objects that a file has beside plans, and the file's plans with the ids of
// their products. New objects have their ids. held are the plans of the environment. Faults: those of catalog.DiffItems
// and of checkItems, catalog_product_not_found, catalog_plan_not_found.
func (s *Service) itemChanges(
	ctx context.Context, r db.Reader, by usecase.Caller, held []plan.Plan, want WantedCatalog,
) (c catalog.ItemChanges, plans []catalog.Plan, err error) {
	existing, err := heldItems(ctx, r, by.EnvironmentID, want)
	if err != nil {
		return c, nil, err
	}
	wanted := want.Items
	if wanted.Coupons, err = couponsWithPlans(ctx, r, by.EnvironmentID, held, want); err != nil {
		return c, nil, catalog.CouponKind.In(err)
	}
	if c, err = catalog.DiffItems(existing, wanted, want.AllowArchive); err != nil {
		return c, nil, err
	}
	identify(&c, s.Now())
	if err := checkItems(existing, c, s.Now()); err != nil {
		return c, nil, err
	}
	plans, err = withProducts(want.Plans, existing, c)
	return c, plans, err
}

// couponsWithPlans returns the coupons of a file with the ids of plans in place of their keys.
func couponsWithPlans(
	ctx context.Context, r db.Reader, environmentID string, held []plan.Plan, want WantedCatalog,
) ([]catalog.Item[discount.Coupon], error) {
	ids := map[string]string{}
	for _, p := range held {
		if p.Key != "" {
			ids[p.Key] = p.ID
		}
	}
	for _, p := range want.Plans {
		ids[p.Key] = cmp.Or(p.ID, ids[p.Key], newPlanMark+p.Key)
	}
	coupons := slices.Clone(want.Coupons)
	for i, c := range coupons {
		planIDs := make([]string, len(c.Value.PlanIDs))
		for n, key := range c.Value.PlanIDs {
			planIDs[n] = ids[key]
			if planIDs[n] == "" && id.Is(id.Plan, key) {
				if _, err := r.Catalog.Plan(ctx, environmentID, key); err != nil && !usecase.Absent(err) {
					return nil, err
				} else if err == nil {
					ids[key], planIDs[n] = key, key
				}
			}
			if planIDs[n] == "" {
				return nil, fault.InvalidParam(fmt.Sprintf("%s.plans[%d]", c.Key, n), "catalog_plan_not_found",
					"%.60q is no key of a plan in this file, and no id of a plan here.", key)
			}
		}
		if len(planIDs) > 0 {
			coupons[i].Value.PlanIDs = planIDs
		}
	}
	return coupons, nil
}

// identify gives new objects their ids and dates.
func identify(c *catalog.ItemChanges, now time.Time) {
	for i := range c.Products {
		if c.Products[i].Was == nil {
			c.Products[i].To.ID, c.Products[i].To.CreatedAt = id.New(id.Product, now), now
		}
	}
	for i := range c.TaxRates {
		to := &c.TaxRates[i].To
		if c.TaxRates[i].Was == nil {
			to.ID, to.CreatedAt = id.New(id.TaxRate, now), now
		}
		if to.ArchivedAt.Equal(catalog.ArchivedAtApply) {
			to.ArchivedAt = now
		}
	}
	for i := range c.Metrics {
		if to := &c.Metrics[i].To; c.Metrics[i].Was == nil {
			to.ID, to.CreatedAt, to.VersionAt = id.New(id.Metric, now), now, now
		}
	}
	for i := range c.Coupons {
		if c.Coupons[i].Was == nil {
			c.Coupons[i].To.ID, c.Coupons[i].To.CreatedAt = id.New(id.Coupon, now), now
		}
	}
}

// withProducts returns plans with the ids of their products in place of the products' keys.
func withProducts(plans []catalog.Plan, existing catalog.Items, c catalog.ItemChanges) ([]catalog.Plan, error) {
	ids := map[string]string{}
	for _, p := range existing.Products {
		if p.Key != "" {
			ids[p.Key] = p.ID
		}
	}
	for _, p := range c.Products {
		ids[p.Key] = p.To.ID
	}
	plans = slices.Clone(plans)
	for i, p := range plans {
		if !namesProduct(p) {
			continue
		}
		productID, known := ids[*p.Product]
		if !known {
			return nil, fault.InvalidParam(p.Key+".product", "catalog_product_not_found",
				"%.60q is no key of a product. Describe it under `products`.", *p.Product)
		}
		plans[i].ProductID = productID
	}
	return plans, nil
}

// checkItems refuses changes that the API would refuse. Faults: those of the creations and changes of the API.
func checkItems(existing catalog.Items, c catalog.ItemChanges, now time.Time) error {
	for _, p := range c.Products {
		if err := checkProduct(p.To); err != nil {
			return inItem(catalog.ProductKind, p.Key, err)
		}
	}
	if err := checkRates(existing, c.TaxRates); err != nil {
		return err
	}
	for _, m := range c.Metrics {
		err := fault.Joined(m.To.Validate(), text.Check("displayName", m.To.DisplayName))
		if err == nil && m.Was != nil && slices.Contains(m.Fields, "definition") {
			_, err = m.Was.Next(m.To.Definition, now)
		}
		if err != nil {
			return inItem(catalog.MetricKind, m.Key, err)
		}
	}
	for _, p := range c.Coupons {
		err := fault.Joined(text.Check("name", p.To.Name), text.UnlessEmpty(string(p.To.Currency), checkCurrency))
		if err != nil {
			return inItem(catalog.CouponKind, p.Key, err)
		}
	}
	return nil
}

// checkRates refuses tax rates beyond the limit, and those that would tax the same as another.
func checkRates(existing catalog.Items, changes []catalog.ItemChange[tax.Definition]) error {
	now := map[string]tax.Definition{} // rates that are active, as changed so far
	for _, d := range existing.TaxRates {
		if d.Value.ArchivedAt.IsZero() {
			now[d.ID] = d.Value
		}
	}
	for _, c := range changes { // what is archived makes room
		if !c.To.ArchivedAt.IsZero() {
			delete(now, c.To.ID)
		}
	}
	for _, c := range changes {
		d, was := c.To, ""
		if c.Was != nil {
			was = c.Was.Country
		}
		err := fault.Joined(country.CheckNew(was, d.Country), text.Check("name", d.Name))
		if _, active := now[d.ID]; err == nil && !active && d.ArchivedAt.IsZero() {
			err = checkRateBeside(d, now, c.Was != nil)
			now[d.ID] = d
		}
		if err != nil {
			return inItem(catalog.TaxRateKind, c.Key, err)
		}
	}
	return nil
}

func checkRateBeside(d tax.Definition, active map[string]tax.Definition, said bool) error {
	others := make([]tax.Definition, 0, len(active))
	for _, other := range active {
		others = append(others, other)
	}
	return RateFits(d, others, said)
}

// inItem has a refusal name the key of an object and its section.
func inItem(kind catalog.Kind, key string, err error) error {
	var f *fault.Error
	if errors.As(err, &f) && f.Refusal() {
		return kind.In(f.Within(key))
	}
	return err
}

// fileMetrics reads metrics as they are once a file is applied.
type fileMetrics struct {
	metricReader
	changes []catalog.ItemChange[usage.Metric]
}

// ServedMetric returns a metric that the file creates or activates, or the one that is there.
func (f fileMetrics) ServedMetric(ctx context.Context, environmentID, name string) (usage.Metric, error) {
	for _, c := range f.changes {
		if c.To.Name != name {
			continue
		}
		if c.Was == nil {
			return c.To, nil
		}
		m, err := f.metricReader.ServedMetric(ctx, environmentID, name)
		m.Active = c.To.Active
		return m, err
	}
	return f.metricReader.ServedMetric(ctx, environmentID, name)
}
