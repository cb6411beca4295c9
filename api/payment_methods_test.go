package api

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/api/httpkit"
	"perennial/billing/customer"
	"perennial/billing/event"
)

func cardOf(token string, more ...any) map[string]any {
	body := map[string]any{
		"paymentMethod": "card", "paymentDetails": map[string]any{"provider": "stripe", "paymentMethodToken": token},
	}
	for i := 0; i < len(more); i += 2 {
		body[more[i].(string)] = more[i+1]
	}
	return body
}

func (b *bench) methodsOf(t testing.TB, customerID string) (ids []string, standard string) {
	t.Helper()
	for _, m := range as[httpkit.List[PaymentMethod]](
		t, 200, b.ask(t, b.test, "GET", "/v1/customers/"+customerID+"/payment-methods", nil)).Data {
		ids = append([]string{m.ID}, ids...)
		if m.Default {
			standard += m.ID
		}
	}
	return ids, standard
}

// A customer's methods are added, made the default, replaced and removed, and the one-method fields follow the default.
// No answer but the customer's own fields, no event and no entry of the audit log shows a token.
func TestPaymentMethods_FromTheFirstToTheLast(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	c := b.newCustomer(t, b.test)
	path, of := "/api/customers/"+c.ID+"/payment-methods", "/api/payment-methods/"
	shown := func() Customer { return as[Customer](t, 200, b.ask(t, b.test, "GET", "/api/customers/"+c.ID, nil)) }
	first := c.DefaultMethod
	require.NotEmpty(t, first)
	ids, standard := b.methodsOf(t, c.ID)
	require.Equal(t, []string{first}, ids, "the method that it was created with")
	require.Equal(t, first, standard)

	form := cardOf("pm_secret_2", "billingName", "Ada King",
		"card", map[string]any{"brand": "visa", "lastFour": "4242", "expiryMonth": 8, "expiryYear": 2028})
	added := b.ask(t, b.test, "POST", path, form, "Idempotency-Key", "k")
	second := as[PaymentMethod](t, 201, added)
	require.Equal(t, PaymentMethod{
		ID: second.ID, CustomerID: c.ID, PaymentMethod: "card", Provider: "stripe", BillingName: "Ada King",
		Card: &Card{Brand: "visa", LastFour: "4242", ExpiryMonth: 8, ExpiryYear: 2028}, CreatedAt: b.clock().Unix(),
	}, second)
	require.Equal(t, added.Body, b.ask(t, b.test, "POST", path, form, "Idempotency-Key", "k").Body)
	require.Equal(t, second, as[PaymentMethod](t, 200, b.ask(t, b.test, "GET", "/v1/payment-methods/"+second.ID, nil)))
	require.Equal(t, c, shown(), "the default stays")

	third := as[PaymentMethod](t, 201, b.ask(t, b.test, "POST", path, cardOf("pm_secret_6")))
	ids, standard = b.methodsOf(t, c.ID)
	require.Equal(t, []string{first, second.ID, third.ID}, ids)
	require.Equal(t, first, standard)

	made := as[PaymentMethod](t, 200, b.ask(t, b.test, "PATCH", of+second.ID, `{"default":true}`))
	second.Default = true
	require.Equal(t, second, made, "what is known of the card stays")
	require.Equal(t, second.ID, shown().DefaultMethod)
	require.Equal(t, &PaymentDetails{Provider: "stripe", PaymentMethodToken: "pm_secret_2"}, shown().PaymentDetails)
	problem(t, 409, "default_needs_successor", "default",
		b.ask(t, b.test, "PATCH", of+second.ID, `{"default":false}`))

	replaced := as[PaymentMethod](t, 200, b.ask(t, b.test, "PATCH", of+second.ID,
		map[string]any{"paymentDetails": map[string]any{"provider": "stripe", "paymentMethodToken": "pm_secret_3"}}))
	require.Nil(t, replaced.Card, "another token is another card")
	require.Equal(t, "pm_secret_3", shown().PaymentDetails.PaymentMethodToken)
	b.ask(t, b.test, "PATCH", "/api/customers/"+c.ID, `{"paymentDetails":{"paymentMethodToken":"pm_secret_4"}}`)
	ids, standard = b.methodsOf(t, c.ID)
	require.Equal(t, []string{first, second.ID, third.ID}, ids, "the one-method fields replace the default under its id")
	require.Equal(t, second.ID, standard)

	gone := b.ask(t, b.test, "DELETE", of+second.ID, nil, "Idempotency-Key", "d")
	require.Equal(t, PaymentMethodRemoved{ID: second.ID, Deleted: true, DefaultID: first}, as[PaymentMethodRemoved](t, 200, gone))
	require.Equal(t, gone.Body, b.ask(t, b.test, "DELETE", of+second.ID, nil, "Idempotency-Key", "d").Body)
	require.Equal(t, c, shown(), "the oldest other one is charged from now on")
	for _, method := range []string{"GET", "PATCH", "DELETE"} {
		var body any
		if method == "PATCH" {
			body = `{"default":true}`
		}
		problem(t, 404, "payment_method_not_found", "", b.ask(t, b.test, method, of+second.ID, body))
	}
	as[PaymentMethodRemoved](t, 200, b.ask(t, b.test, "DELETE", of+third.ID, nil))
	last := as[PaymentMethodRemoved](t, 200, b.ask(t, b.test, "DELETE", of+first, nil))
	require.Empty(t, last.DefaultID)
	require.Empty(t, shown().PaymentMethod)
	again := as[PaymentMethod](t, 201, b.ask(t, b.test, "POST", path, cardOf("pm_secret_5")))
	require.True(t, again.Default, "the only one is the default")

	changed := []string{}
	for _, e := range as[httpkit.List[Event]](t, 200, b.ask(t, b.test, "GET", "/api/events?type=customer.updated", nil)).Data {
		changed = append(changed, strings.Join(dataOf[event.CustomerUpdated](t, e).Changed, " "))
	}
	both := "paymentMethod paymentMethods"
	require.Equal(t, []string{
		both, both, "paymentMethods", both, "paymentMethod", both, both, "paymentMethods", "paymentMethods",
	}, changed)
	for _, table := range []string{"idempotency_keys", "events", "audit_log", "webhook_deliveries"} {
		require.Zero(t, b.count(t, "select count(*) from "+table+" x where x::text ~ 'pm_secret'"), table)
	}
	require.Zero(t, b.count(t, `select count(*) from payment_methods
		where removed_at is not null and details is not null and removal_due_at is null`), "a token stays until the provider has removed it, and no longer")
}

