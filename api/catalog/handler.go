// Package catalog serves products, plans, coupons and tax rates, and reads and writes catalogue files.
package catalog

import (
	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/db"
	"perennial/service/catalog"
	"perennial/service/subscriptions"
)

// Handler serves the operations of this column.
type Handler struct {
	kit           *httpkit.Kit
	store         *db.Store // for reading
	service       *catalog.Service
	subscriptions *subscriptions.Service
}

// Register adds the operations of this column.
func Register(d usecase.Deps) {
	h := &Handler{kit: d.Kit, store: d.Store, service: d.Service.Catalog, subscriptions: d.Service.Subscriptions}
	h.planOperations()
	h.productOperations()
	h.taxRateOperations()
	h.couponOperations()
}
