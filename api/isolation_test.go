package api

import (
	"regexp"
	"strings"
	"testing"

	"github.com/gorilla/mux"
	"github.com/stretchr/testify/require"
)

// open lists the routes that need no API key, each for its reason.
var open = map[string]string{
	"GET /healthz":                             "says that the process runs",
	"GET /readyz":                              "says whether to send requests",
	"GET /invoice/{token}":                     "is for payers, and its link is a secret",
	"GET /invoice/{token}/html":                "is for payers, and its link is a secret",
	"GET /invoice/{token}/pdf":                 "is for payers, and its link is a secret",
	"POST /invoice/{token}/pay":                "is for payers, and its link is a secret",
	"GET /openapi.json":                        "is public documentation",
	"GET /docs":                                "is public documentation",
	"POST /callbacks/{id}":                     "is verified by the provider's signature",
	"GET /confirm/{token}":                     "is for who has the token",
	"GET /confirm/{token}/return":              "is for who has the token",
	"POST /callbacks/{provider}/{id}":          "is verified by the provider's signature",
	"POST /callbacks/{provider}/{id}/{secret}": "is verified by the provider's signature, or by the secret",

	"OPTIONS /api/plans":                 "is a browser's question and says nothing about anybody",
	"OPTIONS /v1/plans":                  "is a browser's question and says nothing about anybody",
	"OPTIONS /api/payments/{id}":         "is a browser's question and says nothing about anybody",
	"OPTIONS /v1/payments/{id}":          "is a browser's question and says nothing about anybody",
	"OPTIONS /api/customers/{id}/access": "is a browser's question and says nothing about anybody",
	"OPTIONS /v1/customers/{id}/access":  "is a browser's question and says nothing about anybody",
}

