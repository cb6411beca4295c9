package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/api/httpkit"
)

// Client generators and reviewers read the golden document; it must follow from the code.
func TestOpenAPI_IsCommitted(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	require.NoError(t, json.Indent(&out, Document("1"), "", "  "))
	out.WriteString("\n")
	golden(t, "../docs/openapi.json", out.Bytes())
}

func TestOpenAPI_IsComplete(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	doc := as[map[string]any](t, 200, b.send(t, "GET", "/openapi.json", nil))
	require.Equal(t, "3.1.0", doc["openapi"])
	require.JSONEq(t, string(Document("test")), string(b.send(t, "GET", "/openapi.json", nil).Body))

	schemas := doc["components"].(map[string]any)["schemas"].(map[string]any)
	used := map[string]bool{}
	walk(doc, func(path string, node map[string]any) {
		if ref, ok := node["$ref"].(string); ok {
			name := strings.TrimPrefix(ref, "#/components/schemas/")
			require.Contains(t, schemas, name, path)
			used[name] = true
		}
	})
	for name := range schemas {
		require.True(t, used[name], "schema %s is used by nothing", name)
	}

	names := map[string]string{}
	eachRoute(t, b, func(method, template string) {
		item, ok := doc["paths"].(map[string]any)[resourcePath(template)].(map[string]any)
		require.True(t, ok, "%s is not documented", template)
		op, ok := item[strings.ToLower(method)].(map[string]any)
		require.True(t, ok, "%s %s is not documented", method, template)
		where := method + " " + template
		name := op["operationId"].(string)
		require.Contains(t, []string{"", method + " " + resourcePath(template)}, names[name], "operationId %s occurs twice",
			name)
		names[name] = method + " " + resourcePath(template)
		require.NotEmpty(t, op["summary"], where)
		require.Equal(t, []any{map[string]any{"apiKey": []any{}}}, op["security"], where)
		checkResponses(t, where, op)
		checkRequest(t, where, method, op)
		for _, variable := range regexp.MustCompile(`{(\w+)}`).FindAllStringSubmatch(template, -1) {
			require.True(t, hasParameter(op, "path", variable[1]), where)
		}
		require.Equal(t, method != "GET", hasParameter(op, "header", "Idempotency-Key"), where)
	})
}

// The two prefixes are two servers of one description: each operation is described once, and answers under both.
func TestDocument_DescribesEachOperationOnceForBothServers(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	doc := as[map[string]any](t, 200, b.send(t, "GET", "/openapi.json", nil))
	require.Equal(t, []any{map[string]any{"url": "/api"}, map[string]any{"url": "/v1"}}, doc["servers"])
	operations := 0
	for path, item := range doc["paths"].(map[string]any) {
		for method := range item.(map[string]any) {
			operations++
			for _, server := range []string{"/api", "/v1"} {
				problem(t, 401, "api_key_missing", "", b.send(t, strings.ToUpper(method), server+path, nil))
			}
		}
	}
	require.Equal(t, len(guarded), operations)

	b.config.PublicURL = "https://billing.example"
	b.Server = b.newServer(t)
	doc = as[map[string]any](t, 200, b.send(t, "GET", "/openapi.json", nil))
	require.Equal(t, []any{
		map[string]any{"url": "https://billing.example/api"}, map[string]any{"url": "https://billing.example/v1"},
	}, doc["servers"])
}

func checkResponses(t *testing.T, where string, op map[string]any) {
	t.Helper()
	responses := op["responses"].(map[string]any)
	for _, status := range []string{"401", "403", "422", "500", "503"} {
		require.Contains(t, responses, status, where)
	}
	successes := 0
	for status, r := range responses {
		require.NotEmpty(t, r.(map[string]any)["description"], where)
		if status == "304" {
			require.NotContains(t, r, "content", where)
			continue
		}
		content := r.(map[string]any)["content"].(map[string]any)
		if status[0] != '2' {
			require.Contains(t, content, httpkit.ProblemType, "%s %s", where, status)
			continue
		}
		if status != "202" { // an operation that may answer before it is decided has another success
			successes++
		}
		media := onlyMedia(t, content)
		require.NotEmpty(t, media["schema"], where)
		require.NotEmpty(t, media["example"], "%s has no example", where)
	}
	require.Equal(t, 1, successes, where)
}

