package catalog

import (
	"context"
	"slices"
	"strings"

	"perennial/billing/audit"
	"perennial/billing/catalog"
	"perennial/billing/discount"
	"perennial/billing/event"
	"perennial/billing/plan"
	"perennial/billing/tax"
	"perennial/billing/usage"
	"perennial/db"
	"perennial/service/usecase"
)

// applying carries out the changes of a file in one transaction.
type applying struct {
	*Service
	tx *db.Tx
	by usecase.Caller
}

// put writes what a change came to: the key of its object, the audit log and the event.
func put[T any](
	ctx context.Context, a applying, kind catalog.Kind, object string, c catalog.ItemChange[T], objectID string,
	created, updated event.Data,
) error {
	if !c.Absent && (c.Was == nil || c.Adopts) {
		err := a.tx.Catalog.PutCatalogEntry(ctx, a.by.EnvironmentID, catalog.Entry{Kind: kind, Key: c.Key, ID: objectID})
		if err != nil {
			return err
		}
	}
	data := updated
	switch {
	case c.Was == nil:
		a.tx.AuditChanges(audit.Change{ObjectID: objectID, Field: "created"})
		data = created
	case len(c.Fields) == 0:
		return nil
	default:
		a.tx.AuditChanges(audit.Of(objectID, audit.Changes(object, c.Fields, *c.Was, c.To))...)
	}
	return a.tx.Emit(ctx, a.by.EnvironmentID, event.New(data, a.Now()))
}

func (a applying) product(ctx context.Context, c catalog.ItemChange[plan.Product]) (err error) {
	switch {
	case c.Was == nil:
		err = a.tx.Catalog.InsertProduct(ctx, a.by.EnvironmentID, c.To)
	case len(c.Fields) > 0:
		err = a.tx.Catalog.SaveProduct(ctx, a.by.EnvironmentID, c.To)
	}
	if err != nil {
		return err
	}
	return put(ctx, a, catalog.ProductKind, "product", c, c.To.ID, event.ProductCreated{ID: c.To.ID},
		event.ProductUpdated{ID: c.To.ID, Changed: c.Fields})
}

func (a applying) taxRate(ctx context.Context, c catalog.ItemChange[tax.Definition]) (err error) {
	if c.Was == nil {
		err = a.tx.Catalog.InsertTaxRate(ctx, a.by.EnvironmentID, c.To)
	}
	if err == nil && (len(c.Fields) > 0 || c.Was == nil && !c.To.ArchivedAt.IsZero()) { // an insert writes no end
		err = a.tx.Catalog.SaveTaxRate(ctx, a.by.EnvironmentID, c.To)
	}
	if err != nil {
		return err
	}
	return put(ctx, a, catalog.TaxRateKind, "tax_rate", c, c.To.ID, event.TaxRateCreated{ID: c.To.ID},
		event.TaxRateUpdated{ID: c.To.ID, Changed: c.Fields})
}

func (a applying) metric(ctx context.Context, c catalog.ItemChange[usage.Metric]) error {
	if c.Was == nil {
		if err := a.tx.Usage.InsertMetric(ctx, a.by.EnvironmentID, c.To); err != nil {
			return err
		}
		return put(ctx, a, catalog.MetricKind, "metric", c, c.To.ID, event.MetricCreated{ID: c.To.ID}, nil)
	}
	m, err := a.tx.Usage.LockMetric(ctx, a.by.EnvironmentID, c.To.ID)
	if err != nil {
		return err
	}
	m.DisplayName, m.Active = c.To.DisplayName, c.To.Active
	if err := a.tx.Usage.SaveMetric(ctx, a.by.EnvironmentID, m); err != nil {
		return err
	}
	if i := slices.Index(c.Fields, "definition"); i >= 0 {
		if m, err = m.Next(c.To.Definition, a.Now()); err != nil {
			return err
		}
		if err := a.tx.Usage.InsertMetric(ctx, a.by.EnvironmentID, m); err != nil {
			return err
		}
		c.Fields = slices.Clone(c.Fields)
		c.Fields[i] = "version"
		c.To = m
	}
	return put(ctx, a, catalog.MetricKind, "metric", c, m.ID, nil, event.MetricUpdated{ID: m.ID, Changed: c.Fields})
}