// guarded lists every other route with a request that succeeds with a secret key of the environment that owns the rows.
// A route that is missing here fails the test.
var guarded = map[string]struct {
	publishable bool
	scope       string // that opens it too
	body        func(rows owned) any
	unready     bool // the row of the test has none yet: 422 to the right key
}{
	"POST /payment-providers": {body: func(owned) any {
		return map[string]any{"provider": "stripe", "secretKey": "sk_test_good"}
	}},
	"GET /payment-providers":               {},
	"GET /payment-providers/{id}":          {},
	"PATCH /payment-providers/{id}":        {body: func(owned) any { return map[string]any{"priority": 3} }},
	"POST /payment-providers/{id}/test":    {},
	"POST /payment-providers/{id}/disable": {},
	"POST /payment-providers/{id}/enable":  {},
	"DELETE /payment-providers/{id}":       {},

	"GET /routing-rules": {},
	"PUT /routing-rules": {body: func(rows owned) any {
		return map[string]any{"rules": []any{map[string]any{"currency": "USD", "providerConfigId": rows.provider}}}
	}},

	"POST /payment-providers/{id}/pause-charging":  {},
	"POST /payment-providers/{id}/resume-charging": {},
	"GET /environment":                  {},
	"POST /environment/pause-charging":  {},
	"POST /environment/resume-charging": {},
	"POST /plans": {body: func(owned) any {
		return map[string]any{"name": "x", "currency": "USD", "interval": "month", "amount": 1}
	}},
	"GET /plans":                {publishable: true},
	"GET /plans/{id}":           {},
	"PATCH /plans/{id}":         {body: func(owned) any { return map[string]any{"active": false} }},
	"GET /plans/{id}/versions":  {},
	"POST /plans/{id}/migrate":  {body: func(owned) any { return map[string]any{"effective": "now"} }},
	"POST /plans/{id}/versions": {body: func(owned) any { return map[string]any{"amount": 2} }},
	"POST /products":            {body: func(owned) any { return map[string]any{"name": "Pro"} }},
	"GET /products":             {},
	"GET /products/{id}":        {},
	"PATCH /products/{id}":      {body: func(owned) any { return map[string]any{"active": false} }},
	"POST /tax-rates": {body: func(owned) any {
		return map[string]any{"name": "VAT", "percent": "19"}
	}},
	"POST /coupons": {body: func(owned) any {
		return map[string]any{"code": "SPRING", "percent": "10", "duration": "once"}
	}},
	"POST /metrics": {body: func(owned) any {
		return map[string]any{"name": "bytes", "aggregation": "sum"}
	}},
	"GET /metrics":               {},
	"GET /metrics/{id}":          {},
	"GET /metrics/{id}/versions": {},
	"PATCH /metrics/{id}":        {body: func(owned) any { return map[string]any{"displayName": "x"} }},
	"POST /usage":                {body: func(o owned) any { return use(o, "one") }},
	"POST /usage/batch": {body: func(o owned) any {
		return map[string]any{"records": []any{use(o, "batch")}}
	}},
	"POST /usage/stream": {body: func(o owned) any { return use(o, "stream") }},
	"POST /usage/cloudevents": {body: func(o owned) any {
		return map[string]any{"specversion": "1.0", "id": "1", "source": "x", "type": "api_calls", "subject": o.subscription}
	}},
	"GET /subscriptions/{id}/usage":       {},
	"GET /coupons":                        {},
	"GET /coupons/{id}":                   {},
	"PATCH /coupons/{id}":                 {body: func(owned) any { return map[string]any{"active": false} }},
	"GET /tax-rates":                      {},
	"GET /tax-rates/{id}":                 {},
	"POST /api-keys":                      {body: func(owned) any { return map[string]any{"name": "x"} }},
	"GET /api-keys":                       {},
	"GET /api-keys/{id}":                  {},
	"PATCH /api-keys/{id}":                {body: func(owned) any { return map[string]any{"name": "y"} }},
	"POST /api-keys/{id}/rotate":          {},
	"POST /api-keys/{id}/revoke":          {},
	"PATCH /tax-rates/{id}":               {body: func(owned) any { return map[string]any{"archived": true} }},
	"POST /customers":                     {body: func(owned) any { return map[string]any{"email": "a@example.com"} }},
	"GET /customers":                      {},
	"GET /customers/{id}":                 {},
	"GET /customers/{id}/access":          {publishable: true},
	"GET /customers/{id}/balance":         {},
	"GET /customers/{id}/balance/entries": {},
	"POST /customers/{id}/verify-tax-id": {body: func(owned) any {
		return map[string]any{"type": "eu_vat", "value": "DE136695976"}
	}},
	"POST /customers/{id}/balance/entries": {body: func(owned) any { return map[string]any{"currency": "USD", "amount": 5} }},
	"GET /customers/{id}/credit-grants":    {},
	"POST /customers/{id}/credit-grants":   {body: func(owned) any { return map[string]any{"currency": "USD", "amount": 5} }},
	"GET /credit-grants/{id}":              {},
	"POST /credit-grants/{id}/void":        {},
	"GET /customers/{id}/payment-methods":  {},
	"POST /customers/{id}/payment-methods": {body: func(owned) any { return cardOf("pm_2") }},
	"GET /payment-methods/{id}":            {},
	"PATCH /payment-methods/{id}":          {body: func(owned) any { return map[string]any{"billingName": "New"} }},
	"DELETE /payment-methods/{id}":         {},
	"PATCH /customers/{id}":                {body: func(owned) any { return map[string]any{"name": "New"} }},
	"DELETE /customers/{id}":               {},
	"POST /subscriptions": {body: func(o owned) any {
		return map[string]any{"customerId": o.customer, "planId": o.plan}
	}},
	"POST /subscriptions/preview": {body: func(o owned) any {
		return map[string]any{"customerId": o.customer, "planId": o.plan}
	}},
	"POST /subscriptions/{id}/preview":    {},
	"GET /subscriptions":                  {},
	"GET /subscriptions/{id}":             {},
	"GET /subscriptions/{id}/timeline":    {},
	"PATCH /subscriptions/{id}":           {body: func(o owned) any { return map[string]any{"planId": o.plan} }},
	"POST /subscriptions/{id}/cancel":     {body: func(owned) any { return map[string]any{"immediateEffect": true} }},
	"POST /subscriptions/{id}/reactivate": {},

	"POST /subscriptions/{id}/resume-collection": {},
	"POST /subscriptions/{id}/pause":             {},
	"POST /subscriptions/{id}/resume":            {},
	"POST /subscriptions/{id}/coupons": {body: func(owned) any {
		return map[string]any{"couponCode": "WELCOME"}
	}},
	"DELETE /subscriptions/{id}/coupons/{couponId}":           {},
	"DELETE /subscriptions/{id}/scheduled-changes/{changeId}": {},
	"POST /payments": {body: func(o owned) any {
		return map[string]any{"customerId": o.customer, "amount": 100, "currency": "USD"}
	}},
	"GET /payments":      {},
	"GET /payments/{id}": {publishable: true},
	"GET /disputes":      {},
	"GET /disputes/{id}": {},
	"POST /invoices": {body: func(o owned) any {
		return map[string]any{"customerId": o.customer, "currency": "USD",
			"lines": []any{map[string]any{"description": "x", "amount": 1}}}
	}},
	"PATCH /invoices/{id}":                     {body: func(owned) any { return map[string]any{"netDays": 3} }},
	"DELETE /invoices/{id}":                    {},
	"POST /invoices/{id}/finalize":             {},
	"POST /invoices/{id}/pay":                  {},
	"POST /invoices/{id}/renew-link":           {},
	"GET /invoices":                            {},
	"GET /invoices/{id}":                       {},
	"GET /invoices/{id}/html":                  {},
	"GET /invoices/{id}/pdf":                   {},
	"GET /invoices/{id}/xml":                   {unready: true},
	"POST /invoices/{id}/void":                 {},
	"POST /invoices/{id}/retry":                {},
	"POST /invoices/{id}/skip-retry":           {},
	"POST /invoices/{id}/mark-uncollectible":   {},
	"POST /invoices/{id}/credit-notes":         {body: func(owned) any { return map[string]any{"amount": 1, "reason": "other"} }},
	"GET /credit-notes":                        {},
	"GET /credit-notes/{id}":                   {},
	"GET /credit-notes/{id}/html":              {},
	"GET /credit-notes/{id}/pdf":               {},
	"GET /credit-notes/{id}/xml":               {unready: true},
	"GET /payments/{id}/receipt/html":          {unready: true},
	"GET /payments/{id}/receipt/pdf":           {unready: true},
	"GET /reports/months/{month}":              {},
	"GET /reports/months/{month}/taxes":        {},
	"GET /reports/months/{month}/invoices":     {},
	"GET /reports/months/{month}/credit-notes": {},
	"GET /reports/months/{month}/payments":     {},
	"GET /reports/months/{month}/refunds":      {},
	"POST /invoices/{id}/mark-paid":            {body: func(owned) any { return map[string]any{"method": "cash"} }},
	"POST /payments/{id}/retry-refund":         {},
	"POST /payments/{id}/refund":               {},
	"POST /payments/{id}/cancel":               {},
	"POST /payments/{id}/credit-refund":        {},
	"POST /payments/{id}/resolve": {body: func(owned) any {
		return map[string]any{"outcome": "failed", "note": "x"}
	}},
	"POST /test-clocks":              {},
	"GET /test-clocks":               {},
	"GET /test-clocks/{id}":          {},
	"POST /test-clocks/{id}/stop":    {},
	"DELETE /test-clocks/{id}":       {},
	"POST /test-clocks/{id}/advance": {body: func(owned) any { return map[string]any{"to": 1900000000} }},
	"GET /apps":                      {},
	"GET /audit-log":                 {},
	"GET /audit-log/{id}":            {},
	"GET /settings":                  {},
	"PATCH /settings":                {body: func(owned) any { return map[string]any{"pastDueBilling": "accrue"} }},
	"GET /events":                    {scope: "webhooks"},
	"GET /events/{id}":               {scope: "webhooks"},

	"POST /webhooks": {scope: "webhooks", body: func(owned) any {
		return map[string]any{"url": "https://example.com/h", "events": []string{"*"}}
	}},
	"GET /webhooks":      {scope: "webhooks"},
	"GET /webhooks/{id}": {scope: "webhooks"},
	"PUT /email-settings": {body: func(owned) any {
		return `{"from":{"email":"billing@example.com"},"host":"localhost","port":1}`
	}},
	"GET /email-settings":       {},
	"DELETE /email-settings":    {},
	"POST /email-settings/test": {},
	"GET /emails":               {},
	"GET /emails/{id}":          {},
	"POST /emails/{id}/resend":  {},
	"POST /invoices/{id}/send":  {},

	"POST /invoice-templates":                {body: func(owned) any { return `{}` }},
	"GET /invoice-templates":                 {},
	"GET /invoice-templates/{id}":            {},
	"POST /invoice-templates/{id}/publish":   {},
	"POST /invoice-templates/{id}/unpublish": {},
	"DELETE /invoice-templates/{id}":         {},
	"POST /invoice-templates/preview": {body: func(o owned) any {
		return map[string]any{"templateId": o.invoiceTemplate, "documentId": o.invoice}
	}},
	"POST /invoice-templates/preview/pdf": {body: func(o owned) any {
		return map[string]any{"templateId": o.invoiceTemplate, "documentId": o.creditNote}
	}},
	"PATCH /webhooks/{id}": {scope: "webhooks", body: func(owned) any {
		return map[string]any{"description": "New"}
	}},
	"POST /webhooks/{id}/test":          {scope: "webhooks"},
	"POST /webhooks/{id}/disable":       {scope: "webhooks"},
	"POST /webhooks/{id}/enable":        {scope: "webhooks"},
	"POST /webhooks/{id}/rotate-secret": {scope: "webhooks"},
	"DELETE /webhooks/{id}":             {scope: "webhooks"},
	"GET /webhook-logs":                 {scope: "webhooks"},
	"GET /webhook-logs/{id}":            {scope: "webhooks"},
	"POST /webhook-logs": {scope: "webhooks", body: func(o owned) any {
		return map[string]any{"deliveryId": o.delivery}
	}},
}

