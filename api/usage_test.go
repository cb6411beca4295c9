package api

import (
	"bufio"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/api/httpkit"
)

// meter makes a subscription and metrics: api_calls (a sum by region) and users (a unique count).
func (b *bench) meter(t testing.TB, e opened) string {
	t.Helper()
	for _, form := range []string{
		`{"name":"api_calls","aggregation":"sum","groupBy":["region"]}`,
		`{"name":"users","aggregation":"unique_count","keyProperty":"user"}`,
	} {
		require.Equal(t, 201, b.ask(t, e, "POST", "/api/metrics", form).Status)
	}
	return b.newSubscription(t, e).ID
}

func usageBody(subscription, key, more string) string {
	return fmt.Sprintf(`{"subscriptionId":%q,"metricName":"api_calls","quantity":2.5,"idempotencyKey":%q%s}`,
		subscription, key, more)
}

// used returns the quantities of api_calls in the summary, by region.
func (b *bench) used(t testing.TB, e opened, subscription string) map[string]string {
	t.Helper()
	out := map[string]string{}
	path := "/api/subscriptions/" + subscription + "/usage?metric=api_calls&groupBy=region"
	for _, p := range as[UsageSummary](t, 200, b.ask(t, e, "GET", path, nil)).Data {
		region := "none"
		if p.Group["region"] != nil {
			region = *p.Group["region"]
		}
		out[region] = fmt.Sprintf("%s of %d", p.Quantity, p.Records)
	}
	return out
}

func TestUsage_CountsOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.meter(t, b.test)
	rows := b.count(t, "select count(*) from idempotency_keys")
	body := usageBody(sub, "k1", `,"properties":{"region":"eu","retries":3}`)
	first := b.ask(t, b.test, "POST", "/api/usage", body)
	record := as[UsageRecord](t, 201, first)
	require.Equal(t, Number("2.5"), record.Quantity)
	require.Equal(t, "3", record.Properties["retries"])
	require.NotZero(t, record.Timestamp)
	for range 2 {
		again := b.ask(t, b.test, "POST", "/v1/usage", body, "Idempotency-Key", "another")
		require.Equal(t, 201, again.Status)
		require.Equal(t, string(first.Body), string(again.Body))
		require.Equal(t, "true", again.Header.Get("Idempotent-Replayed"))
		_, err := b.deps.Service.Usage.RollUpUsage(t.Context())
		require.NoError(t, err)
		require.Equal(t, map[string]string{"eu": "2.5 of 1"}, b.used(t, b.test, sub))
	}
	problem(t, 422, "usage_key_reused", "idempotencyKey", b.ask(t, b.test, "POST", "/api/usage", usageBody(sub, "k1", "")))
	require.Equal(t, rows, b.count(t, "select count(*) from idempotency_keys"), "no row but the record's own")

	// A key belongs to its environment, and a foreign subscription is absent.
	problem(t, 404, "subscription_not_found", "subscriptionId", b.ask(t, b.other, "POST", "/api/usage", body))
	otherSub := b.meter(t, b.other)
	require.Equal(t, 201, b.ask(t, b.other, "POST", "/api/usage", usageBody(otherSub, "k1", "")).Status)
	require.Equal(t, map[string]string{"none": "2.5 of 1"}, b.used(t, b.other, otherSub))

	// A repeat is answered as the first request was, whatever the state of the subscription is now.
	require.Equal(t, 200, b.ask(t, b.test, "POST", "/api/subscriptions/"+sub+"/cancel", `{"immediateEffect":true}`).Status)
	require.Equal(t, 201, b.ask(t, b.test, "POST", "/api/usage", body).Status)
	problem(t, 409, "usage_after_end", "timestamp", b.ask(t, b.test, "POST", "/api/usage", usageBody(sub, "k2", "")))
}

