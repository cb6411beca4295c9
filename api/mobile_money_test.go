package api

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/api/httpkit"
	"perennial/providers/simulator/flutterwavesim"
	"perennial/providers/simulator/pawapaysim"
	"perennial/providers/simulator/simtest"
)

// withMobileMoney adds accounts at simulated providers of mobile money. Stripe stays the primary provider.
func (b *bench) withMobileMoney(t *testing.T, providers ...string) (accounts map[string]PaymentProvider) {
	t.Helper()
	b.baseURLs = map[string]string{
		"pawapay": simtest.Fresh(t, pawapaysim.New(pawapaysim.Config{})).URL,
		"flutterwave": simtest.Fresh(t, flutterwavesim.New(flutterwavesim.Config{
			Clients: map[string]string{"client-1": "secret-1"}, TokenLife: time.Minute,
		})).URL,
	}
	b.Server = b.newServer(t)
	accounts = map[string]PaymentProvider{}
	for _, name := range providers {
		form := map[string]any{"provider": name, "environment": "test"}
		switch name {
		case "pawapay":
			form["apiToken"] = strings.Repeat("t", 40)
		case "flutterwave":
			form["clientId"], form["clientSecret"] = "client-1", "secret-1"
		}
		accounts[name] = as[PaymentProvider](t, 201, b.ask(t, b.test, "POST", "/api/payment-providers", form))
		require.Equal(t, "active", accounts[name].ConnectionStatus, accounts[name].ErrorMessage)
	}
	return accounts
}

func wallet(operator, phone, provider string) map[string]any {
	details := map[string]any{"phoneNumber": phone}
	if provider != "" {
		details["provider"] = provider
	}
	return map[string]any{"paymentMethod": "mobile_money_" + operator, "paymentDetails": details}
}

// The form of the interface specification, under both prefixes.
func TestMobileMoney_Form(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.withMobileMoney(t, "pawapay", "flutterwave")
	for _, prefix := range []string{"/api", "/v1"} {
		for _, provider := range []string{"pawapay", "flutterwave", ""} {
			form := wallet("mtn", "+237670000001", provider)
			form["email"] = "ada@example.com"
			made := as[Customer](t, 201, b.ask(t, b.test, "POST", prefix+"/customers", form))
			require.Equal(t, "mobile_money_mtn", made.PaymentMethod)
			require.Equal(t, &PaymentDetails{PhoneNumber: "+237670000001", Provider: provider}, made.PaymentDetails)

			changed := as[Customer](t, 200, b.ask(t, b.test, "PATCH", prefix+"/customers/"+made.ID,
				wallet("orange", "+237690000001", provider)))
			require.Equal(t, "mobile_money_orange", changed.PaymentMethod)
			require.Equal(t, changed, as[Customer](t, 200, b.ask(t, b.test, "GET", prefix+"/customers/"+made.ID, nil)))
		}
	}
}

// A method that no active account takes is refused, and the fault names those that would be taken.
func TestMobileMoney_RefusedForms(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	cust := b.newCustomer(t, b.test)
	const method, phone = "paymentMethod", "paymentDetails.phoneNumber"
	refused := func(form map[string]any, code, param string, says ...string) {
		t.Helper()
		for _, answer := range []response{
			b.ask(t, b.test, "POST", "/api/customers", form),
			b.ask(t, b.test, "PATCH", "/v1/customers/"+cust.ID, form),
		} {
			problem(t, 422, code, param, answer)
			for _, text := range says {
				require.Contains(t, string(answer.Body), text)
			}
		}
	}
	refused(wallet("mtn", "+237670000001", ""), "payment_method_unsupported", method, "Stripe charges saved cards only")
	refused(wallet("mtn", "+237670000001", "pawapay"), "provider_not_configured", "paymentDetails.provider", "stripe")

	refused(wallet("MTN", "+237670000001", ""), "format_wrong", method, "in small letters, such as mobile_money_mtn")

	accounts := b.withMobileMoney(t, "pawapay")
	refused(wallet("none", "+237670000001", ""), "payment_method_unsupported", method,
		"mobile_money_mtn, mobile_money_orange", `"failureCode":"INVALID_ACCOUNT"`)
	refused(wallet("moov", "+22961000001", ""), "payment_method_unsupported", method,
		"Send one of: mobile_money_mtn.") // the account has not activated Moov there
	refused(wallet("mtn", "+4915112345678", ""), "payment_method_unsupported", phone, "no operator in the country")
	refused(wallet("mtn", "+237670000001", "flutterwave"), "provider_not_configured", "paymentDetails.provider",
		"pawapay, stripe")

	b.withMobileMoney(t, "flutterwave")
	refused(wallet("none", "+233241234567", "flutterwave"), "payment_method_unsupported", method,
		"mobile_money_airteltigo, mobile_money_mtn, mobile_money_vodafone")

	as[PaymentProvider](t, 200, b.ask(t, b.test, "POST",
		"/api/payment-providers/"+accounts["pawapay"].ID+"/disable", nil))
	refused(wallet("mtn", "+237670000001", "pawapay"), "provider_not_configured", "paymentDetails.provider",
		"flutterwave, stripe")
	require.Equal(t, cust, as[Customer](t, 200, b.ask(t, b.test, "GET", "/api/customers/"+cust.ID, nil)))
}

