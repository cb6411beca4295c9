// Package usage has the use cases of metrics and usage: its recording, its aggregates and its quantities.
package usage

import (
	"perennial/db"
	"perennial/service/usecase"
)

// Service performs the use cases of this column.
type Service struct {
	usecase.Base
	usage    db.UsageLog
	gather   *gather
	recorded *recorded
}

// New returns the column.
func New(b usecase.Base) *Service {
	return &Service{Base: b, usage: b.Store.UsageLog(), gather: &gather{}, recorded: &recorded{}}
}
