package contract

import "perennial/billing/subscription"

// SnapshotOf is what a workflow may know of a subscription that has no payment under way and lives in real time.
func SnapshotOf(s subscription.Subscription) Snapshot {
	return Snapshot{
		Revision: s.Revision, Status: string(s.Status), CustomerID: s.CustomerID, PlanID: s.PlanID,
		NextAction: string(s.NextAction), NextAt: s.NextActionAt, PeriodEnd: s.CurrentPeriod.End, Period: s.NextPeriod,
		Finished: !s.FinishedAt.IsZero(),
	}
}
