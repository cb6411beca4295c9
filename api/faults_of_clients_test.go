package api

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/api/httpkit"
	"perennial/contract"
)

// Whatever is wrong with a megabyte, its answer is short, and to find out takes no more memory than the body is worth.
func TestProblem_AtMost20Fields(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const head = `{"name":"Pro","currency":"USD","interval":"month"`
	fill := func(element string) string {
		return strings.Repeat(element+",", (1<<20-200)/(len(element)+1)) + element
	}
	for name, c := range map[string]struct{ body, code, param string }{
		"a list of empty entries": {head + `,"prices":[` + fill(`{}`) + `]}`, "body_too_complex", ""},
		"a list of wrong entries": {head + `,"prices":[` + fill(`{"a":1,"b":2}`) + `]}`, "body_too_complex", ""},
		"a list that is too long": {
			head + `,"prices":[` + strings.Repeat(`{"amount":-1},`, 500) + `{}]}`, "out_of_range", "prices",
		},
		"many wrong entries": {head + `,"prices":[` + strings.Repeat(`{"amount":-1,"x":1,"y":2},`, 19) + `{}]}`,
			"out_of_range", "prices[0].amount"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got := b.ask(t, b.test, "POST", "/api/plans", c.body)
		runtime.ReadMemStats(&after)
		p := problem(t, 422, c.code, c.param, got)
		require.LessOrEqual(t, len(p.Errors), 20, name)
		require.Less(t, len(got.Body), 8<<10, name)
		t.Logf("%s: %d bytes in, %d out, %d MiB allocated by the whole process", name, len(c.body), len(got.Body),
			(after.TotalAlloc-before.TotalAlloc)>>20)
	}
	many := map[string]int{}
	for i := range 1000 {
		many[fmt.Sprintf("field%d", i)] = i
	}
	p := problem(t, 422, "field_unknown", "field0", b.ask(t, b.test, "PATCH", "/api/plans/"+b.newPlan(t, b.test).ID, many))
	require.Len(t, p.Errors, 20)
}

func TestBody_OperationWithoutFields(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.newSubscription(t, b.test)
	path := "/api/customers/" + sub.CustomerID
	problem(t, 422, "field_unknown", "cascade", b.ask(t, b.test, "DELETE", path, `{"cascade":false}`))
	problem(t, 422, "field_unknown", "when", b.ask(t, b.test, "POST", "/api/subscriptions/"+sub.ID+"/reactivate",
		`{"when":1}`))
	problem(t, 422, "type_wrong", "", b.ask(t, b.test, "DELETE", path, `[]`))
	require.Equal(t, 200, b.ask(t, b.test, "GET", path, nil).Status)
	require.Equal(t, 200, b.ask(t, b.test, "DELETE", path, `{}`).Status)
}

func TestCreateCustomer_OtherProviderIsRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	details := func(provider string) map[string]any {
		return map[string]any{
			"email": "a@example.com", "paymentMethod": "card",
			"paymentDetails": map[string]any{"provider": provider, "paymentMethodToken": "pm_1"},
		}
	}
	const param = "paymentDetails.provider"
	problem(t, 422, "provider_not_configured", param, b.ask(t, b.test, "POST", "/api/customers", details("adyen")))
	cust := as[Customer](t, 201, b.ask(t, b.test, "POST", "/api/customers", details("stripe")))
	change := details("adyen")
	delete(change, "email")
	problem(t, 422, "provider_not_configured", param, b.ask(t, b.test, "PATCH", "/api/customers/"+cust.ID, change))
	require.Equal(t, 201, b.ask(t, b.test, "POST", "/api/customers", details("")).Status, "it may be left out")
	for _, table := range []string{"provider_credentials", "provider_configs"} {
		_, err := b.pool.Exec(t.Context(), "delete from "+table+" where environment_id = $1", b.other.environmentID)
		require.NoError(t, err)
	}
	problem(t, 422, "provider_not_configured", param, b.ask(t, b.other, "POST", "/api/customers", details("stripe")))
}

