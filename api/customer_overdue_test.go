package api

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/api/httpkit"
	"perennial/billing/event"
)

const blockingPolicy = `{"states":[` +
	`{"name":"warned","match":"all","days":7,"access":"keep","subscriptions":"keep"},` +
	`{"name":"blocked","match":"any","invoices":1,"amounts":[{"currency":"EUR","amount":100000}],"access":"deny","subscriptions":"keep","needsPerson":true}]}`

func TestOverduePolicy_OfTheEnvironment(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	change := func(policy string) response {
		return b.ask(t, b.test, "PATCH", "/api/settings", `{"overduePolicy":`+policy+`}`)
	}
	require.Nil(t, as[Settings](t, 200, b.ask(t, b.test, "GET", "/api/settings", nil)).OverduePolicy)
	is := as[Settings](t, 200, change(blockingPolicy))
	require.Len(t, is.OverduePolicy.States, 2)
	require.Equal(t, is, as[Settings](t, 200, b.ask(t, b.test, "GET", "/v1/settings", nil)))
	require.Nil(t, as[Settings](t, 200, b.ask(t, b.live, "GET", "/api/settings", nil)).OverduePolicy, "live has its own")
	before := b.effects(t)
	require.Equal(t, is, as[Settings](t, 200, change(blockingPolicy)))
	require.Equal(t, before, b.effects(t), "nothing changed, nothing happened")
	for _, c := range []struct{ policy, code, param string }{
		{`{"states":[{"name":"X","days":1}]}`, "overdue_policy_invalid", "overduePolicy.states[0].name"},
		{`{"states":[{"name":"x"}]}`, "overdue_policy_invalid", "overduePolicy.states[0]"},
		{`{"states":[{"name":"x","days":0}]}`, "out_of_range", "overduePolicy.states[0].days"},
		{`{"states":[{"name":"x","amounts":[{"currency":"EURO","amount":1}]}]}`, "currency_unknown", "overduePolicy.states[0].amounts"},
		{`{"states":[{"name":"x","days":1,"access":"deny"},{"name":"y","days":2}]}`, "overdue_policy_invalid", "overduePolicy.states[1]"},
		{`{"states":[{"name":"x","days":1,"access":"block"}]}`, "value_unknown", "overduePolicy.states[0].access"},
		{`{}`, "field_missing", "overduePolicy.states"},
	} {
		problem(t, 422, c.code, c.param, change(c.policy))
		problem(t, 422, c.code, c.param,
			b.ask(t, b.test, "POST", "/api/customers", `{"email":"a@example.com","overduePolicy":`+c.policy+`}`))
	}
	require.Nil(t, as[Settings](t, 200, change(`{"states":[]}`)).OverduePolicy)
	require.ElementsMatch(t, []string{"overdue_policy", "overdue_policy"}, b.settingChanges(t))
}

func TestOverduePolicy_OfACustomer(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	made := as[Customer](t, 201, b.ask(t, b.test, "POST", "/api/customers",
		`{"email":"a@example.com","overduePolicy":`+blockingPolicy+`}`))
	require.Len(t, made.OverduePolicy.States, 2)
	require.Nil(t, made.Overdue)
	path := "/api/customers/" + made.ID
	exempt := as[Customer](t, 200, b.ask(t, b.test, "PATCH", path, `{"overduePolicy":{"states":[]}}`))
	require.Empty(t, exempt.OverduePolicy.States, "left out of the environment's")
	require.NotNil(t, exempt.OverduePolicy)
	require.Equal(t, exempt, as[Customer](t, 200, b.ask(t, b.test, "GET", path, nil)))
	problem(t, 422, "fields_exclusive", "removeOverduePolicy",
		b.ask(t, b.test, "PATCH", path, `{"removeOverduePolicy":true,"overduePolicy":{"states":[]}}`))
	require.Nil(t, as[Customer](t, 200, b.ask(t, b.test, "PATCH", path, `{"removeOverduePolicy":true}`)).OverduePolicy)
	events := as[httpkit.List[Event]](t, 200, b.ask(t, b.test, "GET", "/api/events?type=customer.updated", nil)).Data
	require.Equal(t, []string{"overduePolicy"}, dataOf[event.CustomerUpdated](t, events[0]).Changed)
}