// The one-method fields remove the default as DELETE does: the oldest other method is charged from then on, and none is
// taken from a subscription in silence.
func TestPaymentMethods_ClearedFieldsRemoveTheDefault(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	c, plan := b.newCustomer(t, b.test), b.newPlan(t, b.test)
	first := c.DefaultMethod
	second := as[PaymentMethod](t, 201,
		b.ask(t, b.test, "POST", "/api/customers/"+c.ID+"/payment-methods", cardOf("pm_second"))).ID
	sub := as[Subscription](t, 201, b.ask(t, b.test, "POST", "/api/subscriptions",
		map[string]any{"customerId": c.ID, "planId": plan.ID, "paymentMethodId": first}))
	path := "/api/customers/" + c.ID
	clearing := `{"paymentMethod":""}`
	problem(t, 409, "payment_method_in_use", "paymentMethod", b.ask(t, b.test, "PATCH", path, clearing))
	ids, standard := b.methodsOf(t, c.ID)
	require.Equal(t, []string{first, second}, ids)
	require.Equal(t, first, standard)

	as[Subscription](t, 200,
		b.ask(t, b.test, "PATCH", "/api/subscriptions/"+sub.ID, `{"paymentMethodId":""}`))
	cleared := as[Customer](t, 200, b.ask(t, b.test, "PATCH", path, clearing))
	require.Equal(t, second, cleared.DefaultMethod)
	require.Equal(t, "pm_second", cleared.PaymentDetails.PaymentMethodToken)
	ids, standard = b.methodsOf(t, c.ID)
	require.Equal(t, []string{second}, ids)
	require.Equal(t, second, standard)
	require.Equal(t, cleared, as[Customer](t, 200, b.ask(t, b.test, "GET", path, nil)))

	last := as[Customer](t, 200, b.ask(t, b.test, "PATCH", path, clearing))
	require.Empty(t, last.DefaultMethod)
	require.Empty(t, last.PaymentMethod)
	ids, _ = b.methodsOf(t, c.ID)
	require.Empty(t, ids)
}

