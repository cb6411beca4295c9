package api

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/api/httpkit"
)

// emptyMeans lists the lists and maps of requests that may be empty, by schema and field, each with the meaning of an
// empty one. An app that computes a restriction and sends an empty one must not get everything: where an absent list
// means all, an empty one is refused, by minItems or minProperties.
var emptyMeans = map[string]string{
	"CloudEvent.data":                     "no properties, and no quantity that is one of them",
	"Commitment.currencies":               "sold in the plan's own currency only",
	"CustomerChange.features":             "none of its own any more: plans count",
	"CustomerChange.taxIds":               "none is known",
	"CustomerForm.taxIds":                 "none is known",
	"InvoiceTemplateForm.texts":           "no texts of one's own",
	"InvoiceTemplateForm.texts.*":         "no texts in this language",
	"InvoiceTemplatePreview.texts.*":      "no texts in this language",
	"InvoiceTemplatePreview.texts":        "no texts of one's own",
	"EmailSettingsForm.allowedRecipients": "nobody gets mails in a test environment",
	"EmailSettingsForm.kinds":             "no kind is sent by itself",
	"Dunning.failureRules":                "nothing is different after any failure",
	"Dunning.minimumAmounts":              "no minimums but the provider's",
	"Dunning.retryGapDays":                "no retries",
	"MeteredRate.currencies":              "sold in the plan's own currency only",
	"MeteredRate.tiers":                   "none, as without the field; the models say how many",
	"MetricDefinition.groupBy":            "not grouped",
	"Minimum.currencies":                  "sold in the plan's own currency only",
	"MetricFilter.exclude":                "no record is left out",
	"MetricFilter.exclude[]":              "an entry that leaves out none",
	"MetricFilter.exclude[].*":            "an entry that leaves out none",
	"MetricFilter.include.*":              "no record counts",
	"MetricForm.groupBy":                  "not grouped",
	"NewSubscriptionPreviewForm.addOns":   "none",
	"OverduePolicy.states":                "there is no policy",
	"OverdueState.amounts":                "no condition about amounts",
	"PlanChange.features":                 "nothing is said of features any more",
	"PlanVersionForm.meteredPrices":       "usage costs nothing any more, and there is no commitment to it",
	"PlanVersionForm.usageThresholds":     "nothing is announced any more",
	"PriceAmounts.tiers":                  "none, of a price without tiers; the models say how many",
	"PriceForm.currencies":                "sold in the plan's own currency only",
	"PriceForm.tiers":                     "none, as without the field; the models say how many",
	"RateAmounts.tiers":                   "none, of a price without tiers; the models say how many",
	"RoutingRules.rules":                  "payments go to the primary configuration",
	"SubscriptionChange.addOns":           "none from then on",
	"SubscriptionChange.usageThresholds":  "none, whatever its plan has",
	"SubscriptionForm.addOns":             "none",
	"SubscriptionPreviewForm.addOns":      "none from then on",
	"UsageForm.properties":                "none",
}

// input is a list or a map in a request.
type input struct {
	operation string   // method and path
	query     string   // its name, where it is in the query
	path      []string // in the body: names, and [] for an entry
	name      string   // schema and field
	schema    map[string]any
}

func (i input) isMap() bool { return i.schema["type"] == "object" }

// restricted reports whether the document refuses an empty one.
func (i input) restricted() bool {
	least, ok := i.schema["minItems"].(float64)
	if i.isMap() {
		least, ok = i.schema["minProperties"].(float64)
	}
	return ok && least >= 1
}

// param returns the name of the input in problems.
func (i input) param() string {
	return strings.ReplaceAll(strings.ReplaceAll(strings.Join(i.path, "."), ".[]", "[0]"), ".*", ".x")
}