func TestListEvents_UnknownType(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	problem(t, 422, "value_unknown", "type", b.ask(t, b.test, "GET", "/api/events?type=payment.succeeded", nil))
	problem(t, 422, "value_unknown", "type", b.ask(t, b.test, "GET", "/api/events?type=payment.*,pay*", nil))
	problem(t, 422, "out_of_range", "type", b.ask(t, b.test, "GET",
		"/api/events?type="+strings.Repeat("payment.*,", 10)+"plan.*", nil))
	problem(t, 422, "time_span_empty", "to", b.ask(t, b.test, "GET", "/api/events?from=1763640000&to=1763640000", nil))
	problem(t, 422, "type_wrong", "from", b.ask(t, b.test, "GET", "/api/events?from=yesterday", nil))
	require.Equal(t, 200, b.ask(t, b.test, "GET", "/api/events?type=payment.success", nil).Status)
}

func TestText_BlankIsRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	plan, cust := b.newPlan(t, b.test), b.newCustomer(t, b.test)
	for _, c := range []struct{ method, path, body, param string }{
		{"POST", "/plans", `{"name":%s,"currency":"USD","interval":"month","amount":1}`, "name"},
		{"POST", "/plans",
			`{"name":"Pro","currency":"USD","interval":"month","prices":[{"amount":1},{"name":%s,"amount":1}]}`,
			"prices[1].name"},
		{"PATCH", "/plans/" + plan.ID, `{"name":%s}`, "name"},
		{"POST", "/customers", `{"email":"a@example.com","name":%s}`, "name"},
		{"PATCH", "/customers/" + cust.ID, `{"name":%s}`, "name"},
		{"POST", "/test-clocks", `{"name":%s}`, "name"},
		{"POST", "/payments", `{"customerId":"` + cust.ID + `","amount":1,"currency":"USD","description":%s}`, "description"},
	} {
		for text, code := range map[string]string{
			`" \t "`: "text_blank", `"a\nb"`: "text_invalid", `"\u0085b"`: "text_invalid", `"a\u0007"`: "text_invalid",
		} {
			problem(t, 422, code, c.param, b.ask(t, b.test, c.method, "/api"+c.path, fmt.Sprintf(c.body, text)))
		}
		require.Less(t, b.ask(t, b.test, c.method, "/api"+c.path, fmt.Sprintf(c.body, `"Ünï 7 ½"`)).Status, 300)
	}
}

func TestCreatePlan_AmountAndPrices(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const form = `{"name":"Pro","currency":"USD","interval":"month"%s}`
	problem(t, 422, "fields_exclusive", "prices",
		b.ask(t, b.test, "POST", "/api/plans", fmt.Sprintf(form, `,"amount":1,"prices":[{"amount":1}]`)))
	problem(t, 422, "prices_missing", "prices", b.ask(t, b.test, "POST", "/api/plans", fmt.Sprintf(form, ``)))
}

func TestLog_RefusalHasCode(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, c := range []struct{ method, path, body, code string }{
		{"POST", "/plans", `{}`, "field_missing"},
		{"POST", "/plans", `{"name":"x","zzz":1}`, "field_missing"},
		{"GET", "/plans?limit=x", "", "type_wrong"},
		{"GET", "/plans?zzz=1", "", "parameter_unknown"},
		{"POST", "/payments", `{"amount":1}`, "field_missing"},
	} {
		var body any
		if c.body != "" {
			body = c.body
		}
		before := len(b.log.String())
		got := b.ask(t, b.test, c.method, "/api"+c.path, body)
		require.Equal(t, 422, got.Status, "%s", got.Body)
		require.Contains(t, b.log.String()[before:], `"code":"`+c.code+`"`, "%s %s", c.method, c.path)
	}
}

func TestDocs_NameTheirOwnAddress(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	r := b.request(t, "GET", "http://billing.example:9000/docs", nil)
	require.Contains(t, string(b.serve(r).Body), "http://billing.example:9000/api/subscriptions?limit=3")
	r.Host = `"><script>`
	require.NotContains(t, string(b.serve(r).Body), "<script>")
	b.config.PublicURL = "https://public.example"
	b.Server = b.newServer(t)
	require.Contains(t, string(b.send(t, "GET", "/docs", nil).Body), "https://public.example/api/subscriptions?limit=3")
}