// coupon makes a coupon's change true. plans has the ids of the file's plans, by their keys.
func (a applying) coupon(
	ctx context.Context, c catalog.ItemChange[discount.Coupon], plans map[string]string,
) (err error) {
	switch {
	case c.Was == nil:
		c.To.PlanIDs = slices.Clone(c.To.PlanIDs)
		for i, planID := range c.To.PlanIDs {
			if key, isNew := strings.CutPrefix(planID, newPlanMark); isNew {
				c.To.PlanIDs[i] = plans[key]
			}
		}
		err = a.tx.Catalog.InsertCoupon(ctx, a.by.EnvironmentID, c.To)
	case len(c.Fields) > 0:
		err = a.tx.Catalog.SaveCoupon(ctx, a.by.EnvironmentID, c.To)
	}
	if err != nil {
		return err
	}
	return put(ctx, a, catalog.CouponKind, "coupon", c, c.To.ID, event.CouponCreated{ID: c.To.ID},
		event.CouponUpdated{ID: c.To.ID, Changed: c.Fields})
}

// eachItem carries out the changes of one kind.
func eachItem[T any](kind catalog.Kind, changes []catalog.ItemChange[T], do func(catalog.ItemChange[T]) error) error {
	for _, c := range changes {
		if !c.Differs() {
			continue
		}
		if err := do(c); err != nil {
			return inItem(kind, c.Key, err)
		}
	}
	return nil
}

// beforePlans carries out the changes that plans may depend on.
func (a applying) beforePlans(ctx context.Context, c catalog.ItemChanges) error {
	err := eachItem(catalog.ProductKind, c.Products,
		func(p catalog.ItemChange[plan.Product]) error { return a.product(ctx, p) })
	if err != nil {
		return err
	}
	err = eachItem(catalog.TaxRateKind, c.TaxRates,
		func(d catalog.ItemChange[tax.Definition]) error { return a.taxRate(ctx, d) })
	if err != nil {
		return err
	}
	return eachItem(catalog.MetricKind, c.Metrics,
		func(m catalog.ItemChange[usage.Metric]) error { return a.metric(ctx, m) })
}

// Items returns the objects that a catalogue file describes beside plans: those with a key, and those without that are
// active, or that one of the plans has. Coupons beyond catalog.MaxItems are left out; tooMany is their number then.
func (s *Service) Items(
	ctx context.Context, by usecase.Caller, plans []plan.Plan,
) (items catalog.Items, tooMany int, err error) {
	all, err := heldItems(ctx, s.Store.Reader, by.EnvironmentID, WantedCatalog{Items: catalog.Items{
		Products: []catalog.Item[plan.Product]{}, TaxRates: []catalog.Item[tax.Definition]{},
		Metrics: []catalog.Item[usage.Metric]{}, Coupons: []catalog.Item[discount.Coupon]{},
	}})
	if err != nil {
		return items, 0, err
	}
	coupons, err := s.activeCoupons(ctx, by)
	if err != nil {
		return items, 0, err
	}
	keyed := map[string]string{}
	for _, c := range all.Coupons {
		keyed[c.ID] = c.Key
	}
	items.Coupons = all.Coupons
	for _, c := range coupons {
		if _, has := keyed[c.ID]; !has {
			items.Coupons = append(items.Coupons, catalog.Item[discount.Coupon]{ID: c.ID, Value: c})
		}
	}
	slices.SortFunc(items.Coupons,
		func(a, b catalog.Item[discount.Coupon]) int { return strings.Compare(a.Value.Code, b.Value.Code) })
	if len(items.Coupons) > catalog.MaxItems {
		items.Coupons, tooMany = nil, len(items.Coupons)
	}
	for _, p := range all.Products {
		sold := slices.ContainsFunc(plans, func(o plan.Plan) bool { return o.ProductID == p.ID })
		if p.Key != "" || p.Value.Active || sold {
			items.Products = append(items.Products, p)
		}
	}
	for _, d := range all.TaxRates {
		if d.Key != "" || d.Value.ArchivedAt.IsZero() {
			items.TaxRates = append(items.TaxRates, d)
		}
	}
	for _, m := range all.Metrics {
		if m.Key != "" || m.Value.Active {
			items.Metrics = append(items.Metrics, m)
		}
	}
	return items, tooMany, nil
}

// activeCoupons reads coupons that can be redeemed, one more than a file can have.
func (s *Service) activeCoupons(ctx context.Context, by usecase.Caller) (coupons []discount.Coupon, err error) {
	active := true
	for page := (db.Page{Limit: 100}); len(coupons) <= catalog.MaxItems; {
		some, more, err := s.Store.Catalog.Coupons(ctx, by.EnvironmentID, db.CouponFilter{Active: &active}, page)
		if err != nil {
			return nil, err
		}
		if coupons = append(coupons, some...); !more {
			break
		}
		page.StartingAfter = some[len(some)-1].ID
	}
	return coupons, nil
}
