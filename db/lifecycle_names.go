package db

import (
	"time"

	rules "perennial/billing/lifecycle"
	"perennial/db/lifecycle"
)

// Moment returns what a decision needs beside its State: the subscription's own time, the wall clock's, and ids.
func Moment(now, wall time.Time) rules.Moment { return lifecycle.Moment(now, wall) }
