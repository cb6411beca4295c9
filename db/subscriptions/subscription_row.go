package subscriptions

import (
	"perennial/billing/period"
	"perennial/billing/subscription"
	"perennial/billing/terms"
	"perennial/db/catalog"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// newSubscriptionRow returns the row of a new subscription.
func newSubscriptionRow(environmentID string, s subscription.Subscription) dbsqlc.Subscription {
	s.UpdatedAt = s.CreatedAt
	return subscriptionRow(environmentID, s)
}

// subscriptionRow leaves out its items, which have their own table, and columns that no statement of package rows
// writes.
func subscriptionRow(environmentID string, s subscription.Subscription) dbsqlc.Subscription {
	ids, quantities := addOnsToDB(s.AddOns)
	pendingIDs, pendingQuantities := pendingAddOnsToDB(s.PendingAddOns)
	return dbsqlc.Subscription{
		ID: s.ID, EnvironmentID: environmentID, CustomerID: s.CustomerID, PlanID: catalog.VersionID(s.Plan()),
		Status: s.Status, Currency: s.Currency, TimeZone: s.TimeZone, AnchorAt: s.AnchorAt,
		IntervalUnit: s.Interval.Unit, IntervalCount: s.Interval.Count,
		PlanIntervalUnit: core.Null(s.PlanInterval.Unit), PlanIntervalCount: core.Null(s.PlanInterval.Count),
		TrialEndsAt: core.NullTime(s.TrialEndsAt), TrialNoticeAt: core.NullTime(s.TrialNoticeAt),
		IncompleteUntil: core.NullTime(s.IncompleteUntil), RemindedFor: core.NullTime(s.RemindedFor),
		CurrentPeriodStart: s.CurrentPeriod.Start, CurrentPeriodEnd: s.CurrentPeriod.End,
		NextPeriod: s.NextPeriod, PaidThrough: core.NullTime(s.PaidThrough), ActivatedAt: core.NullTime(s.ActivatedAt),
		PendingPlanID: core.Null(catalog.VersionID(s.PendingPlan())), CancelAtPeriodEnd: s.CancelAtPeriodEnd,
		CancelReason: core.Null(s.CancelReason), CanceledAt: core.NullTime(s.CanceledAt),
		PastDueAt:           core.NullTime(s.PastDueAt),
		CollectingInvoiceID: core.Null(s.CollectingInvoiceID), CollectionPausedAt: core.NullTime(s.CollectionPausedAt),
		TestClockID: core.Null(s.TestClockID), Metadata: core.Present(s.Metadata),
		MethodChangedAt: core.NullTime(s.MethodChangedAt),
		NextAction:      s.NextAction, NextActionAt: core.NullTime(s.NextActionAt), FinishedAt: core.NullTime(s.FinishedAt),
		RenewedFrom: core.NullTime(s.RenewedFrom), Quantity: s.Quantity, PendingQuantity: core.Null(s.PendingQuantity),
		PeriodIndex: s.PeriodIndex, RenewedIndex: s.RenewedIndex,
		ProrationMeasure: core.Null(s.ProrationMeasure), UnproratedIndex: core.Null(s.UnproratedIndex),
		PaidElsewhereIndex: core.Null(s.PaidElsewhereIndex), Discounts: core.NullList(s.Discounts),
		EndedDiscounts: core.NullList(s.EndedDiscounts), FreeIndex: core.Null(s.FreeIndex),
		MeteredSince: core.NullTime(s.MeteredSince), LateUsageUntil: core.NullTime(s.LateUsageUntil),
		UsageThresholds: s.UsageThresholds, PaidFor: s.PaidFor, PendingChange: s.PendingChange,
		AttemptsOnce: s.AttemptsOnce,
		PendingLines: pendingLines(s.PendingLines),
		PausedAt:     core.NullTime(s.PausedAt), ResumesAt: core.NullTime(s.ResumesAt),
		PauseReason: core.Null(s.PauseReason), PaymentMethodID: core.Null(s.PaymentMethodID),
		CollectionMethod: core.Null(s.Terms.Method), NetDays: s.Terms.NetDays,
		AddOnIds: ids, AddOnQuantities: quantities, PendingAddOnIds: pendingIDs, PendingAddOnQuantities: pendingQuantities,
		ScheduledChanges: core.NullList(s.Scheduled), ScheduledPlanIds: scheduledPlanIDs(s),
		Revision: s.Revision, CreatedAt: s.CreatedAt, UpdatedAt: s.UpdatedAt,
	}
}

// SubscriptionFromDB returns the subscription of a row.
func SubscriptionFromDB(row dbsqlc.Subscription) subscription.Subscription {
	on, pending := catalog.PlanRef(row.PlanID), catalog.PlanRef(core.Value(row.PendingPlanID))
	return subscription.Subscription{
		ID: row.ID, CustomerID: row.CustomerID, PlanID: on.ID, PlanVersion: on.Version, Status: row.Status,
		Currency: row.Currency, TimeZone: row.TimeZone, AnchorAt: row.AnchorAt,
		Interval: period.Interval{Unit: row.IntervalUnit, Count: row.IntervalCount},
		PlanInterval: period.Interval{
			Unit: core.Value(row.PlanIntervalUnit), Count: core.Value(row.PlanIntervalCount),
		},
		TrialEndsAt: core.Value(row.TrialEndsAt), TrialNoticeAt: core.Value(row.TrialNoticeAt),
		IncompleteUntil: core.Value(row.IncompleteUntil), RemindedFor: core.Value(row.RemindedFor),
		CurrentPeriod: period.Period{Start: row.CurrentPeriodStart, End: row.CurrentPeriodEnd},
		NextPeriod:    row.NextPeriod, PaidThrough: core.Value(row.PaidThrough), ActivatedAt: core.Value(row.ActivatedAt),
		PendingPlanID: pending.ID, PendingPlanVersion: pending.Version, CancelAtPeriodEnd: row.CancelAtPeriodEnd,
		CancelReason: core.Value(row.CancelReason), CanceledAt: core.Value(row.CanceledAt),
		PastDueAt:           core.Value(row.PastDueAt),
		CollectingInvoiceID: core.Value(row.CollectingInvoiceID), CollectionPausedAt: core.Value(row.CollectionPausedAt),
		TestClockID: core.Value(row.TestClockID),
		Metadata:    row.Metadata, MethodChangedAt: core.Value(row.MethodChangedAt), NextAction: row.NextAction,
		NextActionAt: core.Value(row.NextActionAt), FinishedAt: core.Value(row.FinishedAt),
		RenewedFrom: core.Value(row.RenewedFrom),
		Quantity:    row.Quantity, PendingQuantity: core.Value(row.PendingQuantity),
		PeriodIndex: row.PeriodIndex, RenewedIndex: row.RenewedIndex,
		ProrationMeasure: core.Value(row.ProrationMeasure), UnproratedIndex: core.Value(row.UnproratedIndex),
		PaidElsewhereIndex: core.Value(row.PaidElsewhereIndex), Discounts: core.Value(row.Discounts),
		EndedDiscounts: core.Value(row.EndedDiscounts), FreeIndex: core.Value(row.FreeIndex),
		MeteredSince: core.Value(row.MeteredSince), LateUsageUntil: core.Value(row.LateUsageUntil),
		UsageThresholds: row.UsageThresholds, PaidFor: row.PaidFor, PendingChange: row.PendingChange,
		AttemptsOnce: row.AttemptsOnce,
		PendingLines: pendingLinesFromDB(row.PendingLines),
		PausedAt:     core.Value(row.PausedAt), ResumesAt: core.Value(row.ResumesAt),
		PauseReason: core.Value(row.PauseReason), PaymentMethodID: core.Value(row.PaymentMethodID),
		Terms:         terms.Terms{Method: core.Value(row.CollectionMethod), NetDays: row.NetDays},
		AddOns:        addOnsFromDB(row.AddOnIds, row.AddOnQuantities),
		PendingAddOns: pendingAddOnsFromDB(row.PendingAddOnIds, row.PendingAddOnQuantities),
		Scheduled:     core.Value(row.ScheduledChanges),
		Revision:      row.Revision, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
	}
}
