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

// A payment names one of its customer's methods: for that attempt alone, where it pays an invoice.
func TestPayment_NamesAPaymentMethod(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	c := b.newCustomer(t, b.test)
	second := as[PaymentMethod](t, 201,
		b.ask(t, b.test, "POST", "/api/customers/"+c.ID+"/payment-methods", cardOf("pm_second"))).ID
	stranger := b.newCustomer(t, b.test).DefaultMethod
	open := func() string {
		draft := as[Invoice](t, 201, b.ask(t, b.test, "POST", "/api/invoices",
			draftOf(c.ID, map[string]any{"collectionMethod": "send_invoice", "netDays": 14})))
		b.ask(t, b.test, "POST", "/api/invoices/"+draft.ID+"/finalize", nil)
		return draft.ID
	}
	for name, pay := range map[string]func(form map[string]any) (string, map[string]any){
		"of its own": func(form map[string]any) (string, map[string]any) {
			form["customerId"], form["amount"], form["currency"] = c.ID, 500, "USD"
			return "/api/payments", form
		},
		"of an invoice": func(form map[string]any) (string, map[string]any) {
			form["invoiceId"] = open()
			return "/api/payments", form
		},
		"by the invoice": func(form map[string]any) (string, map[string]any) {
			return "/api/invoices/" + open() + "/pay", form
		},
	} {
		for named, charged := range map[string]string{"": c.DefaultMethod, second: second} {
			form := map[string]any{}
			if named != "" {
				form["paymentMethodId"] = named
			}
			path, body := pay(form)
			require.Equal(t, charged, as[Payment](t, 201, b.ask(t, b.test, "POST", path, body)).PaymentMethodID, name)
		}
		path, body := pay(map[string]any{"paymentMethodId": stranger})
		problem(t, 404, "payment_method_not_found", "paymentMethodId", b.ask(t, b.test, "POST", path, body))
	}
}
