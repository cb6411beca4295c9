package moving

import (
	"context"

	"perennial/billing/discount"
	"perennial/billing/moving"
	"perennial/billing/plan"
	"perennial/billing/tax"
	"perennial/billing/usage"
	"perennial/db/catalog"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
	dbusage "perennial/db/usage"
)

// Sold is an object of the catalogue, with the external id that it was imported under and its key in a catalogue file.
// Empty: it was not imported, or no file describes it.
type Sold[T any] struct {
	Object     T
	ExternalID string
	CatalogKey string
}

// Products reads all.
func (s *Snapshot) Products(ctx context.Context, to func(Sold[plan.Product]) error) error {
	type row = dbsqlc.ProductExportRow
	return each("ProductExport", func(last *row) ([]row, error) {
		return core.Queries.ProductExport(ctx, s.Handle, dbsqlc.ProductExportParams{
			EnvironmentID: s.environmentID, After: core.Value(last).Product.Position, RowLimit: exportPage,
		})
	}, func(r row) error {
		external := moving.Qualified(r.Source, r.ExternalID)
		return to(Sold[plan.Product]{catalog.ProductFromDB(r.Product), external, r.CatalogKey})
	})
}

// TaxRates reads all, also archived ones.
func (s *Snapshot) TaxRates(ctx context.Context, to func(Sold[tax.Definition]) error) error {
	type row = dbsqlc.TaxRateExportRow
	return each("TaxRateExport", func(last *row) ([]row, error) {
		return core.Queries.TaxRateExport(ctx, s.Handle, dbsqlc.TaxRateExportParams{
			EnvironmentID: s.environmentID, After: core.Value(last).TaxRate.Position, RowLimit: exportPage,
		})
	}, func(r row) error {
		external := moving.Qualified(r.Source, r.ExternalID)
		return to(Sold[tax.Definition]{catalog.TaxRateFromDB(r.TaxRate), external, r.CatalogKey})
	})
}

// Metrics reads all versions of all metrics.
func (s *Snapshot) Metrics(ctx context.Context, to func(Sold[usage.Metric]) error) error {
	type row = dbsqlc.MetricExportRow
	return each("MetricExport", func(last *row) ([]row, error) {
		return core.Queries.MetricExport(ctx, s.Handle, dbsqlc.MetricExportParams{
			EnvironmentID: s.environmentID, After: core.Value(last).Metric.Position, RowLimit: exportPage,
		})
	}, func(r row) error {
		external := moving.Qualified(r.Source, r.ExternalID)
		return to(Sold[usage.Metric]{dbusage.MetricFromDB(r.Metric), external, r.CatalogKey})
	})
}

// Coupons reads all.
func (s *Snapshot) Coupons(ctx context.Context, to func(Sold[discount.Coupon]) error) error {
	type row = dbsqlc.CouponExportRow
	return each("CouponExport", func(last *row) ([]row, error) {
		return core.Queries.CouponExport(ctx, s.Handle, dbsqlc.CouponExportParams{
			EnvironmentID: s.environmentID, After: core.Value(last).Coupon.Position, RowLimit: exportPage,
		})
	}, func(r row) error {
		external := moving.Qualified(r.Source, r.ExternalID)
		return to(Sold[discount.Coupon]{catalog.CouponFromDB(r.Coupon), external, r.CatalogKey})
	})
}

// SoldPlan is one version of a plan, with the external ids of it and of its product.
type SoldPlan struct {
	plan.Plan
	ExternalID, ProductExternalID string
}

// Plans reads all versions of all plans, with their prices.
func (s *Snapshot) Plans(ctx context.Context, to func(SoldPlan) error) error {
	type row = dbsqlc.PlanExportRow
	return pages("PlanExport", func(last *row) ([]row, error) {
		return core.Queries.PlanExport(ctx, s.Handle, dbsqlc.PlanExportParams{
			EnvironmentID: s.environmentID, After: core.Value(last).Plan.Position, RowLimit: exportPage,
		})
	}, func(rows []row) error {
		plans := core.Map(rows, func(r row) plan.Plan { return catalog.PlanFromDB(r.Plan) })
		if err := catalog.AddPrices(ctx, s.Reader, s.environmentID, plans); err != nil {
			return err
		}
		for i, p := range plans {
			err := to(SoldPlan{p, moving.Qualified(rows[i].Source, rows[i].ExternalID),
				moving.Qualified(rows[i].ProductSource, rows[i].ProductExternalID)})
			if err != nil {
				return err
			}
		}
		return nil
	})
}