func TestPaymentMethods_Refusals(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	c := b.newCustomer(t, b.test)
	path := "/api/customers/" + c.ID + "/payment-methods"
	token := map[string]any{"paymentMethodToken": "pm_tok"}
	for _, r := range []struct {
		code, param string
		body        any
	}{
		{"field_missing", "paymentDetails.paymentMethodToken", map[string]any{
			"paymentMethod": "card", "paymentDetails": map[string]any{"provider": "stripe"}}},
		{"card_number_refused", "paymentDetails.paymentMethodToken", map[string]any{
			"paymentMethod": "card", "paymentDetails": map[string]any{"paymentMethodToken": "4242 4242 4242 4242"}}},
		{"card_details_misplaced", "card", map[string]any{"paymentMethod": "mobile_money_mtn_cm",
			"paymentDetails": map[string]any{"phoneNumber": "+237670000001"}, "card": map[string]any{"brand": "visa"}}},
		{"card_expiry_invalid", "card", map[string]any{
			"paymentMethod": "card", "paymentDetails": token, "card": map[string]any{"expiryYear": 2030}}},
		{"card_number_refused", "billingName", map[string]any{
			"paymentMethod": "card", "paymentDetails": token, "billingName": "4242 4242 4242 4242"}},
		{"provider_not_configured", "paymentDetails.provider", map[string]any{"paymentMethod": "card",
			"paymentDetails": map[string]any{"paymentMethodToken": "pm_tok", "provider": "adyen"}}},
	} {
		problem(t, 422, r.code, r.param, b.ask(t, b.test, "POST", path, r.body))
	}
	for i := range customer.MaxMethods - 1 {
		as[PaymentMethod](t, 201, b.ask(t, b.test, "POST", path, cardOf(fmt.Sprint("pm_tok", i))))
	}
	problem(t, 409, "payment_methods_too_many", "", b.ask(t, b.test, "POST", path, cardOf("pm_one_more")))
}

// With the customer go all methods, at once.
func TestPaymentMethods_ErasedWithTheCustomer(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	c := b.newCustomer(t, b.test)
	path := "/api/customers/" + c.ID + "/payment-methods"
	second := as[PaymentMethod](t, 201, b.ask(t, b.test, "POST", path, cardOf("pm_secret", "billingName", "Canary King"),
		"Idempotency-Key", "k"))
	require.Equal(t, 200, b.ask(t, b.test, "DELETE", "/api/customers/"+c.ID, nil).Status)
	problem(t, 404, "payment_method_not_found", "", b.ask(t, b.test, "GET", "/api/payment-methods/"+second.ID, nil))
	problem(t, 404, "payment_method_not_found", "",
		b.ask(t, b.test, "PATCH", "/api/payment-methods/"+second.ID, `{"default":true}`))
	b.eraseAll(t)
	for _, table := range []string{"customers", "idempotency_keys", "events", "audit_log", "transactions"} {
		require.Zero(t, b.count(t, "select count(*) from "+table+" x where x::text ~ 'pm_secret|Canary King'"), table)
	}
	require.Zero(t, b.count(t, "select count(*) from payment_methods x where x::text ~ 'Canary King'"))
	require.Equal(t, 2, b.count(t, "select count(*) from payment_methods where removal_due_at is not null"),
		"both are to be removed at the provider, for which the token is needed")
}