func use(o owned, key string) any {
	return map[string]any{
		"subscriptionId": o.subscription, "metricName": "api_calls", "quantity": 1, "idempotencyKey": key,
	}
}

func TestIsolation_EveryRouteRefusesWrongKeys(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	rows := b.fill(t, b.test)
	keys := b.badKeys(t)
	none := absent(b.clock())
	before := b.rows(t)
	eachRoute(t, b, func(method, template string) {
		path := rows.in(template)
		entry := guarded[method+" "+resourcePath(template)]
		var body any
		if entry.body != nil {
			body = entry.body(rows)
		}
		for name, headers := range keys.unauthorized {
			got := b.send(t, method, path, body, headers...)
			require.Equal(t, 401, got.Status, "%s %s with %s: %s", method, path, name, got.Body)
			require.Equal(t, `Bearer realm="perennial"`, got.Header.Get("WWW-Authenticate"))
		}
		for name, key := range keys.forbidden {
			if entry.publishable && name == "publishable" || name == "read only" && method == "GET" || entry.scope != "" &&
				name == "webhooks only" {
				continue
			}
			got := b.send(t, method, path, body, "Authorization", "Bearer "+key)
			require.Equal(t, 403, got.Status, "%s %s with a %s key: %s", method, path, name, got.Body)
		}
		for name, key := range keys.foreign {
			b.refusesForeign(t, name, method, template, key, rows, none)
		}
	})
	require.Equal(t, before, b.rows(t), "a refused request wrote something")
	require.Empty(t, b.engine.woken, "a refused command reached the engine")
}

