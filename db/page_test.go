package db_test

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/event"
	"perennial/db"
	"perennial/internal/id"
)

// Every list is walked in both directions with every limit, and must return the same as a plain slice of its ids.
func TestList_PagesBothWays(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const n = 5
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		for i := range n - 1 { // one of each is there already, except of the last three
			at := wall.Add(time.Duration(i+1) * time.Second)
			p, c, clock, s := newPlan(), newCustomer(""), b.clock, b.subscription
			p.ID, c.ID, clock.ID, s.ID = id.New(id.Plan, at), id.New(id.Customer, at), id.New(id.TestClock,
				at), id.New(id.Subscription, at)
			for j := range p.Prices {
				p.Prices[j].ID = id.New(id.Price, at)
			}
			require.NoError(t, tx.Catalog.InsertPlan(ctx, b.env, p))
			require.NoError(t, tx.Customers.Insert(ctx, b.env, c))
			require.NoError(t, tx.Clocks.Insert(ctx, b.env, clock))
			require.NoError(t, tx.Subscriptions.Insert(ctx, b.env, s))
			require.NoError(t, tx.Tenancy.InsertApp(ctx, db.App{
				ID: id.New(id.App, at), TenantID: b.tenant, Name: "app", Keyset: []byte("k"), CreatedAt: at,
			}))
		}
		for range n {
			inv := b.invoice()
			require.NoError(t, tx.Invoices.Insert(ctx, b.env, inv))
			require.NoError(t, tx.Payments.InsertTransaction(ctx, b.env, b.charge(inv.ID)))
			require.NoError(t, tx.Emit(ctx, b.env, anEvent(b.subscription)))
		}
	})
	lists := map[string]func(db.Page) (any, bool, error){
		"apps": func(p db.Page) (any, bool, error) { return b.store.Tenancy.Apps(t.Context(), b.tenant, p) },
		"plans": func(p db.Page) (any, bool, error) {
			return b.store.Catalog.Plans(t.Context(), b.env, db.PlanFilter{}, p)
		},
		"clocks": func(p db.Page) (any, bool, error) { return b.store.Clocks.List(t.Context(), b.env, p) },
		"events": func(p db.Page) (any, bool, error) {
			return b.store.Webhooks.Events(t.Context(), b.env, db.EventFilter{}, p)
		},
		"invoices": func(p db.Page) (any, bool, error) {
			return b.store.Invoices.List(t.Context(), b.env, db.InvoiceFilter{}, p)
		},
		"customers": func(p db.Page) (any, bool, error) {
			return b.store.Customers.List(t.Context(), b.env, db.CustomerFilter{}, p)
		},
		"subscriptions": func(p db.Page) (any, bool, error) {
			return b.store.Subscriptions.List(t.Context(), b.env, db.SubscriptionFilter{}, p)
		},
		"transactions": func(p db.Page) (any, bool, error) {
			return b.store.Payments.Transactions(t.Context(), b.env, db.TransactionFilter{}, p)
		},
	}
	for name, list := range lists {
		ids := func(p db.Page) ([]string, bool) {
			items, more, err := list(p)
			require.NoError(t, err, name)
			v := reflect.ValueOf(items)
			found := make([]string, v.Len())
			for i := range found {
				found[i] = v.Index(i).FieldByName("ID").String()
			}
			return found, more
		}
		all, more := ids(db.Page{})
		require.False(t, more)
		require.Len(t, all, n, name)
		newestFirst := slices.Clone(all)
		slices.Sort(newestFirst)
		slices.Reverse(newestFirst)
		require.Equal(t, newestFirst, all, name)
		for limit := 1; limit <= n+1; limit++ {
			for i, cursor := range all {
				note := fmt.Sprintf("%s, limit %d, cursor %d", name, limit, i)
				older, more := ids(db.Page{Limit: limit, StartingAfter: cursor})
				require.Equal(t, all[i+1:min(i+1+limit, n)], older, note)
				require.Equal(t, i+1+limit < n, more, note)
				newer, more := ids(db.Page{Limit: limit, EndingBefore: cursor})
				require.Equal(t, all[max(i-limit, 0):i], newer, note)
				require.Equal(t, i-limit > 0, more, note)
			}
		}
		between, more := ids(db.Page{StartingAfter: all[0], EndingBefore: all[4]})
		require.Equal(t, all[1:4], between, name)
		require.False(t, more)
	}
}

