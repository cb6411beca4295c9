package db

import (
	"perennial/billing/lifecycle"
	"perennial/billing/plan"
	"perennial/billing/subscription"
	"perennial/db/internal/dbsqlc"
)

// scheduledPlanIDs are the ids of the rows that scheduled changes lead to; null: there are none.
func scheduledPlanIDs(s subscription.Subscription) (ids []string) {
	for _, r := range s.ScheduledRefs() {
		ids = append(ids, versionID(r))
	}
	return ids
}

// distributeChanges puts what scheduled changes lead to, out of the plans that were read, to their subscription. Fault:
// plan_missing.
func (l *loader) distributeChanges(known func(plan.Ref) (plan.Plan, error)) (err error) {
	l.Scheduled, err = lifecycle.Versions(l.Subscription.ScheduledRefs(), known)
	return err
}

// loadCaptures adds what LockCaptures adds. A subscription with scheduled changes needs it in any decision, which may have
// to make one; all others are spared the round trip.
func (l *loader) loadCaptures(r Reader) error {
	if len(l.Subscription.Scheduled) == 0 || len(l.Paid) == 0 {
		return nil
	}
	ids := make([]string, len(l.Paid))
	for i, inv := range l.Paid {
		ids[i] = inv.ID
	}
	return r.together(l.ctx, func(h dbsqlc.DBTX) error {
		rows, err := queries.TransactionLockSettling(l.ctx, h, dbsqlc.TransactionLockSettlingParams{
			EnvironmentID: l.environmentID, InvoiceIds: ids,
		})
		l.Captures = captured(rows)
		return err
	})
}
