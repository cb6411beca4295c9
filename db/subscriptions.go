package db

import (
	"context"

	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/subscription"
	"perennial/billing/terms"
	"perennial/db/internal/dbsqlc"
)

// SubscriptionFilter narrows a list; empty: any.
type SubscriptionFilter struct {
	CustomerID   string
	PlanID       string // on any version, unless PlanVersion says which
	PlanVersion  int
	AddOnID      string // in any version, unless AddOnVersion says which
	AddOnVersion int
	Status       subscription.Status
	TestClockID  string
}

// Subscription reads one with its items. Fault: subscription_not_found.
func (r Reader) Subscription(ctx context.Context, environmentID, id string) (subscription.Subscription, error) {
	var row dbsqlc.SubscriptionGetRow
	var items map[string][]subscription.Item
	err := r.together(ctx,
		func(h dbsqlc.DBTX) (err error) {
			row, err = queries.SubscriptionGet(ctx, h, dbsqlc.SubscriptionGetParams{EnvironmentID: environmentID, ID: id})
			return err
		},
		func(h dbsqlc.DBTX) (err error) {
			items, err = itemsOf(ctx, h, environmentID, id)
			return err
		})
	if err != nil {
		return subscription.Subscription{}, readError("subscription", err)
	}
	s := subscriptionFromDB(row.Subscription)
	s.Items = items[id]
	return s, nil
}

// SubscriptionWithKey reads key and subscription in one round trip. Faults: api_key_unknown; subscription_not_found,
// with the key.
func (r Reader) SubscriptionWithKey(
	ctx context.Context, hash []byte, id string,
) (APIKey, subscription.Subscription, error) {
	row, err := queries.SubscriptionGetWithKey(ctx, r.handle, dbsqlc.SubscriptionGetWithKeyParams{Hash: hash, ID: id})
	if err != nil {
		key, err := r.withoutResource(ctx, hash, "subscription", err)
		return key, subscription.Subscription{}, err
	}
	s := subscriptionFromDB(row.Subscription)
	for i, itemID := range row.ItemIds {
		s.Items = append(s.Items, subscription.Item{ID: itemID, PriceID: row.PriceIds[i], Quantity: row.Quantities[i]})
	}
	return apiKeyFromDB(row.ApiKeyDetail), s, nil
}

// RenewedCurrencies lists the currencies of a customer's subscriptions that renew, cost something and are charged.
func (r Reader) RenewedCurrencies(ctx context.Context, environmentID, customerID string) ([]money.Currency, error) {
	found, err := queries.SubscriptionListRenewedCurrencies(ctx, r.handle,
		dbsqlc.SubscriptionListRenewedCurrenciesParams{EnvironmentID: environmentID, CustomerID: customerID})
	return refs(found, func(c string) money.Currency { return money.Currency(c) }),
		translate("SubscriptionListRenewedCurrencies", err)
}

// Subscriptions lists an environment's, with their items.
func (r Reader) Subscriptions(
	ctx context.Context, environmentID string, f SubscriptionFilter, page Page,
) (subs []subscription.Subscription, hasMore bool, err error) {
	span, err := r.bounds(ctx, environmentID, page)
	if err != nil {
		return nil, false, err
	}
	in := dbsqlc.SubscriptionListParams{
		EnvironmentID: environmentID, CustomerID: null(f.CustomerID), Status: null(string(f.Status)),
		TestClockID: null(f.TestClockID), Below: span.below, Above: span.above, Forward: page.forward(),
		RowLimit: page.rowLimit(),
	}
	rows, err := r.subscriptionList(ctx, f, in)
	if err != nil {
		return nil, false, err
	}
	subs, hasMore = cut(page, rows, subscriptionFromDB)
	ids := make([]string, len(subs))
	for i := range subs {
		ids[i] = subs[i].ID
	}
	items, err := itemsOf(ctx, r.handle, environmentID, ids...)
	if err != nil {
		return nil, false, translate("SubscriptionItemList", err)
	}
	for i := range subs {
		subs[i].Items = items[subs[i].ID]
	}
	return subs, hasMore, nil
}

