package activities

import (
	"time"

	"perennial/billing/lifecycle"
	"perennial/internal/id"
)

// moment is what a decision needs beside its State: the subscription's own time, the wall clock's, and ids.
func moment(now, wall time.Time) lifecycle.Moment {
	return lifecycle.Moment{Now: now, Real: wall, IDs: id.Source{Now: wall}}
}