func TestUsage_Refusals(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.meter(t, b.test)
	now := b.base.Unix()
	form := func(field, value string) string { return replaceField(usageBody(sub, "k", ""), field, value) }
	for _, c := range []struct {
		body        string
		status      int
		code, param string
	}{
		{form("subscriptionId", `"sub_01jcz6dyqx4w9s1c2k7v5h8m3n"`), 404, "subscription_not_found", "subscriptionId"},
		{form("metricName", `"sms"`), 404, "metric_not_found", "metricName"},
		{form("timestamp", fmt.Sprint(now-91*86400)), 422, "usage_too_old", "timestamp"},
		{form("timestamp", fmt.Sprint(now-86400)), 422, "usage_before_subscription", "timestamp"},
		{form("timestamp", fmt.Sprint(now+2*3600)), 422, "usage_too_far_ahead", "timestamp"},
		{form("quantity", "-1"), 422, "usage_quantity_negative", "quantity"},
		{form("quantity", `"1"`), 422, "type_wrong", "quantity"},
		{form("quantity", "1.0000000000001"), 422, "decimal_invalid", "quantity"},
		{form("quantity", "1e5"), 422, "type_wrong", "quantity"},
		{form("idempotencyKey", `"a\nb"`), 422, "usage_key_invalid", "idempotencyKey"},
		{form("idempotencyKey", ""), 422, "field_missing", "idempotencyKey"},
		{form("properties", `{"a":{"b":1}}`), 422, "type_wrong", "properties.a"},
		{form("corrects", `"unknown"`), 404, "usage_record_not_found", "corrects"},
		{replaceField(form("metricName", `"users"`), "quantity", "1"), 422, "usage_property_missing", "properties.user"},
	} {
		got := b.ask(t, b.test, "POST", "/api/usage", c.body)
		p := as[httpkit.Problem](t, c.status, got)
		require.Equal(t, []string{c.code, c.param}, []string{p.Code, p.Param}, "%s: %s", c.body, got.Body)
	}
	require.Zero(t, b.count(t, "select count(*) from usage_keys"))
	metric := as[httpkit.List[Metric]](t, 200, b.ask(t, b.test, "GET", "/api/metrics?limit=1", nil)).Data[0]
	require.Equal(t, 200, b.ask(t, b.test, "PATCH", "/api/metrics/"+metric.ID, `{"active":false}`).Status)
	problem(t, 409, "metric_archived", "metricName", b.ask(t, b.test, "POST", "/api/usage",
		replaceField(form("metricName", `"users"`), "properties", `{"user":"ada"}`)))
}

// A record of another metric or subscription is not corrected, and the refusal says so.
func TestUsage_CorrectsAnother(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.meter(t, b.test)
	require.Equal(t, 201, b.ask(t, b.test, "POST", "/api/usage", usageBody(sub, "a", "")).Status)
	problem(t, 422, "usage_correction_mismatch", "corrects", b.ask(t, b.test, "POST", "/api/usage", fmt.Sprintf(
		`{"subscriptionId":%q,"metricName":"users","quantity":-1,"idempotencyKey":"b","corrects":"a","properties":{"user":"ada"}}`, sub)))
	other := b.newSubscription(t, b.test)
	problem(t, 422, "usage_correction_mismatch", "corrects", b.ask(t, b.test, "POST", "/api/usage",
		replaceField(usageBody(other.ID, "b", `,"corrects":"a"`), "quantity", "-1")))
	problem(t, 404, "usage_record_not_found", "corrects", b.ask(t, b.test, "POST", "/api/usage",
		replaceField(usageBody(sub, "b", `,"corrects":"c"`), "quantity", "-1")))
}

// Fifty clients that bring the same keys at the same moment leave one record each.
func TestUsage_ParallelClientsWithSameKeys(t *testing.T) {
	t.Parallel()
	const clients, keys = 50, 5
	b := newBench(t)
	sub := b.meter(t, b.test)
	var requests []*http.Request
	for range clients {
		for key := range keys {
			requests = append(requests, b.request(t, "POST", "/api/usage", usageBody(sub, fmt.Sprint("k", key), ""),
				"Authorization", "Bearer "+b.test.key))
		}
		var batch []string
		for key := range keys {
			batch = append(batch, usageBody(sub, fmt.Sprint("k", keys-1-key), ""))
		}
		requests = append(requests, b.request(t, "POST", "/api/usage/batch",
			`{"records":[`+strings.Join(batch, ",")+`]}`, "Authorization", "Bearer "+b.test.key))
	}
	ids := map[string]string{}
	for _, a := range b.together(requests) {
		if a.Status == 201 {
			r := as[UsageRecord](t, 201, a)
			require.Contains(t, []string{"", r.ID}, ids[r.IdempotencyKey])
			ids[r.IdempotencyKey] = r.ID
			continue
		}
		require.Zero(t, as[UsageBatch](t, 200, a).Refused, "%s", a.Body)
	}
	require.Len(t, ids, keys)
	require.Equal(t, keys, b.count(t, "select count(*) from usage_records"))
	require.Equal(t, map[string]string{"none": "12.5 of 5"}, b.used(t, b.test, sub))
}

