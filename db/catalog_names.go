package db

import "perennial/db/catalog"

// Callers know these of package catalog by the name of db.

type (
	CouponFilter  = catalog.CouponFilter
	PlanFilter    = catalog.PlanFilter
	ProductFilter = catalog.ProductFilter
	TaxRateFilter = catalog.TaxRateFilter
)
