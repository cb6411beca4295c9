// Package webhooks serves events, the endpoints that receive them and the log of their deliveries.
package webhooks

import (
	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/db"
	"perennial/service/webhooks"
)

// Handler serves the operations of this column.
type Handler struct {
	kit     *httpkit.Kit
	store   *db.Store // for reading
	service *webhooks.Service
}

// Register adds the operations of this column.
func Register(d usecase.Deps) {
	h := &Handler{kit: d.Kit, store: d.Store, service: d.Service.Webhooks}
	h.eventOperations()
	h.webhookOperations()
	h.webhookLogOperations()
}