// subscriptionList lists those of one plan, or with one add-on, or all where the filter names none.
func (r Reader) subscriptionList(
	ctx context.Context, f SubscriptionFilter, in dbsqlc.SubscriptionListParams,
) ([]dbsqlc.Subscription, error) {
	if f.AddOnID != "" {
		rows, err := queries.SubscriptionListOfAddOn(ctx, r.lists(), dbsqlc.SubscriptionListOfAddOnParams{
			EnvironmentID: in.EnvironmentID, AddOnID: f.AddOnID, Version: null(f.AddOnVersion), PlanID: null(f.PlanID),
			CustomerID: in.CustomerID, Status: in.Status, TestClockID: in.TestClockID, Below: in.Below, Above: in.Above,
			Forward: in.Forward, RowLimit: in.RowLimit,
		})
		return refs(rows, func(row dbsqlc.SubscriptionListOfAddOnRow) dbsqlc.Subscription { return row.Subscription }),
			translate("SubscriptionListOfAddOn", err)
	}
	if f.PlanID == "" {
		rows, err := queries.SubscriptionList(ctx, r.lists(), in)
		return refs(rows, func(row dbsqlc.SubscriptionListRow) dbsqlc.Subscription { return row.Subscription }),
			translate("SubscriptionList", err)
	}
	rows, err := queries.SubscriptionListOfPlan(ctx, r.lists(), dbsqlc.SubscriptionListOfPlanParams{
		EnvironmentID: in.EnvironmentID, PlanID: f.PlanID, PlanVersion: null(f.PlanVersion), CustomerID: in.CustomerID, Status: in.Status,
		TestClockID: in.TestClockID, Below: in.Below, Above: in.Above, Forward: in.Forward, RowLimit: in.RowLimit,
	})
	return refs(rows, func(row dbsqlc.SubscriptionListOfPlanRow) dbsqlc.Subscription { return row.Subscription }),
		translate("SubscriptionListOfPlan", err)
}

// InsertSubscription writes a new one with its items, with the revision 1. The customer is not erased until the transaction ends.
// Faults: customer_not_found, also for an erased one; plan_not_found, test_clock_not_found.
func (tx *Tx) InsertSubscription(ctx context.Context, environmentID string, s subscription.Subscription) error {
	row := subscriptionToDB(environmentID, s)
	if err := queries.SubscriptionInsert(ctx, tx.pipe.orElse(notFoundIn("customer", "customerId")), row); err != nil {
		return err
	}
	return tx.SaveItems(ctx, environmentID, s, s.Items, nil)
}

// subscriptionToDB is the row of a new one.
func subscriptionToDB(environmentID string, s subscription.Subscription) dbsqlc.SubscriptionInsertParams {
	ids, quantities := addOnsToDB(s.AddOns)
	pendingIDs, pendingQuantities := pendingAddOnsToDB(s.PendingAddOns)
	return dbsqlc.SubscriptionInsertParams{
		ID: s.ID, EnvironmentID: environmentID, CustomerID: s.CustomerID, PlanID: versionID(s.Plan()),
		Status: s.Status, Currency: s.Currency, TimeZone: s.TimeZone, AnchorAt: s.AnchorAt,
		IntervalUnit: s.Interval.Unit, IntervalCount: s.Interval.Count, TrialEndsAt: nullTime(s.TrialEndsAt),
		CurrentPeriodStart: s.CurrentPeriod.Start, CurrentPeriodEnd: s.CurrentPeriod.End,
		NextPeriod: s.NextPeriod, PaidThrough: nullTime(s.PaidThrough), ActivatedAt: nullTime(s.ActivatedAt),
		PendingPlanID: null(versionID(s.PendingPlan())), CancelAtPeriodEnd: s.CancelAtPeriodEnd,
		CancelReason: null(s.CancelReason), CanceledAt: nullTime(s.CanceledAt), PastDueAt: nullTime(s.PastDueAt),
		CollectingInvoiceID: null(s.CollectingInvoiceID), CollectionPausedAt: nullTime(s.CollectionPausedAt),
		TestClockID: null(s.TestClockID), Metadata: present(s.Metadata), NextAction: s.NextAction, NextActionAt: nullTime(s.NextActionAt),
		Quantity: s.Quantity, PendingQuantity: null(s.PendingQuantity),
		FinishedAt: nullTime(s.FinishedAt), PeriodIndex: s.PeriodIndex, RenewedIndex: s.RenewedIndex,
		RenewedFrom:   nullTime(s.RenewedFrom),
		TrialNoticeAt: nullTime(s.TrialNoticeAt), RemindedFor: nullTime(s.RemindedFor), CreatedAt: s.CreatedAt, UpdatedAt: s.CreatedAt,
		ProrationMeasure: null(s.ProrationMeasure), UnproratedIndex: null(s.UnproratedIndex),
		PaidElsewhereIndex: null(s.PaidElsewhereIndex), Discounts: nullList(s.Discounts), PendingLines: pendingLines(s.PendingLines),
		PausedAt: nullTime(s.PausedAt), ResumesAt: nullTime(s.ResumesAt), PauseReason: null(s.PauseReason),
		CollectionMethod: null(s.Terms.Method), NetDays: s.Terms.NetDays,
		AddOnIds: ids, AddOnQuantities: quantities, PendingAddOnIds: pendingIDs, PendingAddOnQuantities: pendingQuantities,
		ScheduledChanges: nullList(s.Scheduled), ScheduledPlanIds: scheduledPlanIDs(s),
	}
}

