// Package invoices serves invoices and credit notes.
package invoices

import (
	"perennial/api/httpkit"
	"perennial/api/payments"
	"perennial/api/usecase"
	"perennial/db"
	"perennial/documents/drawing"
	"perennial/service/hosted"
	"perennial/service/invoices"
)

// Handler serves the operations of this column.
type Handler struct {
	kit      *httpkit.Kit
	store    *db.Store // for reading
	service  *invoices.Service
	gate     *usecase.Gate
	hosted   *hosted.Service
	payments *payments.Handler
	drawer   *drawing.Drawer
}

// Register adds the operations of this column. Documents are drawn by the drawer.
func Register(d usecase.Deps, p *payments.Handler, drawer *drawing.Drawer) {
	h := &Handler{
		kit: d.Kit, store: d.Store, service: d.Service.Invoices, hosted: d.Service.Hosted, gate: d.Gate, payments: p,
		drawer: drawer,
	}
	h.invoiceOperations()
	h.creditNoteOperations()
	h.monthOperations()
	h.pageOperations()
	h.fileOperations()
}
