// Package subscriptions serves subscriptions: their commands, previews and timelines.
package subscriptions

import (
	"perennial/api/httpkit"
	"perennial/api/payments"
	"perennial/api/usecase"
	"perennial/db"
	"perennial/service/subscriptions"
)

// Handler serves the operations of this column.
type Handler struct {
	kit     *httpkit.Kit
	store   *db.Store // for reading
	service *subscriptions.Service
	gate    *usecase.Gate
	// payments shows the payment of a subscription's invoice.
	payments *payments.Handler
}

// Register adds the operations of this column.
func Register(d usecase.Deps, p *payments.Handler) {
	h := &Handler{kit: d.Kit, store: d.Store, service: d.Service.Subscriptions, gate: d.Gate, payments: p}
	h.subscriptionOperations()
}