// A subscription that could never be collected is refused.
func TestMobileMoney_RefusedSubscriptions(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.withMobileMoney(t, "pawapay")
	subscribe := func(currency string, form map[string]any) response {
		plan := as[Plan](t, 201, b.ask(t, b.test, "POST", "/api/plans",
			map[string]any{"name": "Pro", "currency": currency, "interval": "month", "amount": 5000}))
		form["email"] = "ada@example.com"
		cust := as[Customer](t, 201, b.ask(t, b.test, "POST", "/api/customers", form))
		return b.ask(t, b.test, "POST", "/api/subscriptions", map[string]any{"customerId": cust.ID, "planId": plan.ID})
	}
	answer := subscribe("XOF", wallet("wave", "+221770000001", ""))
	problem(t, 422, "payment_method_cannot_renew", "customerId", answer)
	require.Equal(t, "INVALID_ACCOUNT", as[httpkit.Problem](t, 422, answer).FailureCode)
	require.Contains(t, string(answer.Body), "while the payer follows a link")
	answer = subscribe("USD", wallet("mtn", "+237670000001", ""))
	problem(t, 422, "payment_method_currency_mismatch", "customerId", answer)
	require.Contains(t, string(answer.Body), "charged in XAF, not in USD")
	sold := as[Subscription](t, 201, subscribe("XAF", wallet("mtn", "+237670000001", "")))

	// A method that could not collect a sold subscription is refused later too, while the subscription renews.
	change := func(form map[string]any) response {
		return b.ask(t, b.test, "PATCH", "/api/customers/"+sold.CustomerID, form)
	}
	answer = change(wallet("wave", "+221770000001", ""))
	problem(t, 422, "payment_method_cannot_renew", "paymentMethod", answer)
	require.Equal(t, "INVALID_ACCOUNT", as[httpkit.Problem](t, 422, answer).FailureCode)
	answer = change(wallet("mtn", "+22961000001", ""))
	problem(t, 422, "payment_method_currency_mismatch", "paymentMethod", answer)
	require.Contains(t, string(answer.Body), "charged in XOF, not in XAF")
	as[Customer](t, 200, change(wallet("mtn", "+237670000002", "")))
	as[Subscription](t, 200, b.ask(t, b.test, "POST", "/api/subscriptions/"+sold.ID+"/cancel", `{"immediateEffect":true}`))
	as[Customer](t, 200, change(wallet("wave", "+221770000001", "")))

	as[Subscription](t, 201, subscribe("XAF", map[string]any{})) // a method may come later
}

// A sent invoice does not depend on the payment method, until it is to be charged.
func TestMobileMoney_SentSubscriptions(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.withMobileMoney(t, "pawapay")
	form := wallet("wave", "+221770000001", "")
	form["email"] = "ada@example.com"
	cust := as[Customer](t, 201, b.ask(t, b.test, "POST", "/api/customers", form))
	plan := as[Plan](t, 201, b.ask(t, b.test, "POST", "/api/plans",
		map[string]any{"name": "Pro", "currency": "XOF", "interval": "month", "amount": 5000}))
	sent := as[Subscription](t, 201, b.ask(t, b.test, "POST", "/api/subscriptions", map[string]any{
		"customerId": cust.ID, "planId": plan.ID, "collectionMethod": "send_invoice", "netDays": 14,
	}))
	as[Customer](t, 200, b.ask(t, b.test, "PATCH", "/api/customers/"+cust.ID, wallet("wave", "+221770000002", "")))
	problem(t, 422, "payment_method_cannot_renew", "collectionMethod", b.ask(t, b.test, "PATCH",
		"/api/subscriptions/"+sent.ID, map[string]any{"collectionMethod": "charge_automatically"}))
}