func TestUsage_BatchAnswersEach(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.meter(t, b.test)
	body := `{"records":[` + strings.Join([]string{
		usageBody(sub, "a", ""), usageBody(sub, "a", ""), usageBody(sub, "a", `,"timestamp":1`),
		replaceField(usageBody(sub, "b", ""), "metricName", `"sms"`), usageBody(sub, "c", ""),
		replaceField(usageBody(sub, "d", `,"corrects":"c"`), "quantity", "-1"),
		replaceField(usageBody(sub, "e", `,"corrects":"c"`), "quantity", "-2"),
	}, ",") + `]}`
	for round, want := range []UsageBatch{{Accepted: 3, Repeated: 1, Refused: 3}, {Repeated: 4, Refused: 3}} {
		out := as[UsageBatch](t, 200, b.ask(t, b.test, "POST", "/api/usage/batch", body))
		var results []string
		for _, r := range out.Data {
			result := fmt.Sprint(r.Status)
			if r.Error != nil {
				result += " " + r.Error.Code
			}
			results = append(results, result)
		}
		require.Equal(t, []string{
			"201", "201", "422 usage_key_reused", "404 metric_not_found", "201", "201", "422 usage_correction_too_large",
		}, results)
		out.Data = nil
		require.Equal(t, want, out, "round %d", round)
	}
	require.Equal(t, map[string]string{"none": "4 of 2"}, b.used(t, b.test, sub))
	_, err := b.deps.Service.Usage.RollUpUsage(t.Context())
	require.NoError(t, err)
	require.Equal(t, map[string]string{"none": "4 of 2"}, b.used(t, b.test, sub))
	var many strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&many, ",%s", usageBody(sub, fmt.Sprint("many", i), `,"properties":{"region":"us"}`))
	}
	out := as[UsageBatch](t, 200, b.ask(t, b.test, "POST", "/api/usage/batch", `{"records":[`+many.String()[1:]+`]}`))
	require.Equal(t, 1000, out.Accepted)
	problem(t, 422, "out_of_range", "records",
		b.ask(t, b.test, "POST", "/api/usage/batch", `{"records":[`+many.String()[1:]+
			`,`+usageBody(sub, "x", "")+`]}`))
}

func TestUsage_Stream(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.meter(t, b.test)
	var lines strings.Builder
	for i := range 1200 {
		fmt.Fprintln(&lines, usageBody(sub, fmt.Sprint("k", i), ""))
	}
	fmt.Fprint(&lines, "nonsense\n\n")
	fmt.Fprintln(&lines, replaceField(usageBody(sub, "x", ""), "metricName", `"sms"`))
	for round := range 2 {
		got := b.ask(t, b.test, "POST", "/api/usage/stream", lines.String(), "Content-Type", ndjson)
		require.Equal(t, 200, got.Status, "%s", got.Body)
		var last UsageProgress
		var progress, refusals []any
		for line := range strings.Lines(string(got.Body)) {
			last = UsageProgress{}
			require.NoError(t, json.Unmarshal([]byte(line), &last), line)
			if last.Error != nil {
				refusals = append(refusals, last.Line, last.Error.Code)
			} else {
				progress = append(progress, last.Line)
				require.LessOrEqual(t, last.Line, 1203, "there are no more lines")
			}
		}
		want := UsageProgress{Line: 1203, Done: true, Accepted: 1200, Refused: 2}
		if round == 1 {
			want.Accepted, want.Repeated = 0, 1200
		}
		require.Equal(t, want, last)
		require.LessOrEqual(t, progress[0], 1000) // sooner where the machine is slow
		require.Equal(t, []any{1201, "json_malformed", 1203, "metric_not_found"}, refusals)
	}
	require.Equal(t, 1200, b.count(t, "select count(*) from usage_records"))
	problem(t, 415, "content_type_unsupported", "Content-Type",
		b.ask(t, b.test, "POST", "/api/usage/stream", "x", "Content-Type", "text/csv"))
}