func checkRequest(t *testing.T, where, method string, op map[string]any) {
	t.Helper()
	body, ok := op["requestBody"].(map[string]any)
	if !ok {
		require.Contains(t, []string{"GET", "DELETE"}, method, "%s documents no body", where)
		return
	}
	media := onlyMedia(t, body["content"].(map[string]any))
	require.NotEmpty(t, media["schema"], where)
	if ref, _ := media["schema"].(map[string]any)["$ref"].(string); !strings.HasSuffix(ref, "/Empty") { // nothing to show
		require.NotEmpty(t, media["example"], "%s has no example of its body", where)
	}
}

// The content types of bodies other than JSON.
const (
	ndjson          = "application/x-ndjson"
	cloudEvent      = "application/cloudevents+json"
	cloudEventBatch = "application/cloudevents-batch+json"
	webPage         = "text/html"
)

// onlyMedia is the one form of a body: JSON for nearly all.
func onlyMedia(t *testing.T, content map[string]any) map[string]any {
	t.Helper()
	require.Len(t, content, 1)
	for name, media := range content {
		require.Contains(t, []string{httpkit.JSONType, ndjson, cloudEvent, webPage, "application/pdf", "application/xml"}, name)
		return media.(map[string]any)
	}
	return nil
}

func hasParameter(op map[string]any, in, name string) bool {
	parameters, _ := op["parameters"].([]any)
	for _, p := range parameters {
		if p := p.(map[string]any); p["in"] == in && p["name"] == name {
			return true
		}
	}
	return false
}

// Examples that the API itself would refuse are worse than none.
func TestOpenAPI_ExamplesAreValidRequests(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	rows := b.fill(t, b.test)
	ids := strings.NewReplacer(
		"cust_01jcz6dyqx4w9s1c2k7v5h8m3n", rows.customer, "plan_01jcz6dyqx4w9s1c2k7v5h8m3n", rows.plan,
		"plan_01jcz6f0x3v8r5t2m9k4h7q1wz", b.newPlan(t, b.test).ID, "whd_01jcz6dyqx4w9s1c2k7v5h8m3n", rows.delivery,
		"pp_01jcz6dyqx4w9s1c2k7v5h8m3n", rows.provider, "pm_01jcz6dyqx4w9s1c2k7v5h8m3n", rows.paymentMethod,
		"sub_01jcz6dyqx4w9s1c2k7v5h8m3n", rows.subscription)
	doc := as[map[string]any](t, 200, b.send(t, "GET", "/openapi.json", nil))
	tried := 0
	for path, item := range doc["paths"].(map[string]any) {
		for method, op := range item.(map[string]any) {
			request, ok := op.(map[string]any)["requestBody"].(map[string]any)
			if !ok || strings.HasSuffix(path, "/{couponId}") || strings.HasSuffix(path, "/{changeId}") { // made by another request, or by none yet
				continue
			}
			example, err := json.Marshal(onlyMedia(t, request["content"].(map[string]any))["example"])
			require.NoError(t, err)
			target := "/v1" + rows.in(path)
			if strings.HasSuffix(path, "/advance") {
				example = []byte(`{"to":1900000000}`) // the example's clock is another one
			}
			if string(example) == "null" {
				example = nil
			}
			got := b.ask(t, b.test, strings.ToUpper(method), target, ids.Replace(string(example)))
			require.NotContains(t, []int{400, 404, 422, 500}, got.Status, "%s %s: %s", method, path, got.Body)
			tried++
		}
	}
	require.Greater(t, tried, 8)
}

// The documented example of a refusal occurs in fact.
func TestOpenAPI_ProblemExampleOccurs(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	got := as[map[string]any](t, 422, b.ask(t, b.test, "POST", "/api/plans",
		`{"name":"x","currency":"USD","interval":"month","prices":[{"amount":-1}]}`))
	doc := as[map[string]any](t, 200, b.send(t, "GET", "/openapi.json", nil))
	schema := doc["components"].(map[string]any)["schemas"].(map[string]any)["Problem"].(map[string]any)
	for field, property := range schema["properties"].(map[string]any) {
		if field == "requestId" || field == "errors" || field == "failureCode" {
			continue
		}
		require.Equal(t, []any{got[field]}, property.(map[string]any)["examples"], field)
	}
}