// A customer in a state that denies access has none by any subscription, is found by the state, and has it again once
// the debt is paid.
func TestOverdue_AccessUntilItIsPaid(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	as[Settings](t, 200, b.ask(t, b.test, "PATCH", "/api/settings", `{"overduePolicy":`+blockingPolicy+`}`))
	sub, in := b.overdue(t, b.clock().Add(time.Hour))
	owner := as[Subscription](t, 200, b.ask(t, b.test, "GET", "/api/subscriptions/"+sub, nil)).CustomerID
	path := "/api/customers/" + owner
	trial := as[Subscription](t, http.StatusCreated, b.ask(t, b.test, "POST", "/api/subscriptions",
		map[string]any{"customerId": owner, "planId": b.newPlan(t, b.test).ID, "trialDays": 14}))
	access := func() Access { return as[Access](t, 200, b.ask(t, b.test, "GET", path+"/access", nil)) }
	require.True(t, access().Allowed, "nothing has reviewed the debts yet")
	as[Invoice](t, 200, b.ask(t, b.test, "POST", "/api/invoices/"+in+"/skip-retry", nil)) // any decision reviews them

	got := as[Customer](t, 200, b.ask(t, b.test, "GET", path, nil)).Overdue
	require.NotNil(t, got)
	require.Equal(t, "blocked", got.State)
	require.Equal(t, 1, got.Invoices)
	require.Len(t, got.Amounts, 1)
	require.True(t, got.AccessDenied)
	require.True(t, got.NeedsPerson)
	require.False(t, got.Canceling)
	denied := access()
	require.False(t, denied.Allowed)
	require.Equal(t, "customer_overdue", denied.Reason)
	require.Equal(t, trial.ID, denied.SubscriptionID)
	for filter, want := range map[string]int{
		"overdueState=blocked": 1, "overdueState=warned": 0, "overdueNeedsPerson=true": 1, "overdueNeedsPerson=false": 1,
		"overdueState=blocked&overdueNeedsPerson=true": 1,
	} {
		list := as[httpkit.List[Customer]](t, 200, b.ask(t, b.test, "GET", "/api/customers?"+filter, nil))
		require.Len(t, list.Data, want, filter)
		foreign := as[httpkit.List[Customer]](t, 200, b.ask(t, b.live, "GET", "/api/customers?"+filter, nil))
		require.Empty(t, foreign.Data, filter)
	}

	as[Invoice](t, 200, b.ask(t, b.test, "POST", "/api/invoices/"+in+"/mark-paid", `{"method":"cash"}`))
	require.True(t, access().Allowed)
	require.Nil(t, as[Customer](t, 200, b.ask(t, b.test, "GET", path, nil)).Overdue)
	events := as[httpkit.List[Event]](t, 200, b.ask(t, b.test, "GET", "/api/events?type=customer.overdue_state_changed", nil)).Data
	require.Len(t, events, 2)
	require.Equal(t, "blocked", dataOf[event.OverdueStateChanged](t, events[0]).FormerState)
	require.Equal(t, "blocked", dataOf[event.OverdueStateChanged](t, events[1]).State)
}

// A manual invoice that nothing can be charged for is a debt at once; a credit note for it ends that.
func TestOverdue_ManualInvoices(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	owner := as[Customer](t, 201, b.ask(t, b.test, "POST", "/api/customers",
		`{"email":"a@example.com","overduePolicy":{"states":[{"name":"owing","amounts":[{"currency":"EUR","amount":1000}]}]}}`))
	path := "/api/customers/" + owner.ID
	issue := func(currency string) string {
		draft := as[Invoice](t, 201, b.ask(t, b.test, "POST", "/api/invoices", map[string]any{
			"customerId": owner.ID, "currency": currency, "lines": []any{map[string]any{"description": "Work", "amount": 1000}},
		}))
		return as[Invoice](t, 200, b.ask(t, b.test, "POST", "/api/invoices/"+draft.ID+"/finalize", nil)).ID
	}
	issue("USD")
	require.Nil(t, as[Customer](t, 200, b.ask(t, b.test, "GET", path, nil)).Overdue, "another currency")
	in := issue("EUR")
	got := as[Customer](t, 200, b.ask(t, b.test, "GET", path, nil)).Overdue
	require.NotNil(t, got)
	require.Equal(t, "owing", got.State)
	require.Equal(t, 2, got.Invoices)
	require.Len(t, got.Amounts, 2)
	as[CreditNote](t, 201, b.ask(t, b.test, "POST", "/api/invoices/"+in+"/credit-notes", `{"amount":1,"reason":"order_change"}`))
	require.Nil(t, as[Customer](t, 200, b.ask(t, b.test, "GET", path, nil)).Overdue)
}
