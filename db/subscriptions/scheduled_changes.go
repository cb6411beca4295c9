package subscriptions

import (
	"perennial/billing/subscription"
	"perennial/db/catalog"
)

// scheduledPlanIDs are the ids of the rows that scheduled changes lead to; null: there are none.
func scheduledPlanIDs(s subscription.Subscription) (ids []string) {
	for _, r := range s.ScheduledRefs() {
		ids = append(ids, catalog.VersionID(r))
	}
	return ids
}
