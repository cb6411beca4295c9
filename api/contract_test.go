package api

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// promised is the first contract with users of the API, by method and path, in its own words: each request may send the
// fields in sends or, in the query, those in asks, and its answer has those in gets. A name with a dot is a field of an
// object, data[] the entries of a list.
var promised = []struct {
	method, path, sends, asks, gets string
}{
	{"POST", "/payment-providers", "provider environment isPrimary webhookSecret publicKey secretKey", "",
		"id provider connectionStatus isPrimary"},
	{"POST", "/payment-providers", "provider environment isPrimary webhookSecret apiToken apiUrl", "",
		"id provider connectionStatus isPrimary"},
	{"GET", "/payment-providers/{id}", "", "", "id provider connectionStatus isPrimary errorMessage lastTestedAt"},
	{"POST", "/customers", "email name metadata paymentMethod paymentDetails.phoneNumber paymentDetails.provider", "",
		"id email name createdAt"},
	{"POST", "/customers", "email phone first_name last_name", "", "id"},
	{"GET", "/customers", "", "limit", "data[].id hasMore"},
	{"DELETE", "/customers/{id}", "", "", ""},
	{"POST", "/subscriptions", "customerId planId trialDays", "",
		"id customerId status trialEndsAt currentPeriodStart currentPeriodEnd"},
	{"GET", "/subscriptions/{id}", "", "",
		"id customerId planId status trialEndsAt currentPeriodStart currentPeriodEnd"},
	{"GET", "/subscriptions", "", "limit", "data[].id data[].planId hasMore"},
	{"PATCH", "/subscriptions/{id}", "planId", "", "id planId"},
	{"POST", "/subscriptions/{id}/cancel", "reason immediateEffect", "", "id status cancelReason"},
	{"POST", "/payments", "customerId amount currency", "", "id status"},
	{"POST", "/payments", "subscriptionId amount", "", "id status subscriptionId"},
	{"GET", "/payments/{id}", "", "",
		"id status customerId subscriptionId amount currency failureReason failureCode providerResponse completedAt"},
	{"POST", "/usage", "subscriptionId metricName quantity timestamp idempotencyKey", "", "id"},
	{"POST", "/webhooks", "url events secret", "", "id url events"},
	{"GET", "/webhook-logs", "", "paymentTransactionId", "data[].id"},
	{"POST", "/webhook-logs", "paymentTransactionId", "", "data[].id"},
	{"GET", "/apps", "", "", "data[].id data[].name"},
}

// document is as much of the OpenAPI document as says which fields there are.
type document struct {
	Paths map[string]map[string]struct {
		Parameters  []struct{ Name, In string }
		RequestBody struct{ Content map[string]media }
		Responses   map[string]struct{ Content map[string]media }
	}
	Components struct{ Schemas map[string]schema }
}

type media struct{ Schema schema }

type schema struct {
	Ref        string `json:"$ref"`
	Properties map[string]schema
	Items      *schema
	AnyOf      []schema
}

// has reports whether a value of the schema may have a field, given by its path.
func (d document) has(s schema, field string) bool {
	if s.Ref != "" {
		s = d.Components.Schemas[s.Ref[strings.LastIndex(s.Ref, "/")+1:]]
	}
	for _, one := range s.AnyOf {
		if d.has(one, field) {
			return true
		}
	}
	name, rest, deeper := strings.Cut(field, ".")
	name, list := strings.CutSuffix(name, "[]")
	property, ok := s.Properties[name]
	if ok && list {
		if ok = property.Items != nil; ok {
			property = *property.Items
		}
	}
	return ok && (!deeper || d.has(property, rest))
}

func TestDocument_KeepsWhatWasPromised(t *testing.T) {
	t.Parallel()
	var doc document
	require.NoError(t, json.Unmarshal(Document("1"), &doc))
	for _, p := range promised {
		where := p.method + " " + p.path
		op, ok := doc.Paths[p.path][strings.ToLower(p.method)]
		require.True(t, ok, where)
		for _, field := range strings.Fields(p.sends) {
			require.True(t, doc.has(op.RequestBody.Content["application/json"].Schema, field),
				"%s does not take %s", where, field)
		}
		for _, name := range strings.Fields(p.asks) {
			require.Contains(t, op.Parameters, struct{ Name, In string }{name, "query"}, where)
		}
		for status, response := range op.Responses {
			if !strings.HasPrefix(status, "2") {
				continue
			}
			for _, field := range strings.Fields(p.gets) {
				require.True(t, doc.has(response.Content["application/json"].Schema, field), "%s does not answer %s", where, field)
			}
		}
	}
	require.False(t, doc.has(doc.Paths["/customers"]["post"].RequestBody.Content["application/json"].Schema, "madeUp"))
}