// inputsOf walks the schemas of the document's requests, and calls visit for each schema below a property.
func inputsOf(t *testing.T, visit func(input)) {
	t.Helper()
	var doc map[string]any
	require.NoError(t, json.Unmarshal(Document("test"), &doc))
	schemas := doc["components"].(map[string]any)["schemas"].(map[string]any)
	var walk func(operation, name string, path []string, schema map[string]any, above []string)
	walk = func(operation, name string, path []string, schema map[string]any, above []string) {
		if ref, ok := schema["$ref"].(string); ok {
			name = strings.TrimPrefix(ref, "#/components/schemas/")
			require.NotContains(t, above, name, "a schema within itself")
			walk(operation, name, path, schemas[name].(map[string]any), append(slices.Clone(above), name))
			return
		}
		visit(input{operation: operation, path: slices.Clone(path), name: name, schema: schema})
		if items, ok := schema["items"].(map[string]any); ok {
			walk(operation, name+"[]", append(path, "[]"), items, above)
		}
		if values, ok := schema["additionalProperties"].(map[string]any); ok {
			walk(operation, name+".*", append(path, "*"), values, above)
		}
		properties, _ := schema["properties"].(map[string]any)
		for _, property := range slices.Sorted(maps.Keys(properties)) {
			walk(operation, name+"."+property, append(path, property), properties[property].(map[string]any), above)
		}
	}
	for path, item := range doc["paths"].(map[string]any) {
		for method, op := range item.(map[string]any) {
			operation, op := strings.ToUpper(method)+" "+path, op.(map[string]any)
			parameters, _ := op["parameters"].([]any)
			for _, p := range parameters {
				p := p.(map[string]any)
				if schema := p["schema"].(map[string]any); p["in"] == "query" {
					visit(input{operation: operation, query: p["name"].(string), name: p["name"].(string), schema: schema})
				}
			}
			body, _ := op["requestBody"].(map[string]any)
			if body == nil {
				continue
			}
			media := onlyMedia(t, body["content"].(map[string]any))
			walk(operation, "", nil, media["schema"].(map[string]any), nil)
		}
	}
}

// holding is a body with nothing but a value at a path.
func holding(path []string, value any) any {
	for _, step := range slices.Backward(path) {
		switch step {
		case "[]":
			value = []any{value}
		case "*":
			value = map[string]any{"x": value}
		default:
			value = map[string]any{step: value}
		}
	}
	return value
}

func TestRequest_EmptyListNeverMeansAll(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	rows := b.fill(t, b.test)
	used, refused := map[string]bool{}, 0
	inputsOf(t, func(i input) {
		_, isObject := i.schema["additionalProperties"].(map[string]any)
		if i.schema["type"] != "array" && !isObject || len(i.path)+len(i.query) == 0 {
			return
		}
		if i.path != nil && i.path[len(i.path)-1] == "metadata" {
			return // the app's own
		}
		method, path, _ := strings.Cut(i.operation, " ")
		path = "/api" + rows.in(path)
		if i.query != "" {
			problem(t, 422, "parameter_empty", i.query, b.ask(t, b.test, method, path+"?"+i.query+"=", nil))
			require.Equal(t, 422, b.ask(t, b.test, method, path+"?"+i.query+"=,", nil).Status)
			return
		}
		if !i.restricted() {
			require.NotEmpty(t, emptyMeans[i.name], "%s: an empty %s (%s) is accepted: say here what it means, or refuse it",
				i.operation, i.param(), i.name)
			used[i.name] = true
			return
		}
		require.Empty(t, emptyMeans[i.name], "%s is refused where it is empty", i.name)
		empty := any([]any{})
		if i.isMap() {
			empty = map[string]any{}
		}
		got := b.ask(t, b.test, method, path, holding(i.path, empty), "Idempotency-Key", "empty")
		p := as[httpkit.Problem](t, 422, got)
		require.True(t, p.Param == i.param() && p.Code == "out_of_range" || slices.ContainsFunc(p.Errors,
			func(f httpkit.ProblemField) bool { return f.Param == i.param() && f.Code == "out_of_range" }),
			"%s: an empty %s: %s", i.operation, i.param(), got.Body)
		refused++
	})
	require.Positive(t, refused)
	for name := range emptyMeans {
		require.True(t, used[name], "%s is in no request, or cannot be empty", name)
	}
}
