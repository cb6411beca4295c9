package subscriptions

import (
	"context"

	"perennial/billing/subscription"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
	"perennial/db/internal/rows"
)

// IDs returns those of ids that are subscriptions of an environment.
func (r Reader) IDs(ctx context.Context, environmentID string, ids []string) ([]string, error) {
	found, err := core.Queries.SubscriptionListIDs(ctx, r.Handle,
		dbsqlc.SubscriptionListIDsParams{EnvironmentID: environmentID, Ids: ids})
	return found, core.Translate("SubscriptionListIDs", err)
}

// InsertAll is Insert for many, of customers whose rows this transaction has locked. It copies rows and items.
func (tx *Tx) InsertAll(
	ctx context.Context, environmentID string, subscriptions []subscription.Subscription,
) error {
	if len(subscriptions) == 0 {
		return nil
	}
	all := make([]dbsqlc.Subscription, len(subscriptions))
	var items []dbsqlc.SubscriptionItem
	for i, s := range subscriptions {
		all[i] = newSubscriptionRow(environmentID, s)
		for position, item := range s.Items {
			items = append(items, itemRow(environmentID, s.ID, position, item, tx.Now))
		}
	}
	if err := rows.SubscriptionCopy.Exec(ctx, tx.Pipe, all); err != nil {
		return err
	}
	return rows.SubscriptionItemCopy.Exec(ctx, tx.Pipe, items)
}

// SubscriptionFilter narrows a list; empty: any.
type SubscriptionFilter struct {
	CustomerID   string
	PlanID       string // on any version, or on PlanVersion
	PlanVersion  int
	AddOnID      string // in any version, or in AddOnVersion
	AddOnVersion int
	Status       subscription.Status
	TestClockID  string
}

// Get reads a subscription with its items. Fault: subscription_not_found.
func (r Reader) Get(ctx context.Context, environmentID, id string) (subscription.Subscription, error) {
	var row dbsqlc.SubscriptionGetRow
	var items map[string][]subscription.Item
	err := r.Together(ctx,
		func(h dbsqlc.DBTX) (err error) {
			row, err = core.Queries.SubscriptionGet(ctx, h, dbsqlc.SubscriptionGetParams{EnvironmentID: environmentID, ID: id})
			return err
		},
		func(h dbsqlc.DBTX) (err error) {
			items, err = ItemsOf(ctx, h, environmentID, id)
			return err
		})
	if err != nil {
		return subscription.Subscription{}, core.ReadError("subscription", err)
	}
	s := SubscriptionFromDB(row.Subscription)
	s.Items = items[id]
	return s, nil
}

// GetWithKey reads key and subscription in one round trip. Faults: api_key_unknown; subscription_not_found,
// with the key.
func (r Reader) GetWithKey(
	ctx context.Context, hash []byte, id string,
) (core.APIKey, subscription.Subscription, error) {
	row, err := core.Queries.SubscriptionGetWithKey(ctx, r.Handle, dbsqlc.SubscriptionGetWithKeyParams{Hash: hash, ID: id})
	if err != nil {
		key, err := r.WithoutResource(ctx, hash, "subscription", err)
		return key, subscription.Subscription{}, err
	}
	s := SubscriptionFromDB(row.Subscription)
	for i, itemID := range row.ItemIds {
		s.Items = append(s.Items, subscription.Item{
			ID: itemID, PriceID: row.PriceIds[i], Quantity: row.Quantities[i], Joined: row.Joined[i],
		})
	}
	return core.APIKeyFromDB(row.ApiKeyDetail), s, nil
}

// List lists the subscriptions of an environment, with their items.
func (r Reader) List(
	ctx context.Context, environmentID string, f SubscriptionFilter, page core.Page,
) (subs []subscription.Subscription, hasMore bool, err error) {
	span, err := r.Bounds(ctx, environmentID, page)
	if err != nil {
		return nil, false, err
	}
	in := dbsqlc.SubscriptionListParams{
		EnvironmentID: environmentID, CustomerID: core.Null(f.CustomerID), Status: core.Null(string(f.Status)),
		TestClockID: core.Null(f.TestClockID), Below: span.Below, Above: span.Above, Forward: page.Forward(),
		RowLimit: page.RowLimit(),
	}
	rows, err := r.subscriptionList(ctx, f, in)
	if err != nil {
		return nil, false, err
	}
	subs, hasMore = core.Cut(page, rows, SubscriptionFromDB)
	ids := make([]string, len(subs))
	for i := range subs {
		ids[i] = subs[i].ID
	}
	items, err := ItemsOf(ctx, r.Handle, environmentID, ids...)
	if err != nil {
		return nil, false, core.Translate("SubscriptionItemList", err)
	}
	for i := range subs {
		subs[i].Items = items[subs[i].ID]
	}
	return subs, hasMore, nil
}

