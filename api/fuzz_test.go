package api

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/api/httpkit"
)

// Whatever is sent, the answer is a success or a problem of the sender, and never ours. `go test` runs the seeds; for
// more: go test ./api -run ^$ -fuzz FuzzRequest_Bodies -fuzztime 10m
func FuzzRequest_Bodies(f *testing.F) {
	b := newBench(f)
	good := b.goodBodies(f, b.fill(f, b.test))
	var endpoints []string
	for endpoint := range good {
		endpoints = append(endpoints, endpoint)
	}
	// ids differ from run to run
	slices.SortFunc(endpoints, func(a, b string) int { return strings.Compare(shape(a), shape(b)) })
	for i, endpoint := range endpoints {
		for _, body := range []string{
			good[endpoint], "", "{}", "[]", `{"":""}`, `{"metadata":{"":""}}`, `{"metadata":{"a":"\u0000"}}`,
			`{"metadata":{"a":-1.50e-7,"b":null,"c":true}}`, `{"metadata":{"a":1e400}}`, `{"metadata":{"a":[{}]}}`,
			`{"name":"\u202e"}`,
			`{"amount":-0}`, `{"amount":1e3}`, `{"amount":9223372036854775807}`, `{"prices":[[]]}`, `{"paymentDetails":[]}`,
			`{"to":4102444800}`, `{"trialDays":730}`, "\xef\xbb\xbf{}", "{}\x00",
			strings.Repeat(`{"a":`, 40) + "1" + strings.Repeat("}", 40),
		} {
			f.Add(uint8(i), []byte(body))
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, body []byte) {
		method, path, _ := strings.Cut(endpoints[int(which)%len(endpoints)], " ")
		b.holds(t, method, "/api"+path, "", bytes.NewReader(body))
	})
}

// FuzzRequest_Paths does the same to paths and query strings.
func FuzzRequest_Paths(f *testing.F) {
	b := newBench(f)
	for _, path := range []string{
		"/api/plans", "/v1/subscriptions/sub_%00", "//", "/api/../plans", "/callbacks/x", "/api/customers/cust_\xff", "/",
	} {
		for _, query := range []string{
			"", "limit=1", "limit=9999999999999999999", "a=%zz", "status=active&status=active", "startingAfter=%00", "=&=",
			"type=" + strings.Repeat("x", 99),
		} {
			f.Add(path, query)
		}
	}
	f.Fuzz(func(t *testing.T, path, query string) {
		b.holds(t, http.MethodGet, path, query, http.NoBody)
	})
}

// holds sends a request as it is, also what net/http's client would refuse to send.
func (b *bench) holds(t *testing.T, method, path, query string, body io.Reader) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, "/", body)
	r.URL = &url.URL{Path: path, RawQuery: query}
	r.Header.Set("Authorization", "Bearer "+b.test.key)
	w := httptest.NewRecorder()
	b.Handler().ServeHTTP(w, r)
	require.Less(t, w.Code, 500, "%s %q %q: %s", method, path, query, w.Body)
	if w.Code >= 400 {
		var p httpkit.Problem
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &p))
		require.NotEmpty(t, p.Code)
	}
}

// shape is an endpoint without its ids.
func shape(endpoint string) string {
	parts := strings.Split(endpoint, "/")
	for i, part := range parts {
		if strings.Contains(part, "_") {
			parts[i] = ""
		}
	}
	return strings.Join(parts, "/")
}

// Any body made of our own fields with values of any type gets a coded answer.
func TestRequest_AnyMixOfFields(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	good := b.goodBodies(t, b.fill(t, b.test))
	var endpoints []string
	for endpoint := range good {
		endpoints = append(endpoints, endpoint)
	}
	slices.SortFunc(endpoints, func(a, b string) int { return strings.Compare(shape(a), shape(b)) })
	fields := []string{
		"name", "currency", "interval", "intervalCount", "amount", "prices", "trialDays", "metadata", "email", "phone",
		"first_name",
		"paymentMethod", "paymentDetails", "testClockId", "customerId", "planId", "subscriptionId", "effective", "reason",
		"immediateEffect", "refund", "description", "to", "now",
		"url", "events", "secret", "payloadShape", "revokePrevious", "deliveryId", "paymentTransactionId", "endpointId",
		"since", "before", "startingAfter",
	}
	rapid.Check(t, func(rt *rapid.T) {
		endpoint := rapid.SampledFrom(endpoints).Draw(rt, "endpoint")
		body := map[string]any{}
		if rapid.Bool().Draw(rt, "from a good body") {
			require.NoError(rt, json.Unmarshal([]byte(good[endpoint]), &body))
		}
		for _, field := range rapid.SliceOfN(rapid.SampledFrom(fields), 0, 4).Draw(rt, "fields") {
			body[field] = anyValue(2).Draw(rt, field)
		}
		encoded, err := json.Marshal(body)
		require.NoError(rt, err)
		method, path, _ := strings.Cut(endpoint, " ")
		b.holds(t, method, "/v1"+path, "", bytes.NewReader(encoded))
	})
}

func anyValue(depth int) *rapid.Generator[any] {
	leaves := []*rapid.Generator[any]{
		rapid.Int64().AsAny(), rapid.Float64Range(-1e9, 1e9).AsAny(), rapid.String().AsAny(), rapid.Bool().AsAny(),
		rapid.Just(any(nil)),
		rapid.SampledFrom([]string{"USD", "month", "card", "now", "+237670000001", "a@example.com", "flat"}).AsAny(),
		rapid.IntRange(0, 40).AsAny(),
	}
	if depth > 0 {
		leaves = append(leaves, rapid.SliceOfN(anyValue(depth-1), 0, 3).AsAny(),
			rapid.MapOfN(rapid.SampledFrom([]string{"amount", "model", "a", "phoneNumber", "provider"}), anyValue(depth-1), 0,
				3).AsAny())
	}
	return rapid.OneOf(leaves...)
}