// SaveSubscription writes what may change and raises the revision by one. The row must be locked by this transaction.
// Faults: subscription_changed, when it is not of the revision read; subscription_canceled, when it would leave that
// status.
func (tx *Tx) SaveSubscription(ctx context.Context, environmentID string, s subscription.Subscription) error {
	ids, quantities := addOnsToDB(s.AddOns)
	pendingIDs, pendingQuantities := pendingAddOnsToDB(s.PendingAddOns)
	return queries.SubscriptionUpdate(ctx, tx.pipe.orElse(changed("subscription")), dbsqlc.SubscriptionUpdateParams{
		ID: s.ID, EnvironmentID: environmentID, PlanID: versionID(s.Plan()), Status: s.Status, AnchorAt: s.AnchorAt,
		IntervalUnit: s.Interval.Unit, IntervalCount: s.Interval.Count, TrialEndsAt: nullTime(s.TrialEndsAt),
		CurrentPeriodStart: s.CurrentPeriod.Start, CurrentPeriodEnd: s.CurrentPeriod.End,
		NextPeriod: s.NextPeriod, PaidThrough: nullTime(s.PaidThrough), ActivatedAt: nullTime(s.ActivatedAt),
		PendingPlanID: null(versionID(s.PendingPlan())), CancelAtPeriodEnd: s.CancelAtPeriodEnd,
		CancelReason: null(s.CancelReason), CanceledAt: nullTime(s.CanceledAt), PastDueAt: nullTime(s.PastDueAt),
		CollectingInvoiceID: null(s.CollectingInvoiceID), CollectionPausedAt: nullTime(s.CollectionPausedAt),
		Metadata:        present(s.Metadata),
		MethodChangedAt: nullTime(s.MethodChangedAt), NextAction: s.NextAction, NextActionAt: nullTime(s.NextActionAt),
		Quantity: s.Quantity, PendingQuantity: null(s.PendingQuantity),
		FinishedAt: nullTime(s.FinishedAt), PeriodIndex: s.PeriodIndex, RenewedIndex: s.RenewedIndex,
		RenewedFrom:   nullTime(s.RenewedFrom),
		TrialNoticeAt: nullTime(s.TrialNoticeAt), RemindedFor: nullTime(s.RemindedFor), UpdatedAt: s.UpdatedAt, Revision: s.Revision,
		ProrationMeasure: null(s.ProrationMeasure), UnproratedIndex: null(s.UnproratedIndex),
		PaidElsewhereIndex: null(s.PaidElsewhereIndex), Discounts: nullList(s.Discounts), PendingLines: pendingLines(s.PendingLines),
		PausedAt: nullTime(s.PausedAt), ResumesAt: nullTime(s.ResumesAt), PauseReason: null(s.PauseReason),
		CollectionMethod: null(s.Terms.Method), NetDays: s.Terms.NetDays,
		AddOnIds: ids, AddOnQuantities: quantities, PendingAddOnIds: pendingIDs, PendingAddOnQuantities: pendingQuantities,
		ScheduledChanges: nullList(s.Scheduled), ScheduledPlanIds: scheduledPlanIDs(s),
		WakePendingSince: tx.takeMark(environmentID, s.ID),
	})
}

// MarkMethodChanged marks all unfinished subscriptions of a customer as having a new payment method, since tx.Real, and
// returns their IDs.
func (tx *Tx) MarkMethodChanged(ctx context.Context, environmentID, customerID string) ([]string, error) {
	ids, err := queries.SubscriptionMarkMethodChanged(ctx, tx.pipe, dbsqlc.SubscriptionMarkMethodChangedParams{
		EnvironmentID: environmentID, CustomerID: customerID, MethodChangedAt: &tx.Real,
	})
	return ids, translate("SubscriptionMarkMethodChanged", err)
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
