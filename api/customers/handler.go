// Package customers serves customers, their balances, and their access to the product.
package customers

import (
	"time"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/db"
	"perennial/service/customers"
)

// Handler serves the operations of this column.
type Handler struct {
	kit     *httpkit.Kit
	store   *db.Store // for reading
	service *customers.Service
	gate    *usecase.Gate
	now     func() time.Time // the real clock
}

// Register adds the operations of this column.
func Register(d usecase.Deps) {
	h := &Handler{kit: d.Kit, store: d.Store, service: d.Service.Customers, gate: d.Gate, now: d.Now}
	h.customerOperations()
}
