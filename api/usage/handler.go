// Package usage serves metrics, records of usage and the usage of subscriptions.
package usage

import (
	"time"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/db"
	"perennial/internal/telemetry"
	"perennial/service/usage"
)

// Handler serves the operations of this column.
type Handler struct {
	kit       *httpkit.Kit
	store     *db.Store // for reading
	service   *usage.Service
	telemetry *telemetry.Telemetry
	now       func() time.Time // the real clock
	shapes    httpkit.Shapes   // of records that are validated one by one
}

// Register adds the operations of this column.
func Register(d usecase.Deps) {
	h := &Handler{kit: d.Kit, store: d.Store, service: d.Service.Usage, telemetry: d.Telemetry, now: d.Now}
	h.metricOperations()
	h.usageOperations()
	h.summaryOperation()
}