func TestUsage_CloudEvents(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.meter(t, b.test)
	event := func(id, metric, data string) string {
		return fmt.Sprintf(`{"specversion":"1.0","id":%q,"source":"/gw","type":%q,"subject":%q,"traceparent":"00","data":%s}`,
			id, metric, sub, data)
	}
	for _, repeated := range []int{0, 1} {
		out := as[UsageBatch](t, 200, b.ask(t, b.test, "POST", "/api/usage/cloudevents",
			event("1", "api_calls", `{"quantity":1.25,"region":"eu"}`), "Content-Type", cloudEvent))
		require.Equal(t, []int{1 - repeated, repeated}, []int{out.Accepted, out.Repeated})
	}
	out := as[UsageBatch](t, 200, b.ask(t, b.test, "POST", "/v1/usage/cloudevents",
		"["+event("1", "api_calls", `{"quantity":1.25,"region":"eu"}`)+","+event("2", "api_calls", `{"region":"eu"}`)+","+
			event("3", "sms", `{}`)+"]", "Content-Type", cloudEventBatch))
	require.Equal(t, []int{1, 1, 1}, []int{out.Accepted, out.Repeated, out.Refused})
	require.Equal(t, 404, b.ask(t, b.test, "POST", "/api/usage/cloudevents", event("3", "sms", `{}`)).Status)
	require.Equal(t, map[string]string{"eu": "2.25 of 2"}, b.used(t, b.test, sub))
	problem(t, 422, "field_missing", "subject", b.ask(t, b.test, "POST", "/api/usage/cloudevents",
		`{"specversion":"1.0","id":"1","source":"/gw","type":"api_calls"}`))
	out = as[UsageBatch](
		t, 200, b.ask(t, b.test, "POST", "/api/usage/cloudevents", event("7", "api_calls", `{"quantity":"007"}`)),
	)
	require.Equal(t, 1, out.Accepted, "a text that is no number of JSON")
}

// One malformed record does not refuse the others, and a thousand of usual size fit.
func TestUsage_EachOfManyIsJudgedByItself(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.meter(t, b.test)
	for _, c := range []struct{ path, open, good, end string }{
		{"/api/usage/batch", `{"records":[`, usageBody(sub, "k", ""), "]}"},
		{"/api/usage/cloudevents", "[", `{"specversion":"1.0","id":"1","source":"/gw","type":"api_calls","subject":"` + sub +
			`"}`, "]"},
	} {
		body := c.open + strings.Join([]string{
			`{"unknown":1}`, `7`, "null", `{"a":1,"a":1}`, c.good, replaceField(c.good, "time", `"yesterday"`),
		}, ",") + c.end
		out := as[UsageBatch](t, 200, b.ask(t, b.test, "POST", c.path, body))
		require.Equal(t, []int{1, 5}, []int{out.Accepted, out.Refused}, "%v", out)
		require.Equal(t, 422, out.Data[0].Status)
		for body, code := range map[string]string{
			c.open + c.good: "json_malformed", c.open + c.good + c.end + "x": "json_malformed", c.open + c.end: "out_of_range",
		} {
			require.Contains(t, string(b.ask(t, b.test, "POST", c.path, body).Body), code)
		}
	}
	long := strings.Repeat("x", 200)
	var many []string
	for i := range 1000 {
		many = append(many, usageBody(sub, fmt.Sprint("many", i), fmt.Sprintf(
			`,"properties":{"a":%q,"b":%q,"c":%q,"d":%q,"e":%q,"f":%q}`, long, long, long, long, long, long)))
	}
	out := as[UsageBatch](
		t, 200, b.ask(t, b.test, "POST", "/api/usage/batch", `{"records":[`+strings.Join(many, ",")+`]}`),
	)
	require.Equal(t, 1000, out.Accepted)
}