// Each filter picks one row among two that differ in nothing else that is asked.
func TestList_Filters(t *testing.T) {
	t.Parallel()
	b := setup(t)
	inv := b.openInvoice(t)
	txn := b.pendingCharge(t, inv.ID)
	other := b.environment // the same environment, with rows of their own
	other.plan, other.customer, other.clock = newPlan(), newCustomer(""), b.clock
	other.plan.Active, other.customer.Email = false, "grace@example.com"
	other.clock.ID = id.New(id.TestClock, wall)
	other.customer.TestClockID = other.clock.ID
	other.subscription = newSubscription(other)
	other.subscription.Status, other.subscription.PastDueAt = "past_due", now
	otherInvoice := other.invoice()
	otherInvoice = otherInvoice.Settle(now)
	otherTxn := other.charge(otherInvoice.ID)
	otherTxn.Status, otherTxn.CompletedAt = "failed", now
	refund := b.charge("")
	refund.Type, refund.ChargeID, refund.SubscriptionID = "refund", txn.ID, ""
	e := anEvent(b.subscription)
	otherEvent := event.New(event.SubscriptionRenewed{Subscription: event.OfSubscription(other.subscription.ID,
		other.customer.ID)}, now)
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Catalog.InsertPlan(ctx, b.env, other.plan))
		require.NoError(t, tx.Clocks.Insert(ctx, b.env, other.clock))
		require.NoError(t, tx.Customers.Insert(ctx, b.env, other.customer))
		require.NoError(t, tx.Subscriptions.Insert(ctx, b.env, other.subscription))
		require.NoError(t, tx.Invoices.Insert(ctx, b.env, otherInvoice))
		require.NoError(t, tx.Payments.InsertTransaction(ctx, b.env, otherTxn))
		require.NoError(t, tx.Payments.InsertTransaction(ctx, b.env, refund))
		require.NoError(t, tx.Emit(ctx, b.env, e))
		require.NoError(t, tx.Emit(ctx, b.env, otherEvent))
	})
	yes := true
	plans, _, err := b.store.Catalog.Plans(t.Context(), b.env, db.PlanFilter{Active: &yes}, db.Page{})
	require.NoError(t, err)
	require.Len(t, plans, 1)
	require.Equal(t, b.plan.ID, plans[0].ID)
	for _, f := range []db.CustomerFilter{{Email: b.customer.Email}, {TestClockID: b.clock.ID}} {
		found, _, err := b.store.Customers.List(t.Context(), b.env, f, db.Page{})
		require.NoError(t, err)
		require.Len(t, found, 1, f)
		require.Equal(t, b.customer.ID, found[0].ID)
	}
	for _, f := range []db.SubscriptionFilter{
		{CustomerID: b.customer.ID}, {PlanID: b.plan.ID}, {Status: "active"}, {TestClockID: b.clock.ID},
	} {
		found, _, err := b.store.Subscriptions.List(t.Context(), b.env, f, db.Page{})
		require.NoError(t, err)
		require.Len(t, found, 1, f)
		require.Equal(t, b.subscription.ID, found[0].ID)
	}
	for _, f := range []db.InvoiceFilter{
		{CustomerID: b.customer.ID}, {SubscriptionID: b.subscription.ID}, {Status: "open"},
	} {
		found, _, err := b.store.Invoices.List(t.Context(), b.env, f, db.Page{})
		require.NoError(t, err)
		require.Len(t, found, 1, f)
		require.Equal(t, inv.ID, found[0].ID)
		require.Len(t, found[0].Lines, 2)
	}
	for _, f := range []db.TransactionFilter{
		{CustomerID: b.customer.ID, Type: "charge"}, {SubscriptionID: b.subscription.ID}, {InvoiceID: inv.ID},
		{Status: "pending", Type: "charge"},
	} {
		found, _, err := b.store.Payments.Transactions(t.Context(), b.env, f, db.Page{})
		require.NoError(t, err)
		require.Len(t, found, 1, f)
		require.Equal(t, txn.ID, found[0].ID)
	}
	for _, f := range []db.EventFilter{
		{Types: []event.Pattern{event.Pattern(e.Type())}}, {ObjectID: b.subscription.ID}, {SubscriptionID: b.subscription.ID},
		{CustomerID: b.customer.ID},
	} {
		found, _, err := b.store.Webhooks.Events(t.Context(), b.env, f, db.Page{})
		require.NoError(t, err)
		require.Len(t, found, 1, f)
		require.Equal(t, b.subscription.ID, found[0].ObjectID)
	}
}