func TestDocs_PageIsSelfContained(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	page := b.send(t, "GET", "/docs", nil)
	require.Equal(t, 200, page.Status)
	require.Contains(t, page.Header.Get("Content-Type"), "text/html")
	require.Contains(t, page.Header.Get("Content-Security-Policy"), "default-src 'none'")
	html := string(page.Body)
	require.NotContains(t, html, "<script")
	for _, link := range regexp.MustCompile(`(?:src|href)="([^"]*)"`).FindAllStringSubmatch(html, -1) {
		require.True(t, strings.HasPrefix(link[1], "#") || strings.HasPrefix(link[1], "/"), link[1])
		if anchor, ok := strings.CutPrefix(link[1], "#"); ok {
			require.Contains(t, html, fmt.Sprintf(`id="%s"`, anchor))
		}
	}
	for _, p := range problems() {
		require.Contains(t, html, fmt.Sprintf(`id="problem-%s"`, p.Code))
	}
	for _, limit := range []string{
		"0 to 999999999999.", "1 to 100.", "1 to 200 characters.", "1 to 20 entries.", "At most 50 keys.",
		"One of: day, week, month, year.",
	} {
		require.Contains(t, html, limit)
	}
	doc := as[map[string]any](t, 200, b.send(t, "GET", "/openapi.json", nil))
	for _, item := range doc["paths"].(map[string]any) {
		for _, op := range item.(map[string]any) {
			require.Contains(t, html, fmt.Sprintf(`<h3 id="%s">`, op.(map[string]any)["operationId"]))
		}
	}
}

// walk visits every object of a JSON document.
func walk(node any, visit func(path string, node map[string]any)) { walkAt("", node, visit) }

func walkAt(path string, node any, visit func(path string, node map[string]any)) {
	switch n := node.(type) {
	case map[string]any:
		visit(path, n)
		for name, child := range n {
			walkAt(path+"/"+name, child, visit)
		}
	case []any:
		for _, child := range n {
			walkAt(path+"/-", child, visit)
		}
	}
}

// Only operations that commands of one subscription can crowd document 429.
func TestOpenAPI_DocumentsTooManyCommands(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	rows := b.fill(t, b.test)
	attempt := as[Payment](t, 201, b.ask(t, b.test, "POST", "/api/payments",
		map[string]any{"subscriptionId": b.newDebt(t).ID}))
	rows.subscription, rows.invoice, rows.payment = attempt.SubscriptionID, attempt.InvoiceID, attempt.ID
	for range 8 {
		for _, crowded := range []string{rows.subscription, rows.customer} {
			leave, err := b.gate.Enter(crowded)
			require.NoError(t, err)
			defer leave()
		}
	}
	doc := as[map[string]any](t, 200, b.send(t, "GET", "/openapi.json", nil))
	crowded := 0
	for operation, entry := range guarded {
		method, path, _ := strings.Cut(operation, " ")
		if method == "DELETE" {
			continue // removes the resource of the others
		}
		var body any
		if entry.body != nil {
			body = entry.body(rows)
		}
		if operation == "POST /payments" {
			body = map[string]any{"subscriptionId": rows.subscription}
		}
		got := b.ask(t, b.test, method, "/v1"+rows.in(path), body)
		responses := doc["paths"].(map[string]any)[path].(map[string]any)[strings.ToLower(method)].(map[string]any)["responses"]
		if got.Status == 429 {
			crowded++
			problem(t, 429, "too_many_commands", "", got)
			require.Equal(t, "1", got.Header.Get("Retry-After"))
		}
		listed := responses.(map[string]any)["429"].(map[string]any)["description"].(string)
		require.Equal(t, got.Status == 429, strings.Contains(listed, "too_many_commands"), "%s: %s", operation, got.Body)
	}
	require.Equal(t, 27, crowded)
}
