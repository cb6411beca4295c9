package api

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/api/httpkit"
	"perennial/internal/id"
)

// Every endpoint that takes a body, with a good one: the bad ones below are made from it.
func (b *bench) goodBodies(t testing.TB, rows owned) map[string]string {
	t.Helper()
	return map[string]string{
		"POST /plans":                                           `{"name":"x","currency":"USD","interval":"month","amount":1}`,
		"PATCH /plans/" + rows.plan:                             `{"name":"x"}`,
		"POST /plans/" + rows.plan + "/versions":                `{"amount":1}`,
		"POST /plans/" + rows.plan + "/migrate":                 `{"effective":"now"}`,
		"POST /customers":                                       `{"email":"a@example.com"}`,
		"PATCH /customers/" + rows.customer:                     `{"name":"x"}`,
		"POST /customers/" + rows.customer + "/verify-tax-id":   `{"type":"eu_vat","value":"DE136695976"}`,
		"POST /customers/" + rows.customer + "/balance/entries": `{"currency":"USD","amount":5}`,
		"POST /customers/" + rows.customer + "/credit-grants":   `{"currency":"USD","amount":5}`,
		"POST /subscriptions": fmt.Sprintf(`{"customerId":%q,"planId":%q}`,
			rows.customer, rows.plan),
		"PATCH /subscriptions/" + rows.subscription:                fmt.Sprintf(`{"planId":%q}`, rows.plan),
		"POST /subscriptions/" + rows.subscription + "/cancel":     `{"reason":"x"}`,
		"POST /subscriptions/" + rows.subscription + "/reactivate": `{}`,
		"POST /payments": fmt.Sprintf(
			`{"customerId":%q,"amount":1,"currency":"USD"}`, rows.customer),
		"POST /payments/" + rows.payment + "/refund": `{"amount":1}`,
		"POST /payments/" + rows.payment + "/cancel": `{}`,
		"PATCH /settings": `{"dunning":{"retryGapDays":[1,2]}}`,
		"POST /subscriptions/" + rows.subscription + "/resume-collection": `{}`,
		"POST /subscriptions/" + rows.subscription + "/pause":             `{"credit":"none"}`,
		"POST /subscriptions/" + rows.subscription + "/resume":            `{}`,
		"POST /invoices": fmt.Sprintf(
			`{"customerId":%q,"currency":"USD","lines":[{"description":"x","amount":1}]}`, rows.customer,
		),
		"POST /customers/" + rows.customer + "/payment-methods": `{"paymentMethod":"card","paymentDetails":{"paymentMethodToken":"pm_t"}}`,
		"PATCH /payment-methods/" + rows.paymentMethod:          `{"billingName":"x"}`,
		"PATCH /invoices/" + rows.invoice:                       `{"netDays":3}`,
		"POST /invoices/" + rows.invoice + "/finalize":          `{}`,
		"POST /invoices/" + rows.invoice + "/pay":               `{}`,
		"POST /invoices/" + rows.invoice + "/retry":             `{}`,
		"POST /invoices/" + rows.invoice + "/skip-retry":        `{}`,
		"POST /invoices/" + rows.invoice + "/mark-paid":         `{"method":"cash"}`,
		"POST /invoices/" + rows.invoice + "/credit-notes":      `{"reason":"other"}`,
		"POST /test-clocks":                                     `{"name":"x"}`,
		"POST /test-clocks/" + rows.clock + "/advance":          `{"to":1900000000}`,
		"POST /test-clocks/" + rows.clock + "/stop":             `{}`,

		"PUT /email-settings":                                `{"from":{"email":"billing@example.com"},"host":"smtp.example.com"}`,
		"POST /email-settings/test":                          `{}`,
		"POST /emails/" + rows.email + "/resend":             `{}`,
		"POST /invoices/" + rows.invoice + "/send":           `{}`,
		"POST /webhooks":                                     `{"url":"https://example.com/h","events":["payment.*"]}`,
		"PATCH /webhooks/" + rows.endpoint:                   `{"description":"x"}`,
		"POST /webhooks/" + rows.endpoint + "/test":          `{}`,
		"POST /webhooks/" + rows.endpoint + "/disable":       `{}`,
		"POST /webhooks/" + rows.endpoint + "/enable":        `{}`,
		"POST /webhooks/" + rows.endpoint + "/rotate-secret": `{"revokePrevious":true}`,
		"POST /webhook-logs":                                 fmt.Sprintf(`{"deliveryId":%q}`, rows.delivery),
	}
}

