package api

import (
	"net/http"

	"perennial/api/catalog"
	"perennial/api/clocks"
	"perennial/api/customers"
	"perennial/api/emails"
	"perennial/api/hosted"
	"perennial/api/httpkit"
	"perennial/api/invoices"
	"perennial/api/payments"
	"perennial/api/subscriptions"
	"perennial/api/templates"
	"perennial/api/tenancy"
	"perennial/api/usage"
	"perennial/api/usecase"
	"perennial/api/webhooks"
	"perennial/db"
	"perennial/documents/drawing"
)

// route builds every route of the server.
func (s *Server) route(c Config) {
	kit := c.describe()
	kit.Requests, kit.Visitors = s.quota, s.visitors
	s.kit = httpkit.New(httpkit.Deps{Store: s.store, Telemetry: s.telemetry, Now: s.now}, kit)
	s.health = httpkit.NewHealth(s.telemetry.Logger,
		httpkit.Requirement{Check: s.store.Ping, Absent: httpkit.ErrDatabaseAway})
	router := s.kit.Router()
	// Only the database makes the API unready. Temporal is not needed for an answer, so losing it must not take the API
	// out of the load balancer.
	router.Path("/healthz").Methods(http.MethodGet).HandlerFunc(s.health.Live)
	router.Path("/readyz").Methods(http.MethodGet).HandlerFunc(s.health.Ready)

	d := usecase.Deps{
		Kit: s.kit, Store: s.store, Service: s.service, Gate: &s.gate, Telemetry: s.telemetry, Now: s.now,
	}
	tenancy.Register(d)
	clocks.Register(d)
	webhooks.Register(d)
	emails.Register(d)
	templates.Register(d, c.Fonts)
	usage.Register(d)
	catalog.Register(d)
	customers.Register(d)
	paid := payments.Register(d, payments.Config{ProviderOf: s.providerOf, PublicURL: c.PublicURL})
	drawer := drawing.New(db.NewDrawings(s.store, s.now), c.Fonts)
	invoices.Register(d, paid, drawer)
	hosted.Register(d, paid, drawer)
	subscriptions.Register(d, paid)
	// Last, since the document describes the operations that are registered by now.
	s.kit.Publish()
}
