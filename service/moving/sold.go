package moving

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"perennial/billing/catalog"
	"perennial/billing/discount"
	"perennial/billing/fault"
	"perennial/billing/moving"
	"perennial/billing/plan"
	"perennial/billing/tax"
	"perennial/billing/usage"
	"perennial/db"
	"perennial/internal/id"
	servicecatalog "perennial/service/catalog"
	"perennial/service/gateway"
)

// soldHere has what an environment sells besides its plans, and the external ids of what was imported.
type soldHere struct {
	products    map[string]string // ids, by external id and by id
	productKeys map[string]string // ids, by key in a catalogue file
	rates       map[string]tax.Definition
	rateKeys    map[string]string
	metrics     map[string][]usage.Metric // all versions in their order, by name
	plans       map[string]string         // ids, by external id
}

// soldHere reads what an environment sells besides its plans.
func (s *Service) soldHere(ctx context.Context, environmentID, source string) (h soldHere, err error) {
	h = soldHere{
		productKeys: map[string]string{}, rates: map[string]tax.Definition{}, rateKeys: map[string]string{},
		metrics: map[string][]usage.Metric{},
	}
	r := s.Store.Moving
	if h.products, err = r.ImportedObjects(ctx, environmentID, source, moving.ProductType); err != nil {
		return h, err
	}
	if h.plans, err = r.ImportedObjects(ctx, environmentID, source, moving.PlanType); err != nil {
		return h, err
	}
	return h, s.Store.Export(ctx, environmentID, func(all *db.Snapshot) error {
		err := all.Products(ctx, func(p db.Sold[plan.Product]) error {
			h.addProduct(p.Object, p.CatalogKey)
			return nil
		})
		if err != nil {
			return err
		}
		err = all.TaxRates(ctx, func(d db.Sold[tax.Definition]) error {
			h.addRate(d.Object, d.CatalogKey)
			return nil
		})
		if err != nil {
			return err
		}
		return all.Metrics(ctx, func(m db.Sold[usage.Metric]) error {
			h.addMetric(m.Object)
			return nil
		})
	})
}

func (h *soldHere) addProduct(p plan.Product, key string) {
	h.products[p.ID] = p.ID
	if key != "" {
		h.productKeys[key] = p.ID
	}
}

func (h *soldHere) addRate(d tax.Definition, key string) {
	h.rates[d.ID] = d
	if key != "" {
		h.rateKeys[key] = d.ID
	}
}

func (h *soldHere) addMetric(m usage.Metric) {
	h.metrics[m.Name] = append(h.metrics[m.Name], m)
	slices.SortFunc(h.metrics[m.Name], func(a, b usage.Metric) int { return a.Version - b.Version })
}

// arrive makes a new record known to later ones.
func (e *importEnvironment) arrive(a arrival) {
	r := a.record
	switch r.Type {
	case moving.SettingsType:
		e.settings = *a.settings
	case moving.EndpointType:
		e.endpoints++
	case moving.ProductType:
		e.sold.addProduct(a.product, r.Product.CatalogKey)
		e.sold.products[r.ID] = a.product.ID
	case moving.TaxRateType:
		e.sold.addRate(a.rate, r.TaxRate.CatalogKey)
		if a.rate.ArchivedAt.IsZero() {
			e.rates = append(e.rates, a.rate)
		}
	case moving.MetricType:
		e.sold.addMetric(a.metric)
	case moving.PlanType:
		e.addPlan(a.plan)
		e.sold.plans[r.Plan.ID] = a.plan.ID
	case moving.CouponType:
		e.codes[strings.ToLower(a.coupon.Code)] = &a.coupon
	default: // later records find it in the database
	}
}

// soldID returns the id of a new object of the catalogue; empty: it is another one.
func (a arrival) soldID() string {
	switch a.record.Type {
	case moving.ProductType:
		return a.product.ID
	case moving.TaxRateType:
		return a.rate.ID
	case moving.MetricType:
		return a.metric.VersionID()
	case moving.PlanType:
		if a.plan.Version > 1 {
			return fmt.Sprintf("%s.%d", a.plan.ID, a.plan.Version)
		}
		return a.plan.ID
	case moving.CouponType:
		return a.coupon.ID
	default:
		return ""
	}
}

// newSold sets the object of a record of the catalogue. What is here under the same key, code or name, or in the
// exporting environment itself, is present if its terms are the same. Faults: import_catalog_differs,
// import_version_gap, import_product_unknown, import_id_invalid and those of the API about a new object.
func (im *importing) newSold(a *arrival) (ImportOutcome, error) {
	r := a.record
	if err := moving.CheckID("id", im.Source, r.ID); err != nil {
		return RecordRefused, err
	}
	switch r.Type {
	case moving.ProductType:
		return im.newProduct(a)
	case moving.TaxRateType:
		return im.newTaxRate(a)
	case moving.MetricType:
		return im.newMetric(a)
	case moving.CouponType:
		return im.newCoupon(a)
	default:
		return im.newPlan(a)
	}
}

func (im *importing) newProduct(a *arrival) (outcome ImportOutcome, err error) {
	r, here := *a.record.Product, im.env.sold
	if im.env.sells(a.record) {
		here.products[r.ID] = a.record.PerennialID
		return RecordPresent, nil
	}
	if known, ok := here.productKeys[r.CatalogKey]; ok {
		here.products[r.ID] = known
		return RecordPresent, nil
	}
	a.product, err = r.Product(id.New(id.Product, im.now), im.now)
	return RecordImported, err
}

