// Package hosted serves the pages of invoices to whoever has their links, without an API key.
package hosted

import (
	"net/http"

	"perennial/api/httpkit"
	"perennial/api/payments"
	"perennial/api/usecase"
	"perennial/contract"
	"perennial/documents/paper"
	"perennial/service/hosted"
)

// Handler serves the routes of this column.
type Handler struct {
	kit      *httpkit.Kit
	service  *hosted.Service
	gate     *usecase.Gate
	payments *payments.Handler
	fonts    paper.Fonts
	drawing  chan struct{} // a place for each file that is drawn
}

// drawnAtOnce bounds the files that are drawn for visitors at the same time. A long one takes seconds of a processor,
// and whoever has a link may ask for it again and again; requests with a key are not to wait for them.
const drawnAtOnce = 1

// Register adds the routes of this column. PDFs are drawn with the fonts.
func Register(d usecase.Deps, p *payments.Handler, fonts paper.Fonts) {
	h := &Handler{
		kit: d.Kit, service: d.Service.Hosted, gate: d.Gate, payments: p, fonts: fonts,
		drawing: make(chan struct{}, drawnAtOnce),
	}
	router := h.kit.Router()
	at := contract.HostedPath + "{token}"
	router.Path(at).Methods(http.MethodGet).Handler(h.kit.Raw(h.page))
	router.Path(at + "/html").Methods(http.MethodGet).Handler(h.kit.Raw(h.html))
	router.Path(at + "/pdf").Methods(http.MethodGet).Handler(h.kit.Raw(h.pdf))
	router.Path(at + "/pay").Methods(http.MethodPost).Handler(h.kit.Raw(h.pay))
}
