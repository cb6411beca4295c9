// Package clocks serves test clocks.
package clocks

import (
	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/db"
	"perennial/service/clocks"
)

// Handler serves the operations of this column.
type Handler struct {
	kit     *httpkit.Kit
	store   *db.Store // for reading
	service *clocks.Service
}

// Register adds the operations of this column.
func Register(d usecase.Deps) {
	h := &Handler{kit: d.Kit, store: d.Store, service: d.Service.Clocks}
	h.testClockOperations()
}
