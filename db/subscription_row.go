package db

import (
	"perennial/billing/period"
	"perennial/billing/subscription"
	"perennial/billing/terms"
	"perennial/db/internal/dbsqlc"
)

// newSubscriptionRow is the row of a subscription that begins: nothing has changed it since.
func newSubscriptionRow(environmentID string, s subscription.Subscription) dbsqlc.Subscription {
	s.UpdatedAt = s.CreatedAt
	return subscriptionRow(environmentID, s)
}

// subscriptionRow leaves out its items, which have a table of their own, and what no statement of package rows writes.
func subscriptionRow(environmentID string, s subscription.Subscription) dbsqlc.Subscription {
	ids, quantities := addOnsToDB(s.AddOns)
	pendingIDs, pendingQuantities := pendingAddOnsToDB(s.PendingAddOns)
	return dbsqlc.Subscription{
		ID: s.ID, EnvironmentID: environmentID, CustomerID: s.CustomerID, PlanID: versionID(s.Plan()),
		Status: s.Status, Currency: s.Currency, TimeZone: s.TimeZone, AnchorAt: s.AnchorAt,
		IntervalUnit: s.Interval.Unit, IntervalCount: s.Interval.Count,
		TrialEndsAt: nullTime(s.TrialEndsAt), TrialNoticeAt: nullTime(s.TrialNoticeAt), RemindedFor: nullTime(s.RemindedFor),
		CurrentPeriodStart: s.CurrentPeriod.Start, CurrentPeriodEnd: s.CurrentPeriod.End,
		NextPeriod: s.NextPeriod, PaidThrough: nullTime(s.PaidThrough), ActivatedAt: nullTime(s.ActivatedAt),
		PendingPlanID: null(versionID(s.PendingPlan())), CancelAtPeriodEnd: s.CancelAtPeriodEnd,
		CancelReason: null(s.CancelReason), CanceledAt: nullTime(s.CanceledAt), PastDueAt: nullTime(s.PastDueAt),
		CollectingInvoiceID: null(s.CollectingInvoiceID), CollectionPausedAt: nullTime(s.CollectionPausedAt),
		TestClockID: null(s.TestClockID), Metadata: present(s.Metadata), MethodChangedAt: nullTime(s.MethodChangedAt),
		NextAction: s.NextAction, NextActionAt: nullTime(s.NextActionAt), FinishedAt: nullTime(s.FinishedAt),
		RenewedFrom: nullTime(s.RenewedFrom), Quantity: s.Quantity, PendingQuantity: null(s.PendingQuantity),
		PeriodIndex: s.PeriodIndex, RenewedIndex: s.RenewedIndex,
		ProrationMeasure: null(s.ProrationMeasure), UnproratedIndex: null(s.UnproratedIndex),
		PaidElsewhereIndex: null(s.PaidElsewhereIndex), Discounts: nullList(s.Discounts), PendingLines: pendingLines(s.PendingLines),
		PausedAt: nullTime(s.PausedAt), ResumesAt: nullTime(s.ResumesAt), PauseReason: null(s.PauseReason),
		CollectionMethod: null(s.Terms.Method), NetDays: s.Terms.NetDays,
		AddOnIds: ids, AddOnQuantities: quantities, PendingAddOnIds: pendingIDs, PendingAddOnQuantities: pendingQuantities,
		ScheduledChanges: nullList(s.Scheduled), ScheduledPlanIds: scheduledPlanIDs(s),
		Revision: s.Revision, CreatedAt: s.CreatedAt, UpdatedAt: s.UpdatedAt,
	}
}

func subscriptionFromDB(row dbsqlc.Subscription) subscription.Subscription {
	on, pending := planRef(row.PlanID), planRef(value(row.PendingPlanID))
	return subscription.Subscription{
		ID: row.ID, CustomerID: row.CustomerID, PlanID: on.ID, PlanVersion: on.Version, Status: row.Status,
		Currency: row.Currency, TimeZone: row.TimeZone, AnchorAt: row.AnchorAt,
		Interval:    period.Interval{Unit: row.IntervalUnit, Count: row.IntervalCount},
		TrialEndsAt: value(row.TrialEndsAt), TrialNoticeAt: value(row.TrialNoticeAt), RemindedFor: value(row.RemindedFor),
		CurrentPeriod: period.Period{Start: row.CurrentPeriodStart, End: row.CurrentPeriodEnd},
		NextPeriod:    row.NextPeriod, PaidThrough: value(row.PaidThrough), ActivatedAt: value(row.ActivatedAt),
		PendingPlanID: pending.ID, PendingPlanVersion: pending.Version, CancelAtPeriodEnd: row.CancelAtPeriodEnd,
		CancelReason: value(row.CancelReason), CanceledAt: value(row.CanceledAt), PastDueAt: value(row.PastDueAt),
		CollectingInvoiceID: value(row.CollectingInvoiceID), CollectionPausedAt: value(row.CollectionPausedAt), TestClockID: value(row.TestClockID),
		Metadata: row.Metadata, MethodChangedAt: value(row.MethodChangedAt), NextAction: row.NextAction,
		NextActionAt: value(row.NextActionAt), FinishedAt: value(row.FinishedAt), RenewedFrom: value(row.RenewedFrom),
		Quantity: row.Quantity, PendingQuantity: value(row.PendingQuantity),
		PeriodIndex: row.PeriodIndex, RenewedIndex: row.RenewedIndex,
		ProrationMeasure: value(row.ProrationMeasure), UnproratedIndex: value(row.UnproratedIndex),
		PaidElsewhereIndex: value(row.PaidElsewhereIndex), Discounts: value(row.Discounts), PendingLines: pendingLinesFromDB(row.PendingLines),
		PausedAt: value(row.PausedAt), ResumesAt: value(row.ResumesAt), PauseReason: value(row.PauseReason),
		Terms:         terms.Terms{Method: value(row.CollectionMethod), NetDays: row.NetDays},
		AddOns:        addOnsFromDB(row.AddOnIds, row.AddOnQuantities),
		PendingAddOns: pendingAddOnsFromDB(row.PendingAddOnIds, row.PendingAddOnQuantities),
		Scheduled:     value(row.ScheduledChanges),
		Revision:      row.Revision, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
	}
}
