package subscriptions

import (
	"perennial/billing/subscription"
	"perennial/db/catalog"
)

// scheduledPlanIDs returns the ids of plan rows in scheduled changes; null: none.
func scheduledPlanIDs(s subscription.Subscription) (ids []string) {
	for _, r := range s.ScheduledRefs() {
		ids = append(ids, catalog.VersionID(r))
	}
	return ids
}
