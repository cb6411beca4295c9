package db

import (
	"time"

	rules "perennial/billing/lifecycle"
	"perennial/db/lifecycle"
)

// Moment returns the inputs of a decision besides its State: the subscription's own time, the wall clock's, and ids.
func Moment(now, wall time.Time) rules.Moment { return lifecycle.Moment(now, wall) }