func TestListCustomers_EmailCaseInsensitive(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	cust := as[Customer](t, 201, b.ask(t, b.test, "POST", "/api/customers", `{"email":"Ada.Lovelace@Example.com"}`))
	require.Equal(t, "Ada.Lovelace@Example.com", cust.Email, "it is kept as it was written")
	for _, email := range []string{"ada.lovelace@example.com", "ADA.LOVELACE@EXAMPLE.COM"} {
		list := as[httpkit.List[Customer]](t, 200, b.ask(t, b.test, "GET", "/api/customers?email="+email, nil))
		require.Len(t, list.Data, 1, email)
	}
}

func TestCreateSubscription_PreferWait(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	cust, plan := b.newCustomer(t, b.test), b.newPlan(t, b.test)
	form := map[string]any{"customerId": cust.ID, "planId": plan.ID}
	subscribe := func(headers ...string) <-chan response {
		answered := make(chan response, 1)
		r := b.request(t, "POST", "/api/subscriptions", form, append(headers, "Authorization", "Bearer "+b.test.key)...)
		go func() { answered <- b.serve(r) }()
		return answered
	}
	started := make(chan string, 1)
	b.engine.onStart = func(_ context.Context, in contract.SubscriptionStart) error {
		started <- in.Input.Ref.ID
		return nil
	}
	waiting := subscribe("Prefer", "wait=30")
	attempt := b.begin(t, <-started)
	select {
	case early := <-waiting:
		t.Fatalf("answered while the payment is pending: %s", early.Body)
	case <-time.After(200 * time.Millisecond):
	}
	b.succeed(t, attempt)
	got := <-waiting
	require.NotZero(t, as[Subscription](t, 201, got).PaidThrough)
	require.Equal(t, "wait=30", got.Header.Get("Preference-Applied"))

	waiting = subscribe("Prefer", "wait=30")
	b.decline(t, b.begin(t, <-started))
	require.Zero(t, as[Subscription](t, 201, <-waiting).PaidThrough, "a declined one is decided too")

	form["trialDays"] = 14
	began := time.Now()
	require.Equal(t, "trialing", as[Subscription](t, 201, <-subscribe("Prefer", "wait=30")).Status)
	require.Less(t, time.Since(began), 20*time.Second, "a trial has no first payment to wait for")
}

func TestAdvanceTestClock_BoundAndStop(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.engine.onAdvance = func(context.Context, contract.Ref) error { return nil } // its workflow is slow
	clock := as[TestClock](t, 201, b.ask(t, b.test, "POST", "/api/test-clocks", `{"now":1600000000}`))
	path := "/api/test-clocks/" + clock.ID
	tenYears := time.Unix(1600000000, 0).UTC().AddDate(10, 0, 0).Unix()
	problem(t, 422, "out_of_range", "to", b.ask(t, b.test, "POST", path+"/advance", fmt.Sprintf(`{"to":%d}`, tenYears+1)))
	still := as[TestClock](t, 200, b.ask(t, b.test, "POST", path+"/stop", nil))
	require.Equal(t, "ready", still.Status, "what stands still stays as it is")
	require.Equal(t, tenYears, as[TestClock](t, 200,
		b.ask(t, b.test, "POST", path+"/advance", fmt.Sprintf(`{"to":%d}`, tenYears))).Target)

	b.engine.onAdvance = nil
	stopped := as[TestClock](t, 200, b.ask(t, b.test, "POST", path+"/stop", nil, "Prefer", "wait=10"))
	require.Equal(t, "ready", stopped.Status)
	require.Equal(t, clock.Now, stopped.Now)
	problem(t, 404, "test_clock_not_found", "", b.ask(t, b.other, "POST", path+"/stop", nil))
}

// Readers copy the document's examples, so each must match the schema that it illustrates.
func TestOpenAPI_ExamplesMatchSchemas(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	raw := as[map[string]any](t, 200, b.send(t, "GET", "/openapi.json", nil))
	seen := 0
	walk(raw, func(path string, node map[string]any) {
		example, ok := node["example"]
		schema, has := node["schema"].(map[string]any)
		if !ok || !has {
			return
		}
		seen++
		for _, wrong := range mismatches(raw, schema, example, path) {
			t.Error(wrong)
		}
	})
	require.Greater(t, seen, 40)
}