func TestBody_OnlyPlainJSON(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	rows := b.fill(t, b.test)
	before := b.rows(t)
	for endpoint, good := range b.goodBodies(t, rows) {
		method, path, _ := strings.Cut(endpoint, " ")
		inside := strings.TrimSuffix(good, "}")
		if inside != "{" {
			inside += ","
		}
		for _, bad := range []struct {
			name, body  string
			status      int
			code, param string
		}{
			{"not JSON", "name=x", 400, "json_malformed", ""},
			{"cut off", inside, 400, "json_malformed", ""},
			{"two values", good + good, 400, "json_malformed", ""},
			{"trailing garbage", good + "x", 400, "json_malformed", ""},
			{"broken UTF-8", inside + "\"a\":\"\xff\"}", 400, "json_malformed", ""},
			{
				"a depth bomb", inside + `"a":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + "}", 400,
				"json_malformed", "",
			},
			{"a list", "[" + good + "]", 422, "type_wrong", ""},
			{"a text", `"x"`, 422, "type_wrong", ""},
			{"null", "null", 422, "type_wrong", ""},
			{"a repeated field", inside + `"zzz":1,"zzz":2}`, 422, "field_repeated", "zzz"},
			{"a NUL", inside + `"zzz":"\u0000"}`, 422, "text_invalid", "zzz"},
			{"half a surrogate pair", inside + `"zzz":"\ud800"}`, 422, "text_invalid", "zzz"},
			{"an unknown field", inside + `"zzz":1}`, 422, "field_unknown", "zzz"},
			{"an enormous number", inside + `"zzz":1e400}`, 422, "type_wrong", "zzz"},
			{"an overflowing integer", inside + `"zzz":9223372036854775808}`, 422, "out_of_range", "zzz"},
			{"a fraction", inside + `"zzz":1.5}`, 422, "type_wrong", "zzz"},
			{"explicit null", inside + `"zzz":null}`, 422, "type_wrong", "zzz"},
		} {
			got := b.ask(t, b.test, method, "/api"+path, bad.body, "Idempotency-Key", "bad")
			p := as[httpkit.Problem](t, bad.status, got)
			require.Equal(t, bad.code, p.Code, "%s: %s: %s", endpoint, bad.name, got.Body)
			require.Equal(t, bad.param, p.Param, "%s: %s: %s", endpoint, bad.name, got.Body)
		}
		problem(t, 415, "content_type_unsupported", "Content-Type",
			b.ask(t, b.test, method, "/api"+path, good, "Content-Type", "text/plain"))
		problem(t, 415, "content_type_unsupported", "Content-Encoding",
			b.ask(t, b.test, method, "/api"+path, good, "Content-Encoding", "gzip"))
		problem(t, 413, "body_too_large", "", b.ask(t, b.test, method, "/api"+path,
			inside+`"a":"`+strings.Repeat("x", 1<<20)+`"}`))
		problem(t, 400, "header_malformed", "Idempotency-Key",
			b.ask(t, b.test, method, "/api"+path, good, "Idempotency-Key", "with space"))
		problem(t, 400, "header_malformed", "Idempotency-Key",
			b.ask(t, b.test, method, "/api"+path, good, "Idempotency-Key", strings.Repeat("k", 256)))
		problem(t, 400, "header_malformed", "Idempotency-Key",
			b.ask(t, b.test, method, "/api"+path, good, "Idempotency-Key", ""))
	}
	require.Equal(t, before, b.rows(t), "a refused request wrote something")
	require.Empty(t, b.engine.woken)
}

func TestBody_InvalidFieldIsNamed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	rows := b.fill(t, b.test)
	foreign := b.fill(t, b.other)
	live := b.newCustomer(t, b.live)
	before := b.rows(t)
	plan := func(field, value string) string {
		return replaceField(`{"name":"x","currency":"USD","interval":"month","amount":1}`, field, value)
	}
	cust := func(field, value string) string { return replaceField(`{"email":"a@example.com"}`, field, value) }
	sub := func(field, value string) string {
		return replaceField(fmt.Sprintf(`{"customerId":%q,"planId":%q}`, rows.customer, rows.plan), field, value)
	}
	pay := func(field, value string) string {
		return replaceField(fmt.Sprintf(`{"customerId":%q,"amount":100,"currency":"USD"}`, rows.customer), field, value)
	}
	payOpen := func(more string) string { return fmt.Sprintf(`{"subscriptionId":%q%s}`, rows.subscription, more) }
	long := `"` + strings.Repeat("x", 1000) + `"`
	for _, c := range []struct {
		request, body string
		status        int
		code, param   string
	}{
		{"POST /plans", `{}`, 422, "field_missing", "currency"},
		{"POST /plans", plan("name", ""), 422, "field_missing", "name"},
		{"POST /plans", plan("name", `""`), 422, "length_out_of_range", "name"},
		{"POST /plans", plan("name", long), 422, "length_out_of_range", "name"},
		{"POST /plans", plan("name", "5"), 422, "type_wrong", "name"},
		{"POST /plans", plan("currency", `"ZZZ"`), 422, "currency_unknown", "currency"},
		{"POST /plans", plan("currency", `"usd"`), 422, "currency_unknown", "currency"},
		{"POST /plans", plan("interval", `"fortnight"`), 422, "value_unknown", "interval"},
		{"POST /plans", plan("intervalCount", "0"), 422, "out_of_range", "intervalCount"},
		{"POST /plans", plan("intervalCount", "121"), 422, "interval_count_out_of_range", "intervalCount"},
		{"POST /plans", plan("amount", "-1"), 422, "out_of_range", "amount"},
		{"POST /plans", plan("amount", "1000000000000"), 422, "out_of_range", "amount"},
		{"POST /plans", plan("amount", `"1"`), 422, "type_wrong", "amount"},
		{"POST /plans", plan("amount", ""), 422, "prices_missing", "prices"},
		{"POST /plans", plan("prices", `[{"amount":1}]`), 422, "fields_exclusive", "prices"},
		{"POST /plans", plan("prices", `[]`), 422, "out_of_range", "prices"},
		{
			"POST /plans", `{"name":"x","currency":"USD","interval":"month","prices":[{"amount":1},{"amount":-1}]}`, 422,
			"out_of_range", "prices[1].amount",
		},
		{
			"POST /plans", `{"name":"x","currency":"USD","interval":"month","prices":[{"amount":999999999999},{"amount":1}]}`,
			422, "amount_too_large", "prices[1].amount",
		},
		{
			"POST /plans", `{"name":"x","currency":"USD","interval":"month","prices":[{"amount":1,"model":"tiered"}]}`, 422,
			"value_unknown", "prices[0].model",
		},
		{
			"POST /plans", `{"name":"x","currency":"USD","interval":"month","prices":[{}]}`, 422, "field_missing",
			"prices[0].amount",
		},
		{"POST /plans", plan("trialDays", "731"), 422, "out_of_range", "trialDays"},
		{"POST /plans", plan("trialDays", "-1"), 422, "out_of_range", "trialDays"},
		{"POST /plans", plan("metadata", `{"a":{}}`), 422, "type_wrong", "metadata.a"},
		{"POST /plans", plan("metadata", `{"a":[1.5]}`), 422, "type_wrong", "metadata.a"},
		{"POST /plans", plan("metadata", `{"a":1e400}`), 422, "out_of_range", "metadata.a"},
		{"POST /plans", plan("metadata", `{"a":`+strings.Repeat("9", 41)+`}`), 422, "metadata_too_large", "metadata.a"},
		{
			"POST /plans", plan("metadata", `{"`+strings.Repeat("k", 41)+`":null}`), 422, "metadata_too_large",
			"metadata." + strings.Repeat("k", 41),
		},
		{"POST /plans", plan("metadata", `[1.5]`), 422, "type_wrong", "metadata"},
		{"POST /plans", plan("metadata", `null`), 422, "type_wrong", "metadata"},
		{"POST /plans", plan("amount", "1.5"), 422, "type_wrong", "amount"},
		{"POST /plans", plan("amount", "1e3"), 422, "type_wrong", "amount"},
		{"POST /plans", plan("metadata", `{"a":`+long+`}`), 422, "metadata_too_large", "metadata.a"},
		{"POST /plans", plan("metadata", `{`+manyFields(51)+`}`), 422, "out_of_range", "metadata"},

		{"PATCH /plans/" + rows.plan, `{"name":""}`, 422, "length_out_of_range", "name"},
		{"PATCH /plans/" + rows.plan, `{"active":"no"}`, 422, "type_wrong", "active"},
		{"PATCH /plans/" + rows.plan, `{"amount":1}`, 422, "field_unknown", "amount"},
		{"PATCH /plans/" + rows.plan, `{"metadata":{"a":` + long + `}}`, 422, "metadata_too_large", "metadata.a"},
		{"PATCH /plans/" + foreign.plan, `{"active":false}`, 404, "plan_not_found", ""},

		{"POST /customers", `{}`, 422, "field_missing", "email"},
		{"POST /customers", `{"name":"Ada"}`, 422, "field_missing", "email"},
		{"POST /customers", cust("email", `"nobody"`), 422, "email_malformed", "email"},
		{"POST /customers", cust("email", `"Ada <a@example.com>"`), 422, "email_malformed", "email"},
		{"POST /customers", cust("email", `"a@b"`), 422, "email_malformed", "email"},
		{"POST /customers", cust("email", `"a@example.com."`), 422, "email_malformed", "email"},
		{"POST /customers", cust("email", `"a@１２３.com"`), 422, "email_malformed", "email"},
		{"POST /customers", cust("email", `"a@[127.0.0.1]"`), 422, "email_malformed", "email"},
		{"POST /customers", cust("email", `"a\u200bb@example.com"`), 422, "email_malformed", "email"},
		{"POST /customers", cust("email", `"a@`+strings.Repeat("b", 64)+`.com"`), 422, "email_malformed", "email"},
		{"POST /customers", cust("email", `"`+strings.Repeat("a", 65)+`@example.com"`), 422, "email_malformed", "email"},
		{"POST /customers", cust("name", `"\u200b\u2060"`), 422, "text_invalid", "name"},
		{"POST /customers", cust("name", `"Ada\u202e"`), 422, "text_invalid", "name"},
		{"POST /customers", cust("name", `"Ada\u2028Lovelace"`), 422, "text_invalid", "name"},
		{"POST /customers", cust("phone", `"0701234567"`), 422, "phone_malformed", "phone"},
		{"POST /customers", cust("phone", `"+0701234567"`), 422, "phone_malformed", "phone"},
		{"POST /customers", cust("locale", `"english"`), 422, "locale_malformed", "locale"},
		{"POST /customers", cust("locale", `"de_DE"`), 422, "locale_malformed", "locale"},
		{"POST /customers", cust("timeZone", `"Douala"`), 422, "time_zone_unknown", "timeZone"},
		{"POST /customers", cust("address", `{"line2":"BP 1"}`), 422, "address_line_missing", "address.line1"},
		{"POST /customers", cust("address", `{"city":"a\u2028b"}`), 422, "text_invalid", "address.city"},
		{"POST /customers", cust("address", `{"country":"Cameroon"}`), 422, "length_out_of_range", "address.country"},
		{"POST /customers", cust("address", `{"country":"cm"}`), 422, "country_malformed", "address.country"},
		{"POST /customers", cust("address", `{"country":"US","region":"ca"}`), 422, "region_malformed", "address.region"},
		{"POST /customers", cust("address", `{"country":"CM"},"country":"UG"`), 422, "fields_contradict", "address.country"},
		{"POST /customers", cust("taxIds", `[{"type":"eu_vat","value":"123"}]`), 422, "tax_id_form", "taxIds[0].value"},
		{"POST /customers", cust("taxIds", `[{"type":"au_abn","value":"51824753557"}]`), 422, "tax_id_check_digit",
			"taxIds[0].value"},
		{"POST /customers", cust("taxIds", `[{"type":"gb_vat","value":"GB980780684","country":"FR"}]`), 422, "tax_id_country",
			"taxIds[0].country"},
		{"POST /customers", cust("taxIds", `[{"type":"vat","value":"1","country":"fr"}]`), 422, "country_malformed",
			"taxIds[0].country"},
		{"POST /customers", `{"email":"a@example.com","name":"A","first_name":"B"}`, 422, "fields_exclusive", "name"},
		{"POST /customers", cust("paymentMethod", `"cash"`), 422, "format_wrong", "paymentMethod"},
		{"POST /customers", cust("paymentMethod", `"card"`), 422, "field_missing", "paymentDetails.paymentMethodToken"},
		{"POST /customers", cust("paymentMethod", `"mobile_money_mtn"`), 422, "field_missing", "paymentDetails.phoneNumber"},
		{"POST /customers", cust("paymentDetails", `{"phoneNumber":"+237670000001"}`), 422, "field_missing", "paymentMethod"},
		{"POST /customers",
			`{"email":"a@example.com","paymentMethod":"mobile_money_mtn","paymentDetails":{"phoneNumber":"677"}}`, 422,
			"phone_malformed", "paymentDetails.phoneNumber"},
		{"POST /customers",
			`{"email":"a@example.com","paymentMethod":"card","paymentDetails":{"paymentMethodToken":"4242 4242 4242 4242"}}`,
			422, "card_number_refused", "paymentDetails.paymentMethodToken"},
		{
			"POST /customers", `{"email":"a@example.com","paymentDetails":{"cardNumber":"4242424242424242"}}`, 422,
			"field_unknown", "paymentDetails.cardNumber",
		},
		{"POST /customers", cust("testClockId", `"`+foreign.clock+`"`), 404, "test_clock_not_found", "testClockId"},
		{"POST /customers", cust("testClockId", `"clk_x"`), 404, "test_clock_not_found", "testClockId"},
		{"PATCH /customers/" + rows.customer, `{"email":"","phone":""}`, 422, "field_missing", "email"},
		{"PATCH /customers/" + rows.customer, `{"email":"x"}`, 422, "email_malformed", "email"},
		{"PATCH /customers/" + rows.customer, `{"testClockId":"` + rows.clock + `"}`, 422, "field_unknown", "testClockId"},
		{
			"PATCH /customers/" + rows.customer, `{"paymentMethod":"card"}`, 422, "field_missing",
			"paymentDetails.paymentMethodToken",
		},

		{"POST /subscriptions", `{}`, 422, "field_missing", "customerId"},
		{"POST /subscriptions", sub("planId", ""), 422, "field_missing", "planId"},
		{"POST /subscriptions", sub("customerId", `"`+foreign.customer+`"`), 404, "customer_not_found", "customerId"},
		{"POST /subscriptions", sub("customerId", `"`+live.ID+`"`), 404, "customer_not_found", "customerId"},
		{"POST /subscriptions", sub("customerId", `"`+rows.plan+`"`), 404, "customer_not_found", "customerId"},
		{"POST /subscriptions", sub("planId", `"`+foreign.plan+`"`), 404, "plan_not_found", "planId"},
		{"POST /subscriptions", sub("trialDays", "-1"), 422, "out_of_range", "trialDays"},
		{"POST /subscriptions", sub("trialDays", "731"), 422, "out_of_range", "trialDays"},
		{"POST /subscriptions", sub("trialDays", `"14"`), 422, "type_wrong", "trialDays"},
		{"POST /subscriptions", sub("startsAt", "1"), 422, "starts_at_out_of_range", "startsAt"},
		{"POST /subscriptions", sub("backdatedBilling", `"all"`), 422, "field_missing", "startsAt"},
		{"POST /subscriptions", sub("prorationBehavior", `"none"`), 422, "field_missing", "billingAnchor"},
		{"POST /subscriptions", sub("CustomerId", `"x"`), 422, "field_unknown", "CustomerId"},
		{"PATCH /subscriptions/" + rows.subscription, `{}`, 422, "field_missing", "planId"},
		{"PATCH /subscriptions/" + rows.subscription, `{"planId":"` + foreign.plan + `"}`, 404, "plan_not_found", "planId"},
		{
			"PATCH /subscriptions/" + rows.subscription, `{"planId":"` + rows.plan + `","effective":"later"}`, 422,
			"value_unknown", "effective",
		},
		{
			"POST /subscriptions/" + rows.subscription + "/cancel", `{"immediateEffect":"yes"}`, 422, "type_wrong",
			"immediateEffect",
		},
		{
			"POST /subscriptions/" + rows.subscription + "/cancel", `{"reason":` + long + `}`, 422, "length_out_of_range",
			"reason",
		},
		{"POST /subscriptions/" + rows.subscription + "/cancel", `{"refund":"all"}`, 422, "value_unknown", "refund"},
		{
			"POST /subscriptions/" + rows.subscription + "/cancel", `{"refund":"prorated"}`, 422,
			"refund_needs_immediate_effect", "refund",
		},

		{"POST /payments", `{}`, 422, "field_missing", "customerId"},
		{"POST /payments", pay("amount", ""), 422, "field_missing", "amount"},
		{"POST /payments", pay("amount", "0"), 422, "out_of_range", "amount"},
		{"POST /payments", pay("amount", "-5"), 422, "out_of_range", "amount"},
		{"POST /payments", pay("amount", "1000000000000"), 422, "out_of_range", "amount"},
		{"POST /payments", pay("currency", ""), 422, "field_missing", "currency"},
		{"POST /payments", pay("currency", `"EURO"`), 422, "currency_unknown", "currency"},
		{"POST /payments", pay("customerId", `"`+foreign.customer+`"`), 404, "customer_not_found", "customerId"},
		{
			"POST /payments", `{"subscriptionId":"` + foreign.subscription + `"}`, 404, "subscription_not_found",
			"subscriptionId",
		},
		{
			"POST /payments", payOpen(`,"customerId":"` + b.newCustomer(t, b.other).ID + `"`), 422, "customer_mismatch",
			"customerId",
		},
		{"POST /payments", payOpen(`,"currency":"EUR"`), 422, "currency_mismatch", "currency"},
		{"POST /payments", payOpen(`,"description":"x"`), 422, "fields_exclusive", "description"},

		{"POST /test-clocks", `{"now":1}`, 422, "out_of_range", "now"},
		{"POST /test-clocks", `{"now":99999999999}`, 422, "out_of_range", "now"},
		{"POST /test-clocks", `{"now":4102444800}`, 422, "out_of_range", "now"}, // 2100 begins
		{"POST /test-clocks/" + rows.clock + "/advance", `{}`, 422, "field_missing", "to"},
		{"POST /test-clocks/" + rows.clock + "/advance", `{"to":4102444800}`, 422, "out_of_range", "to"},
		{"POST /test-clocks/" + foreign.clock + "/advance", `{"to":1900000000}`, 404, "test_clock_not_found", ""},
	} {
		method, path, _ := strings.Cut(c.request, " ")
		problem(t, c.status, c.code, c.param, b.ask(t, b.test, method, "/v1"+path, c.body))
	}
	after := b.rows(t)
	for _, table := range []string{"customers", "customer_event_sequences", "events", "webhook_deliveries", "audit_log",
		"payment_methods"} {
		after[table]-- // the one made in the table above
	}
	require.Equal(t, before, after, "a refused request wrote something")
	require.Empty(t, b.engine.woken)
}

// lists names every list and the prefix of its ids.
var lists = map[string]string{
	"plans": id.Plan, "customers": id.Customer, "subscriptions": id.Subscription, "payments": id.Transaction,
	"invoices":    id.Invoice,
	"test-clocks": id.TestClock, "apps": id.App, "events": id.Event, "webhooks": id.Endpoint,
	"webhook-logs": id.Delivery, "emails": id.Email,
}

func TestQuery_InvalidParameterIsNamed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for resource, prefix := range lists {
		another := id.New(id.Price, b.clock()) // of the right shape, but nothing that is listed
		for query, want := range map[string][2]string{
			"limit=0":                        {"out_of_range", "limit"},
			"limit=101":                      {"out_of_range", "limit"},
			"limit=x":                        {"type_wrong", "limit"},
			"limit=1.5":                      {"type_wrong", "limit"},
			"limit=":                         {"parameter_empty", "limit"},
			"limit=1&limit=2":                {"parameter_repeated", "limit"},
			"startingAfter=a&endingBefore=b": {"parameters_exclusive", "endingBefore"},
			"startingAfter=" + strings.Repeat("x", 65): {"length_out_of_range", "startingAfter"},
			"page=2":                        {"parameter_unknown", "page"},
			"startingAfter=x":               {"cursor_malformed", "startingAfter"},
			"endingBefore=x":                {"cursor_malformed", "endingBefore"},
			"startingAfter=" + another:      {"cursor_malformed", "startingAfter"},
			"endingBefore=" + another:       {"cursor_malformed", "endingBefore"},
			"startingAfter=" + prefix + "x": {"cursor_malformed", "startingAfter"},
		} {
			problem(t, 422, want[0], want[1], b.ask(t, b.test, "GET", "/api/"+resource+"?"+query, nil))
		}
		problem(t, 400, "query_malformed", "", b.ask(t, b.test, "GET", "/api/"+resource+"?startingAfter=%00", nil))
		problem(t, 400, "query_malformed", "", b.ask(t, b.test, "GET", "/api/"+resource+"?startingAfter=%ff", nil))
		problem(t, 400, "query_malformed", "", b.ask(t, b.test, "GET", "/api/"+resource+"?a;b", nil))
	}
	for filter, prefix := range map[string]string{
		"subscriptions?customerId": id.Customer, "subscriptions?planId": id.Plan, "subscriptions?testClockId": id.TestClock,
		"payments?customerId": id.Customer, "payments?subscriptionId": id.Subscription, "payments?invoiceId": id.Invoice,
		"invoices?customerId": id.Customer, "invoices?subscriptionId": id.Subscription, "customers?testClockId": id.TestClock,
		"events?customerId": id.Customer, "events?subscriptionId": id.Subscription,
		"webhook-logs?paymentTransactionId": id.Transaction, "webhook-logs?eventId": id.Event,
		"webhook-logs?endpointId": id.Endpoint,
	} {
		_, param, _ := strings.Cut(filter, "?")
		for _, wrong := range []string{"x", id.New(id.Price, b.clock()), prefix + "x"} {
			problem(t, 422, "id_malformed", param, b.ask(t, b.test, "GET", "/v1/"+filter+"="+wrong, nil))
		}
		nobody := b.ask(t, b.test, "GET", "/v1/"+filter+"="+id.New(prefix, b.clock()), nil)
		require.Equal(t, 200, nobody.Status, "%s", nobody.Body)
	}
	problem(t, 422, "email_malformed", "email", b.ask(t, b.test, "GET", "/api/customers?email=ada", nil))
	problem(t, 422, "value_unknown", "status", b.ask(t, b.test, "GET", "/api/subscriptions?status=unpaid", nil))
	problem(t, 422, "parameter_unknown", "expand",
		b.ask(t, b.test, "GET", "/api/plans/"+b.newPlan(t, b.test).ID+"?expand=prices", nil))
}
