package backlog

import (
	"time"

	"perennial/internal/config"
)

// Late is the age at which due work counts as overdue: the promise is that nothing is later.
const Late = time.Minute

// FailingFor is the time for which a webhook endpoint or a mail server may fail before it is reported.
const FailingFor = time.Hour

// FailedWithin is the age up to which mails that were given up are reported: one waits for three days at most.
const FailedWithin = 4 * 24 * time.Hour

// BreakersShown bounds the accounts that are named at each scrape: a network that fails breaks them all.
const BreakersShown = 100

// ReconciledWithin returns the age that the reconciler's last pass may have: one pass may be under way, and one skipped
// meanwhile.
func ReconciledWithin(c config.Config) time.Duration { return max(4*c.Worker.ReconcileEvery, 2*Late) }