// The example of an answer shows the result of the request's example.
func TestOpenAPI_ExamplesMatchRequests(t *testing.T) {
	t.Parallel()
	doc := map[string]any{}
	require.NoError(t, json.Unmarshal(Document("1"), &doc))
	compared := 0
	for path, item := range doc["paths"].(map[string]any) {
		for method, op := range item.(map[string]any) {
			asked, ok := exampleOf(op.(map[string]any)["requestBody"])
			if !ok {
				continue
			}
			for status, response := range op.(map[string]any)["responses"].(map[string]any) {
				answered, ok := exampleOf(response)
				if !ok || status[0] != '2' || status == "202" { // 202 shows what it waits for
					continue
				}
				if _, noted := asked["metadata"]; !noted && status == "201" && answered["metadata"] != nil {
					require.Empty(t, answered["metadata"], "%s %s was sent no metadata", method, path)
				}
				for field, want := range asked {
					got, shown := answered[field]
					_, nested := want.(map[string]any)
					if list, ok := want.([]any); ok && len(list) > 0 {
						_, nested = list[0].(map[string]any) // the answer shows more of each
					}
					if shown && !nested {
						compared++
						require.Equal(t, want, got, "%s %s: %s", method, path, field)
					}
				}
			}
		}
	}
	require.Greater(t, compared, 10)
}

func exampleOf(body any) (map[string]any, bool) {
	content, _ := body.(map[string]any)
	media, _ := content["content"].(map[string]any)
	typed, _ := media["application/json"].(map[string]any)
	example, ok := typed["example"].(map[string]any)
	return example, ok
}

// mismatches returns the places where a value does not match a schema. It knows as much of JSON Schema as our document
// uses.
func mismatches(doc, schema map[string]any, value any, at string) (wrong []string) {
	if ref, ok := schema["$ref"].(string); ok {
		name := strings.TrimPrefix(ref, "#/components/schemas/")
		return mismatches(doc, doc["components"].(map[string]any)["schemas"].(map[string]any)[name].(map[string]any), value,
			at)
	}
	if either, ok := schema["anyOf"].([]any); ok {
		for _, one := range either {
			if len(mismatches(doc, one.(map[string]any), value, at)) == 0 {
				return nil
			}
		}
		return []string{at + ": of none of the schemas"}
	}
	complain := func(format string, args ...any) { wrong = append(wrong, at+": "+fmt.Sprintf(format, args...)) }
	if enum, ok := schema["enum"].([]any); ok && !contains(enum, value) {
		complain("%v is none of %v", value, enum)
	}
	properties, _ := schema["properties"].(map[string]any)
	switch v := value.(type) {
	case map[string]any:
		if schema["type"] != "object" {
			complain("an object, not %v", schema["type"])
		}
		for _, name := range asList(schema["required"]) {
			if _, there := v[name.(string)]; !there {
				complain("%s is missing", name)
			}
		}
		for name, field := range v {
			if property, known := properties[name].(map[string]any); known {
				wrong = append(wrong, mismatches(doc, property, field, at+"."+name)...)
			} else if schema["additionalProperties"] == false {
				complain("%s is unknown", name)
			}
		}
	case []any:
		items, _ := schema["items"].(map[string]any)
		for i, item := range v {
			wrong = append(wrong, mismatches(doc, items, item, fmt.Sprintf("%s[%d]", at, i))...)
		}
	case float64:
		least, bounded := schema["minimum"].(float64)
		if schema["type"] != "integer" && schema["type"] != "number" || bounded && v < least {
			complain("%v is no %v from %v", v, schema["type"], least)
		}
	case string:
		if schema["type"] != "string" {
			complain("%q is no %v", v, schema["type"])
		}
	}
	return wrong
}

func asList(v any) []any {
	list, _ := v.([]any)
	return list
}

func contains(list []any, v any) bool {
	for _, one := range list {
		if one == v {
			return true
		}
	}
	return false
}
