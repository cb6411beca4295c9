package api

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"perennial/api/httpkit"
	"perennial/billing/event"
)

const strictPolicy = `{"retryGapDays":[1,3],"retryJitterSeconds":0,"finalAction":"cancel","cancelAfterDays":30,` +
	`"failureRules":[{"failureCode":"ACCOUNT_BLOCKED","noRetry":true},{"failureCode":"INSUFFICIENT_FUNDS","dayOfMonth":25}],` +
	`"minimumAmounts":[{"currency":"EUR","amount":500},{"currency":"XAF","amount":100}]}`

func TestUpdateSettings_DunningPolicy(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	was := as[Settings](t, 200, b.ask(t, b.test, "GET", "/api/settings", nil))
	require.Equal(t, 3, *was.Dunning.RetryCount)
	require.Equal(t, "past_due", was.Dunning.FinalAction)

	got := b.ask(t, b.test, "PATCH", "/api/settings",
		`{"pastDueBilling":"accrue","renewalReminderDays":3,"dunning":`+strictPolicy+`}`)
	is := as[Settings](t, 200, got)
	require.Equal(t, "accrue", is.PastDueBilling)
	require.Equal(t, 3, is.RenewalReminderDays)
	shown, err := json.Marshal(is.Dunning)
	require.NoError(t, err)
	require.JSONEq(t, strictPolicy, string(shown), "what is shown can be sent")
	require.Equal(t, is, as[Settings](t, 200, b.ask(t, b.test, "GET", "/v1/settings", nil)))
	require.Equal(t, was, as[Settings](t, 200, b.ask(t, b.live, "GET", "/v1/settings", nil)), "live has its own")

	before := b.effects(t)
	require.Equal(t, is, as[Settings](t, 200, b.ask(t, b.test, "PATCH", "/api/settings", `{"dunning":`+strictPolicy+`}`)))
	require.Equal(t, before, b.effects(t), "nothing changed, nothing happened")
	events := as[httpkit.List[Event]](t, 200, b.ask(t, b.test, "GET", "/api/events?type=settings.updated", nil)).Data
	require.Len(t, events, 1)
	require.Equal(t, []string{"dunning", "pastDueBilling", "renewalReminderDays"},
		dataOf[event.SettingsUpdated](t, events[0]).Changed)

	for range 2 {
		none := as[Settings](t, 200, b.ask(t, b.test, "PATCH", "/api/settings", `{"dunning":{"retryGapDays":[]}}`))
		require.Zero(t, *none.Dunning.RetryCount)
	}
	events = as[httpkit.List[Event]](t, 200, b.ask(t, b.test, "GET", "/api/events?type=settings.updated", nil)).Data
	require.Len(t, events, 2, "the second time nothing changed")

	back := as[Settings](t, 200, b.ask(t, b.test, "PATCH", "/api/settings", `{"dunning":{}}`))
	require.Equal(t, was.Dunning, back.Dunning, "what is absent has the default")
	require.ElementsMatch(t, []string{"past_due_billing", "renewal_reminder_days", "dunning", "dunning", "dunning"},
		b.settingChanges(t))
	problem(t, 422, "out_of_range", "renewalReminderDays",
		b.ask(t, b.test, "PATCH", "/api/settings", `{"renewalReminderDays":29}`))
}

// settingChanges lists what changes of settings were recorded, each with its actor.
func (b *bench) settingChanges(t *testing.T) []string {
	t.Helper()
	rows, err := b.pool.Query(t.Context(), `select field from setting_changes
		where actor_kind = 'key' and actor_id <> '' and before is distinct from after order by id`)
	require.NoError(t, err)
	fields, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return fields
}

func TestUpdateSettings_Refuses(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	before := b.rows(t)
	for _, c := range []struct{ policy, code, param string }{
		{`{"retryGapDays":[1],"retryCount":1}`, "fields_exclusive", "dunning.retryGapDays"},
		{`{"retryGapDays":[0]}`, "retry_policy_invalid", "dunning.retryGapDays"},
		{`{"retryGapDays":[300,100]}`, "retry_policy_invalid", "dunning.retryGapDays"},
		{`{"retryCount":9}`, "retry_policy_invalid", "dunning.retryCount"},
		{`{"retryGapDays":[9223372036854775807]}`, "retry_policy_invalid", "dunning.retryGapDays"},
		{`{"retryCount":11}`, "out_of_range", "dunning.retryCount"},
		{`{"finalAction":"give_up"}`, "value_unknown", "dunning.finalAction"},
		{`{"finalAction":"cancel"}`, "cancel_after_days_out_of_range", "dunning.cancelAfterDays"},
		{`{"cancelAfterDays":3}`, "cancel_after_days_out_of_range", "dunning.cancelAfterDays"},
		{`{"failureRules":[{"failureCode":"ACCOUNT_BLOCKED"}]}`, "retry_policy_invalid", "dunning.failureRules"},
		{`{"failureRules":[{"failureCode":"NO","noRetry":true}]}`, "value_unknown", "dunning.failureRules[0].failureCode"},
		{`{"minimumAmounts":[{"currency":"EUR","amount":0}]}`, "out_of_range", "dunning.minimumAmounts[0].amount"},
		{`{"minimumAmounts":[{"currency":"EUR","amount":1000000000000}]}`, "minimum_amount_invalid", "dunning.minimumAmounts"},
		{`{"minimumAmounts":[{"currency":"EURO","amount":1}]}`, "currency_unknown", "dunning.minimumAmounts"},
		{
			`{"minimumAmounts":[{"currency":"EUR","amount":1},{"currency":"EUR","amount":2}]}`, "minimum_amount_invalid",
			"dunning.minimumAmounts",
		},
	} {
		got := b.ask(t, b.test, "PATCH", "/api/settings", `{"dunning":`+c.policy+`}`)
		problem(t, 422, c.code, c.param, got)
		got = b.ask(t, b.test, "POST", "/api/plans",
			`{"name":"x","currency":"USD","interval":"month","amount":1,"dunning":`+c.policy+`}`)
		problem(t, 422, c.code, c.param, got)
	}
	require.Equal(t, before, b.rows(t))
}

