// Package invoices serves invoices and credit notes.
package invoices

import (
	"perennial/api/httpkit"
	"perennial/api/payments"
	"perennial/api/usecase"
	"perennial/db"
	"perennial/service/invoices"
)

// Handler serves the operations of this column.
type Handler struct {
	kit      *httpkit.Kit
	store    *db.Store // for reading
	service  *invoices.Service
	gate     *usecase.Gate
	payments *payments.Handler
}

// Register adds the operations of this column.
func Register(d usecase.Deps, p *payments.Handler) {
	h := &Handler{kit: d.Kit, store: d.Store, service: d.Service.Invoices, gate: d.Gate, payments: p}
	h.invoiceOperations()
	h.creditNoteOperations()
	h.monthOperations()
	h.pageOperations()
}
