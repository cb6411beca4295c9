package activities

import (
	"time"

	"perennial/billing/lifecycle"
	"perennial/internal/id"
)

// moment is what a decision needs beside its State: the subscription's own time, the wall clock's, and ids.
func moment(now, real time.Time) lifecycle.Moment {
	return lifecycle.Moment{Now: now, Real: real, IDs: id.Source{Now: real}}
}
