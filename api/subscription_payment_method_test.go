package api

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A subscription is charged with the payment method that it names, and no method that one names is removed by accident.
func TestSubscription_NamesItsPaymentMethod(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	c, plan := b.newCustomer(t, b.test), b.newPlan(t, b.test)
	add := func(token string) string {
		return as[PaymentMethod](t, 201,
			b.ask(t, b.test, "POST", "/api/customers/"+c.ID+"/payment-methods", cardOf(token))).ID
	}
	second, third := add("pm_second"), add("pm_third")
	form := map[string]any{"customerId": c.ID, "planId": plan.ID, "paymentMethodId": second}
	sub := as[Subscription](t, 201, b.ask(t, b.test, "POST", "/api/subscriptions", form))
	require.Equal(t, second, sub.PaymentMethodID)
	path := "/api/subscriptions/" + sub.ID
	stranger := b.newCustomer(t, b.test).DefaultMethod
	for _, other := range []string{stranger, absent(b.clock()).paymentMethod} {
		form["paymentMethodId"] = other
		problem(t, 404, "payment_method_not_found", "paymentMethodId", b.ask(t, b.test, "POST", "/api/subscriptions", form))
		problem(t, 404, "payment_method_not_found", "paymentMethodId",
			b.ask(t, b.test, "PATCH", path, map[string]any{"paymentMethodId": other}))
	}

	set := func(methodID string) string {
		return as[Subscription](t, 200,
			b.ask(t, b.test, "PATCH", path, map[string]any{"paymentMethodId": methodID})).PaymentMethodID
	}
	require.Equal(t, third, set(third))
	require.Empty(t, set(""), "the customer's default")
	problem(t, 422, "fields_exclusive", "paymentMethodId",
		b.ask(t, b.test, "PATCH", path, map[string]any{"paymentMethodId": third, "quantity": 2}))
	require.Equal(t, second, set(second))

	named := func() string {
		return as[Subscription](t, 200, b.ask(t, b.test, "GET", path, nil)).PaymentMethodID
	}
	problem(t, 409, "payment_method_in_use", "", b.ask(t, b.test, "DELETE", "/api/payment-methods/"+second, nil))
	problem(t, 404, "payment_method_not_found", "replacementId",
		b.ask(t, b.test, "DELETE", "/api/payment-methods/"+second+"?replacementId="+stranger, nil))
	require.Equal(t, second, named())
	as[PaymentMethodRemoved](t, 200,
		b.ask(t, b.test, "DELETE", "/api/payment-methods/"+second+"?replacementId="+third, nil))
	require.Equal(t, third, named())
	as[PaymentMethodRemoved](t, 200, b.ask(t, b.test, "DELETE", "/api/payment-methods/"+third+"?force=true", nil))
	require.Empty(t, named())
}

// A payment of its own names one of its customer's methods; one of an invoice is made as its subscription says.
func TestPayment_NamesAPaymentMethod(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	c := b.newCustomer(t, b.test)
	second := as[PaymentMethod](t, 201,
		b.ask(t, b.test, "POST", "/api/customers/"+c.ID+"/payment-methods", cardOf("pm_second"))).ID
	form := map[string]any{"customerId": c.ID, "amount": 500, "currency": "USD"}
	require.Equal(t, c.DefaultMethod, as[Payment](t, 201, b.ask(t, b.test, "POST", "/api/payments", form)).PaymentMethodID)
	form["paymentMethodId"] = second
	require.Equal(t, second, as[Payment](t, 201, b.ask(t, b.test, "POST", "/api/payments", form)).PaymentMethodID)
	form["paymentMethodId"] = b.newCustomer(t, b.test).DefaultMethod
	problem(t, 404, "payment_method_not_found", "paymentMethodId", b.ask(t, b.test, "POST", "/api/payments", form))
	problem(t, 422, "fields_exclusive", "paymentMethodId", b.ask(t, b.test, "POST", "/api/payments",
		map[string]any{"subscriptionId": absent(b.clock()).subscription, "paymentMethodId": second}))
}
