package moving

import (
	"cmp"
	"context"

	"perennial/billing/discount"
	"perennial/billing/moving"
	"perennial/billing/plan"
	"perennial/billing/tax"
	"perennial/billing/usage"
	"perennial/db"
)

func (e *exporting) products(ctx context.Context) error {
	return e.all.Products(ctx, func(p db.Sold[plan.Product]) error {
		record := moving.ProductOf(p.Object, p.CatalogKey)
		record.ID = cmp.Or(p.ExternalID, record.ID)
		return e.w.Product(record, p.Object.ID)
	})
}

func (e *exporting) taxRates(ctx context.Context) error {
	return e.all.TaxRates(ctx, func(d db.Sold[tax.Definition]) error {
		record := moving.TaxRateOf(d.Object, d.CatalogKey)
		record.ID = cmp.Or(d.ExternalID, record.ID)
		return e.w.TaxRate(record, d.Object.ID)
	})
}

func (e *exporting) metrics(ctx context.Context) error {
	return e.all.Metrics(ctx, func(m db.Sold[usage.Metric]) error {
		record := moving.MetricOf(m.Object, m.CatalogKey)
		record.ID = cmp.Or(m.ExternalID, record.ID)
		return e.w.Metric(record, m.Object.ID)
	})
}

func (e *exporting) plans(ctx context.Context) error {
	return e.all.Plans(ctx, func(p db.SoldPlan) error {
		e.names.add(p)
		record := moving.PlanOf(p.Plan, cmp.Or(p.ProductExternalID, p.ProductID))
		record.ID = cmp.Or(p.ExternalID, record.ID)
		return e.w.Plan(record, p.ID)
	})
}

func (e *exporting) coupons(ctx context.Context) error {
	return e.all.Coupons(ctx, func(c db.Sold[discount.Coupon]) error {
		record := moving.SoldCouponOf(c.Object, e.names.all(c.Object.PlanIDs), c.CatalogKey)
		record.ID = cmp.Or(c.ExternalID, record.ID)
		return e.w.Coupon(record, c.Object.ID)
	})
}