// refusesForeign holds a foreign id against an absent one: they must be answered alike, and lists must not show it.
func (b *bench) refusesForeign(t *testing.T, name, method, template, key string, rows, none owned) {
	t.Helper()
	short := resourcePath(template)
	ask := func(o owned) response {
		var body any
		if form := guarded[method+" "+short].body; form != nil {
			body = form(o)
		}
		return b.send(t, method, o.in(template), body, "Authorization", "Bearer "+key)
	}
	switch refers := method == "POST" && (strings.HasPrefix(short, "/subscriptions") || short == "/payments" || short == "/invoices" || short == "/webhook-logs" || short == "/usage" || short == "/usage/cloudevents"); {
	case strings.Contains(template, "{id}") || refers:
		foreign, missing := ask(rows), ask(none)
		// Test clocks do not exist in live environments at all, so that a live key gets that refusal first, for every
		// id.
		require.Contains(t, []int{404, 422}, foreign.Status, "%s %s with a key of %s: %s", method, short, name, foreign.Body)
		require.Equal(t, missing.Status, foreign.Status)
		require.Equal(t, string(withoutRequestID(missing.Body)), string(withoutRequestID(foreign.Body)), "%s %s", method,
			short)
	case method == "GET":
		list := ask(rows)
		want := 200
		if short == "/email-settings" { // only the environment of the rows has some
			want = 404
		}
		require.Equal(t, want, list.Status, "%s", list.Body)
		for _, foreign := range []string{
			rows.plan, rows.customer, rows.subscription, rows.payment, rows.invoice, rows.clock, rows.event, rows.endpoint,
			rows.delivery, rows.dispute, rows.taxRate, rows.coupon, rows.product, rows.metric,
			rows.creditGrant, rows.auditEntry, rows.paymentMethod, rows.email,
		} {
			require.NotContains(t, string(list.Body), foreign, "%s %s shows a row to %s", method, short, name)
		}
	}
}

