// Package tenancy serves apps, the environment of the API key, its settings and keys, and the audit log.
package tenancy

import (
	"time"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/db"
	"perennial/service/payments"
	"perennial/service/tenancy"
)

// Handler serves the operations of this column.
type Handler struct {
	kit      *httpkit.Kit
	store    *db.Store // for reading
	service  *tenancy.Service
	payments *payments.Service
	now      func() time.Time // the real clock
}

// Register adds the operations of this column.
func Register(d usecase.Deps) {
	h := &Handler{kit: d.Kit, store: d.Store, service: d.Service.Tenancy, payments: d.Service.Payments, now: d.Now}
	h.environmentOperations()
	h.appOperations()
	h.apiKeyOperations()
	h.settingsOperations()
	h.auditOperations()
}
