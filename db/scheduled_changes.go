package db

import (
	"perennial/billing/subscription"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// scheduledPlanIDs are the ids of the rows that scheduled changes lead to; null: there are none.
func scheduledPlanIDs(s subscription.Subscription) (ids []string) {
	for _, r := range s.ScheduledRefs() {
		ids = append(ids, versionID(r))
	}
	return ids
}

// loadCaptures adds what LockCaptures adds. A subscription with scheduled changes needs it in any decision, which may
// have to make one; all others are spared the round trip.
func (l *loader) loadCaptures(r core.Reader) error {
	if len(l.Subscription.Scheduled) == 0 || len(l.Paid) == 0 {
		return nil
	}
	return r.Together(l.ctx, func(h dbsqlc.DBTX) (err error) {
		l.Captures, err = capturesOf(l.ctx, h, l.environmentID, idsOf(l.Paid))
		return err
	})
}