func (im *importing) newTaxRate(a *arrival) (outcome ImportOutcome, err error) {
	r, here := *a.record.TaxRate, im.env.sold
	if a.rate, err = r.Definition(id.New(id.TaxRate, im.now), im.now); err != nil {
		return RecordRefused, err
	}
	if im.env.sells(a.record) {
		return RecordPresent, nil
	}
	if known, ok := here.rateKeys[r.CatalogKey]; ok {
		if catalog.RateDiffers(here.rates[known], a.rate) != "" {
			return RecordRefused, moving.ErrDiffers.In("catalogKey")
		}
		return RecordPresent, nil
	}
	if !a.rate.ArchivedAt.IsZero() {
		return RecordImported, nil
	}
	return RecordImported, servicecatalog.RateFits(a.rate, im.env.rates, false)
}

func (im *importing) newMetric(a *arrival) (outcome ImportOutcome, err error) {
	r := *a.record.Metric
	versions, version := im.env.sold.metrics[r.Name], max(r.Version, 1)
	if a.metric, err = r.Metric(id.New(id.Metric, im.now), im.now); err != nil {
		return RecordRefused, err
	}
	switch {
	case version <= len(versions):
		if !catalog.SameJSON(versions[version-1].Definition, r.Definition) {
			return RecordRefused, moving.ErrDiffers.In("name")
		}
		return RecordPresent, nil
	case version > len(versions)+1:
		return RecordRefused, moving.ErrVersionGap
	case version > 1:
		a.metric, err = versions[version-2].Next(r.Definition, im.now)
	}
	return RecordImported, err
}

func (im *importing) newCoupon(a *arrival) (outcome ImportOutcome, err error) {
	r := *a.record.Coupon
	var planIDs []string
	for i, name := range r.Plans {
		p, err := im.env.plan(fmt.Sprintf("plans[%d]", i), name, 0)
		if err != nil {
			return RecordRefused, err
		}
		planIDs = append(planIDs, p.ID)
	}
	if len(planIDs) > discount.MaxPlans {
		return RecordRefused, fault.InvalidParam("plans", "coupon_plans_too_many",
			"A coupon can be restricted to at most %d plans.", discount.MaxPlans)
	}
	if a.coupon, err = r.Coupon(id.New(id.Coupon, im.now), planIDs, im.now); err != nil {
		return RecordRefused, err
	}
	if known := im.env.codes[strings.ToLower(r.Code)]; known != nil {
		if !known.Terms.Same(a.coupon.Terms) {
			return RecordRefused, moving.ErrDiffers.In("code")
		}
		return RecordPresent, nil
	}
	return RecordImported, nil
}

// chargeable refuses a plan that is sold in a currency which no account takes: currency_not_chargeable.
func (e *importEnvironment) chargeable(p plan.Plan) error {
	for _, c := range p.Currencies() {
		takes := func(a db.ProviderConfig) bool { return !gateway.Limits(a.Provider, c).Unchargeable }
		if len(e.accounts) > 0 && !slices.ContainsFunc(e.accounts, takes) {
			return servicecatalog.ErrUnchargeable.In("currency")
		}
	}
	return nil
}

// measured refuses features that are counted by a metric which does not exist: metric_not_found.
func (e *importEnvironment) measured(all plan.Features) error {
	for i, f := range all {
		if f.MetricName != "" && len(e.sold.metrics[f.MetricName]) == 0 {
			return fault.New(fault.NotFound, "metric_not_found", "There is no metric %.40q. Import it first.", f.MetricName).
				In(fmt.Sprintf("features[%d].metricName", i))
		}
	}
	return nil
}

// insertSold writes an object of the catalogue, and its key in a catalogue file.
func (im *importing) insertSold(ctx context.Context, tx *db.Tx, a arrival) error {
	env, entry := im.by.EnvironmentID, catalog.Entry{ID: a.soldID()}
	var err error
	switch r := a.record; r.Type {
	case moving.ProductType:
		entry.Kind, entry.Key = catalog.ProductKind, r.Product.CatalogKey
		err = tx.Catalog.InsertProduct(ctx, env, a.product)
	case moving.TaxRateType:
		entry.Kind, entry.Key = catalog.TaxRateKind, r.TaxRate.CatalogKey
		if err = tx.Catalog.InsertTaxRate(ctx, env, a.rate); err == nil && !a.rate.ArchivedAt.IsZero() {
			err = tx.Catalog.SaveTaxRate(ctx, env, a.rate)
		}
	case moving.MetricType:
		if r.Metric.CatalogKey != "" && a.metric.Version == 1 {
			entry.Kind, entry.Key = catalog.MetricKind, r.Metric.Name
		}
		err = tx.Usage.InsertMetric(ctx, env, a.metric)
	case moving.CouponType:
		if r.Coupon.CatalogKey != "" {
			entry.Kind, entry.Key = catalog.CouponKind, a.coupon.Code
		}
		err = tx.Catalog.InsertCoupon(ctx, env, a.coupon)
	case moving.PlanType:
		return tx.Catalog.InsertPlan(ctx, env, a.plan)
	default:
		return fmt.Errorf("service: an import cannot write a record of the type %s", r.Type)
	}
	if err != nil || entry.Key == "" {
		return err
	}
	return tx.Catalog.PutCatalogEntry(ctx, env, entry)
}
