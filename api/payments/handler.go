// Package payments serves charges, refunds and disputes, the accounts at payment providers, and the routes of providers
// and payers.
package payments

import (
	"net/http"
	"time"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/contract"
	"perennial/db"
	"perennial/service/invoices"
	"perennial/service/payments"
	"perennial/service/subscriptions"
)

// Handler serves the operations of this column.
type Handler struct {
	kit           *httpkit.Kit
	store         *db.Store // for reading
	service       *payments.Service
	invoices      *invoices.Service
	subscriptions *subscriptions.Service
	gate          *usecase.Gate
	now           func() time.Time // the real clock
	providerOf    ProviderOf
	publicURL     string
}

// Config has this column's settings in addition to the common dependencies of all columns.
type Config struct {
	ProviderOf ProviderOf
	PublicURL  string // how the outside reaches the API
}

// Register adds the operations of this column, and the routes of providers and payers.
func Register(d usecase.Deps, c Config) *Handler {
	h := &Handler{
		kit: d.Kit, store: d.Store, service: d.Service.Payments, invoices: d.Service.Invoices,
		subscriptions: d.Service.Subscriptions, gate: d.Gate, now: d.Now, providerOf: c.ProviderOf,
		publicURL: c.PublicURL,
	}
	h.rawRoutes()
	h.providerOperations()
	h.routingOperations()
	h.paymentOperations()
	h.disputeOperations()
	return h
}

// rawRoutes adds what needs no API key.
func (h *Handler) rawRoutes() {
	router := h.kit.Router()
	// The shortest is the address of accounts that were set up before it named the provider. A secret at the end tells
	// callbacks of providers that sign nothing.
	for _, path := range []string{
		"/callbacks/{id}", "/callbacks/{provider}/{id}", "/callbacks/{provider}/{id}/{secret}",
	} {
		router.Path(path).Methods(http.MethodPost).Handler(h.kit.Raw(h.callback))
	}
	confirm := contract.ConfirmLink("", "{token}")
	router.Path(confirm).Methods(http.MethodGet).Handler(h.kit.Raw(h.confirm))
	router.Path(confirm + "/return").Methods(http.MethodGet).Handler(h.kit.Raw(h.confirmed))
}
