// Package hosted serves the pages of invoices to whoever has their links, without an API key.
package hosted

import (
	"net/http"

	"perennial/api/httpkit"
	"perennial/api/payments"
	"perennial/api/usecase"
	"perennial/contract"
	"perennial/documents/drawing"
	"perennial/service/hosted"
)

// Handler serves the routes of this column.
type Handler struct {
	kit      *httpkit.Kit
	service  *hosted.Service
	gate     *usecase.Gate
	payments *payments.Handler
	drawer   *drawing.Drawer
	waiting  chan struct{} // a place for each PDF that is drawn or waits
	drawing  chan struct{} // for the one that is drawn
}

// PDFs are drawn one after the other for visitors, and few wait for theirs: a long one takes seconds of a processor,
// and whoever has a link may ask for it again and again. Requests with a key are not to wait for them.
const mostWaiting = 4

// Register adds the routes of this column. Documents are drawn by the drawer.
func Register(d usecase.Deps, p *payments.Handler, drawer *drawing.Drawer) {
	h := &Handler{
		kit: d.Kit, service: d.Service.Hosted, gate: d.Gate, payments: p, drawer: drawer,
		waiting: make(chan struct{}, 1+mostWaiting), drawing: make(chan struct{}, 1),
	}
	router := h.kit.Router()
	at := contract.HostedPath + "{token}"
	router.Path(at).Methods(http.MethodGet).Handler(h.kit.Raw(h.page))
	router.Path(at + "/html").Methods(http.MethodGet).Handler(h.kit.Raw(h.html))
	router.Path(at + "/pdf").Methods(http.MethodGet).Handler(h.kit.Raw(h.pdf))
	router.Path(at + "/pay").Methods(http.MethodPost).Handler(h.kit.Raw(h.pay))
}