// eachRoute calls visit with every route that needs a key, and fails for a route that is not in the table.
func eachRoute(t *testing.T, b *bench, visit func(method, template string)) {
	t.Helper()
	seen := 0
	require.NoError(t, b.kit.Router().Walk(func(route *mux.Route, _ *mux.Router, _ []*mux.Route) error {
		template, err := route.GetPathTemplate()
		require.NoError(t, err)
		allowed, err := route.GetMethods()
		require.NoError(t, err, template)
		for _, method := range allowed {
			if open[method+" "+template] != "" {
				continue
			}
			_, known := guarded[method+" "+resourcePath(template)]
			require.True(t, known, "%s %s is a new route: say in isolation_test.go who may use it", method, template)
			seen++
			visit(method, template)
		}
		return nil
	}))
	require.Equal(t, len(prefixes)*len(guarded), seen, "a listed route is gone, or does not answer under every prefix")
}

// resourcePath is a template without its prefix.
func resourcePath(template string) string {
	for _, prefix := range prefixes {
		if rest, ok := strings.CutPrefix(template, prefix); ok {
			return rest
		}
	}
	return template
}

var requestIDField = regexp.MustCompile(`,"requestId":"[^"]*"`)

func withoutRequestID(body []byte) []byte { return requestIDField.ReplaceAll(body, nil) }

// rows counts every row of every table.
func (b *bench) rows(t testing.TB) map[string]int {
	t.Helper()
	names := map[string]int{}
	rows, err := b.pool.Query(t.Context(),
		"select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace")
	require.NoError(t, err)
	for rows.Next() {
		var name string
		require.NoError(t, rows.Scan(&name))
		names[name] = 0
	}
	require.NoError(t, rows.Err())
	for name := range names {
		names[name] = b.count(t, "select count(*) from "+name)
	}
	return names
}
