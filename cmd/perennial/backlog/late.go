package backlog

import (
	"time"

	"perennial/internal/config"
)

// Late is when due work counts as overdue: the promise is that nothing is later.
const Late = time.Minute

// FailingFor is how long a webhook endpoint may fail until its owner is worth a word.
const FailingFor = time.Hour

// BreakersShown bounds the accounts that are named at each scrape: a network that fails breaks them all.
const BreakersShown = 100

// ReconciledWithin is how old the reconciler's last pass may be: one may be under way, and one skipped beside it.
func ReconciledWithin(c config.Config) time.Duration { return max(4*c.Worker.ReconcileEvery, 2*Late) }