// subscriptionList lists the subscriptions of one plan, or with one add-on, or all without such a filter.
func (r Reader) subscriptionList(
	ctx context.Context, f SubscriptionFilter, in dbsqlc.SubscriptionListParams,
) ([]dbsqlc.Subscription, error) {
	if f.AddOnID != "" {
		rows, err := core.Queries.SubscriptionListOfAddOn(ctx, r.Lists(), dbsqlc.SubscriptionListOfAddOnParams{
			EnvironmentID: in.EnvironmentID, AddOnID: f.AddOnID, Version: core.Null(f.AddOnVersion), PlanID: core.Null(f.PlanID),
			CustomerID: in.CustomerID, Status: in.Status, TestClockID: in.TestClockID, Below: in.Below, Above: in.Above,
			Forward: in.Forward, RowLimit: in.RowLimit,
		})
		return core.Map(rows, func(row dbsqlc.SubscriptionListOfAddOnRow) dbsqlc.Subscription { return row.Subscription }),
			core.Translate("SubscriptionListOfAddOn", err)
	}
	if f.PlanID == "" {
		rows, err := core.Queries.SubscriptionList(ctx, r.Lists(), in)
		return core.Map(rows, func(row dbsqlc.SubscriptionListRow) dbsqlc.Subscription { return row.Subscription }),
			core.Translate("SubscriptionList", err)
	}
	rows, err := core.Queries.SubscriptionListOfPlan(ctx, r.Lists(), dbsqlc.SubscriptionListOfPlanParams{
		EnvironmentID: in.EnvironmentID, PlanID: f.PlanID, PlanVersion: core.Null(f.PlanVersion),
		CustomerID: in.CustomerID, Status: in.Status,
		TestClockID: in.TestClockID, Below: in.Below, Above: in.Above, Forward: in.Forward, RowLimit: in.RowLimit,
	})
	return core.Map(rows, func(row dbsqlc.SubscriptionListOfPlanRow) dbsqlc.Subscription { return row.Subscription }),
		core.Translate("SubscriptionListOfPlan", err)
}

// Insert writes a new subscription with its items, with the revision 1. It locks the customer against erasure until the
// transaction ends. Faults: customer_not_found, also for an erased one; plan_not_found, test_clock_not_found.
func (tx *Tx) Insert(ctx context.Context, environmentID string, s subscription.Subscription) error {
	row := newSubscriptionRow(environmentID, s)
	err := rows.SubscriptionInsert.Exec(ctx, tx.Pipe.OrElse(core.NotFoundIn("customer", "customerId")), &row)
	if err != nil {
		return err
	}
	return tx.SaveItems(ctx, environmentID, s, s.Items, nil)
}

// Save writes the columns that may change, and increments the revision. This transaction must have locked the row.
// Faults: subscription_changed, when the revision differs; subscription_canceled, when it would leave that status.
func (tx *Tx) Save(ctx context.Context, environmentID string, s subscription.Subscription) error {
	row := subscriptionRow(environmentID, s)
	row.WakePendingSince = tx.TakeMark(environmentID, s.ID)
	return rows.SubscriptionUpdate.Exec(ctx, tx.Pipe.OrElse(core.Changed("subscription")), &row)
}

// MarkMethodChanged marks a new default payment method, at tx.Real, on all unfinished subscriptions of a customer that
// name no other one, and returns their IDs.
func (tx *Tx) MarkMethodChanged(ctx context.Context, environmentID, customerID string) ([]string, error) {
	return tx.MarkMethodChangedOf(ctx, environmentID, customerID, "", true)
}

// MarkMethodChangedOf is MarkMethodChanged for the subscriptions that name a payment method, and with byDefault also
// for those that name none.
func (tx *Tx) MarkMethodChangedOf(
	ctx context.Context, environmentID, customerID, methodID string, byDefault bool,
) ([]string, error) {
	ids, err := core.Queries.SubscriptionMarkMethodChanged(ctx, tx.Pipe, dbsqlc.SubscriptionMarkMethodChangedParams{
		EnvironmentID: environmentID, CustomerID: customerID, MethodChangedAt: &tx.Real,
		PaymentMethodID: core.Null(methodID), ByDefault: byDefault,
	})
	return ids, core.Translate("SubscriptionMarkMethodChanged", err)
}

// NamingMethod lists some of the subscriptions that have not ended and name a payment method.
func (r Reader) NamingMethod(ctx context.Context, environmentID, methodID string, limit int) ([]string, error) {
	ids, err := core.Queries.SubscriptionListOfMethod(ctx, r.Handle, dbsqlc.SubscriptionListOfMethodParams{
		EnvironmentID: environmentID, PaymentMethodID: &methodID, RowLimit: core.RowLimit(limit),
	})
	return ids, core.Translate("SubscriptionListOfMethod", err)
}

// ReplaceMethod lets subscriptions that name a payment method name another one; empty: none. It marks them as
// MarkMethodChanged does, and returns their IDs.
func (tx *Tx) ReplaceMethod(ctx context.Context, environmentID, methodID, replacementID string) ([]string, error) {
	ids, err := core.Queries.SubscriptionReplaceMethod(ctx, tx.Pipe, dbsqlc.SubscriptionReplaceMethodParams{
		EnvironmentID: environmentID, PaymentMethodID: &methodID, ReplacementID: core.Null(replacementID),
		MethodChangedAt: &tx.Real,
	})
	return ids, core.Translate("SubscriptionReplaceMethod", err)
}