// A free plan does not depend on the payment method; a change to one with a price requires a method that can renew.
func TestMobileMoney_RefusedChangeFromAFreePlan(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.withMobileMoney(t, "pawapay")
	plan := func(amount int) string {
		return as[Plan](t, 201, b.ask(t, b.test, "POST", "/api/plans",
			map[string]any{"name": "Plan", "currency": "XOF", "interval": "month", "amount": amount})).ID
	}
	form := wallet("wave", "+221770000001", "")
	form["email"] = "ada@example.com"
	cust := as[Customer](t, 201, b.ask(t, b.test, "POST", "/api/customers", form))
	free, paid := plan(0), plan(5000)
	sub := as[Subscription](t, 201, b.ask(t, b.test, "POST", "/api/subscriptions",
		map[string]any{"customerId": cust.ID, "planId": free}))
	change := func(to string) response {
		return b.ask(t, b.test, "PATCH", "/api/subscriptions/"+sub.ID, map[string]any{"planId": to})
	}
	answer := change(paid)
	problem(t, 422, "payment_method_cannot_renew", "planId", answer)
	require.Equal(t, "INVALID_ACCOUNT", as[httpkit.Problem](t, 422, answer).FailureCode)
	as[Plan](t, 201, b.ask(t, b.test, "POST", "/api/plans/"+free+"/versions", `{"amount":5000}`))
	problem(t, 422, "payment_method_cannot_renew", "planVersion",
		b.ask(t, b.test, "PATCH", "/api/subscriptions/"+sub.ID, `{"planVersion":2}`))
	stays := as[PlanMigration](t, 200, b.ask(t, b.test, "POST", "/api/plans/"+free+"/migrate", `{}`))
	require.Len(t, stays.Refused, 1)
	require.Equal(t, "payment_method_cannot_renew", stays.Refused[0].Code)
	as[Subscription](t, 200, change(plan(0)))
	as[Customer](t, 200, b.ask(t, b.test, "PATCH", "/api/customers/"+cust.ID, wallet("mtn", "+22961000001", "")))
	as[Subscription](t, 200, change(paid))
}

// A price of 0 at any quantity does not depend on the payment method: neither at the sale, nor when the method changes,
// nor when sent invoices are to be charged.
func TestMobileMoney_PricesOfNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.withMobileMoney(t, "pawapay")
	create := func(kind, price string) string {
		return as[Plan](t, 201, b.ask(t, b.test, "POST", "/api/plans", `{"kind":"`+kind+
			`","name":"Seats","currency":"XOF","interval":"month","prices":[{"model":"per_unit","unitAmount":"`+price+`"}]}`)).ID
	}
	free, freeAddOn, paidAddOn := create("plan", "0"), create("add_on", "0"), create("add_on", "500")
	form := wallet("wave", "+221770000001", "")
	form["email"] = "ada@example.com"
	cust := as[Customer](t, 201, b.ask(t, b.test, "POST", "/api/customers", form))
	method := func(phone string) response {
		return b.ask(t, b.test, "PATCH", "/api/customers/"+cust.ID, wallet("wave", phone, ""))
	}
	subscribe := func(collect, addOn string) string {
		return as[Subscription](t, 201, b.ask(t, b.test, "POST", "/api/subscriptions", map[string]any{
			"customerId": cust.ID, "planId": free, "collectionMethod": collect, "addOns": []any{map[string]any{"planId": addOn}},
		})).ID
	}
	charge := func(subscriptionID string) response {
		return b.ask(t, b.test, "PATCH", "/api/subscriptions/"+subscriptionID,
			map[string]any{"collectionMethod": "charge_automatically"})
	}
	subscribe("charge_automatically", freeAddOn)
	as[Customer](t, 200, method("+221770000002"))
	as[Subscription](t, 200, charge(subscribe("send_invoice", freeAddOn)))
	as[Customer](t, 200, method("+221770000003"))
	sent := subscribe("send_invoice", paidAddOn)
	as[Customer](t, 200, method("+221770000004"))
	problem(t, 422, "payment_method_cannot_renew", "collectionMethod", charge(sent))
}
