package db

import (
	"context"

	"perennial/billing/money"
	"perennial/billing/subscription"
	"perennial/db/internal/dbsqlc"
	"perennial/db/internal/rows"
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
	row := newSubscriptionRow(environmentID, s)
	err := rows.SubscriptionInsert.Exec(ctx, tx.pipe.orElse(notFoundIn("customer", "customerId")), &row)
	if err != nil {
		return err
	}
	return tx.SaveItems(ctx, environmentID, s, s.Items, nil)
}

// SaveSubscription writes what may change and raises the revision by one. The row must be locked by this transaction.
// Faults: subscription_changed, when it is not of the revision read; subscription_canceled, when it would leave that
// status.
func (tx *Tx) SaveSubscription(ctx context.Context, environmentID string, s subscription.Subscription) error {
	row := subscriptionRow(environmentID, s)
	row.WakePendingSince = tx.takeMark(environmentID, s.ID)
	return rows.SubscriptionUpdate.Exec(ctx, tx.pipe.orElse(changed("subscription")), &row)
}

// MarkMethodChanged marks all unfinished subscriptions of a customer as having a new payment method, since tx.Real, and
// returns their IDs.
func (tx *Tx) MarkMethodChanged(ctx context.Context, environmentID, customerID string) ([]string, error) {
	ids, err := queries.SubscriptionMarkMethodChanged(ctx, tx.pipe, dbsqlc.SubscriptionMarkMethodChangedParams{
		EnvironmentID: environmentID, CustomerID: customerID, MethodChangedAt: &tx.Real,
	})
	return ids, translate("SubscriptionMarkMethodChanged", err)
}