func TestPlan_DunningPolicyOfItsOwn(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	made := as[Plan](t, 201, b.ask(t, b.test, "POST", "/api/plans",
		`{"name":"x","currency":"USD","interval":"month","amount":1,"dunning":{"finalAction":"pause"}}`))
	require.Equal(t, "pause", made.Dunning.FinalAction)
	path := "/api/plans/" + made.ID
	changed := as[Plan](t, 200, b.ask(t, b.test, "PATCH", path, `{"dunning":`+strictPolicy+`}`))
	require.Equal(t, []int{1, 3}, changed.Dunning.RetryGapDays)
	require.Equal(t, changed, as[Plan](t, 200, b.ask(t, b.test, "GET", path, nil)))
	require.Equal(t, changed, as[Plan](t, 200, b.ask(t, b.test, "PATCH", path, `{"name":"x"}`)), "nothing about dunning")
	problem(t, 422, "fields_exclusive", "removeDunning",
		b.ask(t, b.test, "PATCH", path, `{"removeDunning":true,"dunning":{}}`))
	require.Nil(t, as[Plan](t, 200, b.ask(t, b.test, "PATCH", path, `{"removeDunning":true}`)).Dunning)
	require.Equal(t, []string{"dunning", "dunning"}, b.settingChanges(t))
}

func TestSettings_WhatInvoicesShow(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	change := func(body string) response { return b.ask(t, b.test, "PATCH", "/api/settings", body) }
	is := as[Settings](t, 200, change(`{"invoiceNumbers":{"prefix":"ACME-","digits":6}}`))
	require.Equal(t, InvoiceNumbers{Prefix: "ACME-", Digits: 6}, is.InvoiceNumbers)
	seller := Seller{Name: "Acme SARL", Address: "12 Rue Joss, Douala", Country: "CM", TaxID: "M01",
		Email: "a@example.com"}
	require.Equal(t, &seller, as[Settings](t, 200, change(`{"seller":{"name":"Acme SARL","address":"12 Rue Joss, Douala",
		"country":"CM","taxId":"M01","email":"a@example.com"}}`)).Seller)
	issued := b.newInvoice(t, b.test, b.newSubscription(t, b.test).ID)
	inv := as[Invoice](t, 200, b.ask(t, b.test, "GET", "/api/invoices/"+issued, nil))
	require.Equal(t, int64(1), inv.Number)
	require.Equal(t, "ACME-000001", inv.NumberText)
	require.Nil(t, as[Settings](t, 200, change(`{"seller":{}}`)).Seller)
	require.Equal(t, &seller, inv.Seller)
	require.Equal(t, inv, as[Invoice](t, 200, b.ask(t, b.test, "GET", "/api/invoices/"+issued, nil)), "as it was at issue")
	problem(t, 422, "seller_name_missing", "seller.name", change(`{"seller":{"country":"CM"}}`))
	problem(t, 422, "country_malformed", "seller.country", change(`{"seller":{"name":"A","country":"cm"}}`))
	problem(t, 422, "card_number_refused", "seller.taxId", change(`{"seller":{"name":"A","taxId":"4242424242424242"}}`))
	problem(t, 422, "invoice_number_prefix_malformed", "invoiceNumbers.prefix",
		change(`{"invoiceNumbers":{"prefix":"ACME 2026","digits":6}}`))
	problem(t, 422, "out_of_range", "invoiceNumbers.digits", change(`{"invoiceNumbers":{"prefix":"","digits":13}}`))
}

func TestCustomer_DunningPolicyOfItsOwn(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	made := as[Customer](t, 201, b.ask(t, b.test, "POST", "/api/customers",
		`{"email":"a@example.com","dunning":{"retryGapDays":[]}}`))
	require.Zero(t, *made.Dunning.RetryCount)
	path := "/api/customers/" + made.ID
	changed := as[Customer](t, 200, b.ask(t, b.test, "PATCH", path, `{"dunning":`+strictPolicy+`}`))
	require.Equal(t, []int{1, 3}, changed.Dunning.RetryGapDays)
	require.Equal(t, changed, as[Customer](t, 200, b.ask(t, b.test, "GET", path, nil)))
	before := b.effects(t)
	require.Equal(t, changed, as[Customer](t, 200, b.ask(t, b.test, "PATCH", path, `{"dunning":`+strictPolicy+`}`)))
	require.Equal(t, before, b.effects(t), "nothing changed, nothing happened")
	problem(t, 422, "fields_exclusive", "removeDunning",
		b.ask(t, b.test, "PATCH", path, `{"removeDunning":true,"dunning":{}}`))
	for _, method := range []string{"POST /api/customers", "PATCH " + path} {
		verb, at, _ := strings.Cut(method, " ")
		problem(t, 422, "cancel_after_days_out_of_range", "dunning.cancelAfterDays",
			b.ask(t, b.test, verb, at, `{"email":"a@example.com","dunning":{"finalAction":"cancel"}}`))
	}
	require.Nil(t, as[Customer](t, 200, b.ask(t, b.test, "PATCH", path, `{"removeDunning":true}`)).Dunning)

	events := as[httpkit.List[Event]](t, 200, b.ask(t, b.test, "GET", "/api/events?type=customer.updated", nil))
	require.Len(t, events.Data, 2)
	require.Equal(t, []string{"dunning"}, dataOf[event.CustomerUpdated](t, events.Data[0]).Changed)
}