// A stream writes its waiting records, and ends with its key.
func TestUsage_StreamOutlivesNoKey(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.meter(t, b.test)
	b.elapsed.Store(int64(50 * 365 * 24 * time.Hour / time.Millisecond)) // deadlines are of the real clock
	body, lines := io.Pipe()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.listen(t).URL+"/api/usage/stream", body)
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+b.test.key)
	r.Header.Set("Content-Type", ndjson)
	go func() { _, _ = fmt.Fprintln(lines, usageBody(sub, "a", "")) }() // a failure is seen in the answer
	answer, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer func() { require.NoError(t, answer.Body.Close()) }()
	said := bufio.NewScanner(answer.Body)
	next := func() (p UsageProgress) {
		require.True(t, said.Scan(), "%v", said.Err())
		require.NoError(t, json.Unmarshal(said.Bytes(), &p))
		return p
	}
	require.Equal(t, UsageProgress{Line: 1, Accepted: 1}, next())
	_, err = b.pool.Exec(t.Context(), "update api_keys set revoked_at = now()")
	require.NoError(t, err)
	_, err = fmt.Fprintln(lines, usageBody(sub, "b", ""))
	require.NoError(t, err)
	last := next()
	require.Equal(t, []any{1, true, "api_key_revoked"}, []any{last.Line, last.Stopped, last.Error.Code})
	require.Equal(t, 1, b.count(t, "select count(*) from usage_records"))
}

func TestUsage_CloudEventKeysAndData(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.meter(t, b.test)
	event := func(source, id, more string) response {
		return b.ask(t, b.test, "POST", "/api/usage/cloudevents", fmt.Sprintf(
			`{"specversion":"1.0","id":%q,"source":%q,"type":"api_calls","subject":%q%s}`, id, source, sub, more))
	}
	for _, e := range [][2]string{{"/gw", "1#2"}, {"/gw#1", "2"}, {"/gw%231", "2"}} {
		require.Equal(t, 1, as[UsageBatch](t, 200, event(e[0], e[1], "")).Accepted, "%v", e)
	}
	problem(t, 422, "decimal_invalid", "data.quantity", event("/gw", "9", `,"data":{"quantity":null}`))
	problem(t, 415, "content_type_unsupported", "data_base64", event("/gw", "9", `,"data_base64":"cXVhbnRpdHk="`))
}

func TestUsage_ErasedWithItsCustomer(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.meter(t, b.test)
	require.Equal(
		t, 201, b.ask(t, b.test, "POST", "/api/usage", usageBody(sub, "k", `,"properties":{"user":"Ada"}`)).Status,
	)
	for _, user := range []string{"Ada", "Ada", "Bob"} {
		body := usageBody(sub, fmt.Sprint("k", b.elapsed.Load()), `,"properties":{"user":"`+user+`"}`)
		body = strings.Replace(body, "api_calls", "users", 1)
		require.Equal(t, 201, b.ask(t, b.test, "POST", "/api/usage", body).Status)
	}
	customer := as[Subscription](t, 200, b.ask(t, b.test, "GET", "/api/subscriptions/"+sub, nil)).CustomerID
	require.Equal(t, 200, b.ask(t, b.test, "DELETE", "/api/customers/"+customer, nil).Status)
	problem(t, 404, "subscription_not_found", "subscriptionId",
		b.ask(t, b.test, "POST", "/api/usage", usageBody(sub, "l", "")))
	b.eraseAll(t)
	require.Zero(t, b.count(t, "select count(*) from usage_records where properties is not null"))
	// Keys were merged before, and nothing is left to try names with.
	var keys []string
	require.NoError(t, b.pool.QueryRow(t.Context(), `select array_agg(k) from usage_aggregates a,
		jsonb_object_keys(a.state -> 'keys') k where a.state ? 'keys'`).Scan(&keys))
	guess := sha256.Sum256([]byte("Ada"))
	require.Len(t, keys, 2)
	require.NotContains(t, keys, base64.RawURLEncoding.EncodeToString(guess[:16]))
	require.Equal(t, 1, b.count(t, "select count(*) from customers where erased_at is not null and usage_salt is null"))
}
