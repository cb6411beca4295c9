package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/api/httpkit"
	"perennial/billing/delivery"
	"perennial/db"
	"perennial/internal/vault"
)

// opened are the secrets of an endpoint as they would sign, the present one first.
func (b *bench) opened(t *testing.T, e opened, endpointID string) (secrets []string) {
	t.Helper()
	row, err := b.store.Webhooks.Endpoint(t.Context(), e.environmentID, endpointID)
	require.NoError(t, err)
	for _, sealed := range [][]byte{row.SecretSealed, row.PreviousSecretSealed} {
		if len(sealed) > 0 {
			plain, err := b.keys.Open(row.Keyset, vault.EndpointSecret(row.AppID, row.ID), sealed)
			require.NoError(t, err)
			secrets = append(secrets, string(plain))
		}
	}
	return secrets
}

// rowsWith counts the rows of all tables that hold a text.
func (b *bench) rowsWith(t *testing.T, text string) int {
	t.Helper()
	n := 0
	for table := range b.rows(t) {
		n += b.count(t, fmt.Sprintf(`select count(*) from %s r where position($1 in r::text) > 0
			or position(encode(convert_to($1, 'utf8'), 'hex') in r::text) > 0`, table), text)
	}
	return n
}

func TestCreateWebhook_ShowsGeneratedSecretOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	form := map[string]any{"url": "https://example.com/webhooks", "events": []string{"payment.*"}}
	first := b.ask(t, b.test, "POST", "/api/webhooks", form, "Idempotency-Key", "k")
	made := as[WebhookEndpoint](t, 201, first)
	require.Regexp(t, `^whsec_[A-Za-z0-9+/]{43}=$`, made.Secret)
	require.Equal(t, []string{made.Secret}, b.opened(t, b.test, made.ID))

	repeat := b.ask(t, b.test, "POST", "/v1/webhooks", form, "Idempotency-Key", "k")
	require.Equal(t, "true", repeat.Header.Get("Idempotent-Replayed"))
	again := as[WebhookEndpoint](t, 201, repeat)
	require.Empty(t, again.Secret)
	again.Secret = made.Secret
	require.Equal(t, made, again)

	rotated := as[WebhookEndpoint](t, 200, b.ask(t, b.test, "POST", "/api/webhooks/"+made.ID+"/rotate-secret",
		nil, "Idempotency-Key", "k"))
	require.NotEqual(t, made.Secret, rotated.Secret)
	for _, path := range []string{"/api/webhooks", "/api/webhooks/" + made.ID} {
		require.NotContains(t, string(b.ask(t, b.test, "GET", path, nil).Body), "whsec_")
	}
	require.NotContains(t, string(b.ask(t, b.test, "POST", "/api/webhooks/"+made.ID+"/rotate-secret", nil,
		"Idempotency-Key", "k").Body), "whsec_")
	for _, secret := range []string{made.Secret, rotated.Secret} {
		require.NotContains(t, b.log.String(), secret)
		require.Zero(t, b.rowsWith(t, secret), "a secret is stored without a seal")
	}
	require.Positive(t, b.rowsWith(t, made.ID), "the search finds what is stored")
}

func TestCreateWebhook_OwnSecretIsNeverShown(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const secret = "<a secret of my own, >= 16>"
	own := strings.ReplaceAll(secret, " ", "_")
	got := b.ask(t, b.test, "POST", "/api/webhooks",
		map[string]any{"url": "https://example.com/h", "events": []string{"*"}, "secret": own})
	made := as[WebhookEndpoint](t, 201, got)
	require.NotContains(t, string(got.Body), "secret")
	require.Equal(t, []string{own}, b.opened(t, b.test, made.ID))
}

func TestCreateWebhook_ShapeFollowsPrefix(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, c := range []struct{ prefix, asked, want string }{
		{"/api", "", "A"}, {"/v1", "", "B"}, {"/api", "B", "B"}, {"/v1", "A", "A"},
	} {
		form := map[string]any{"url": "https://example.com/h", "events": []string{"*", "payment.success", "*"}}
		if c.asked != "" {
			form["payloadShape"] = c.asked
		}
		made := as[WebhookEndpoint](t, 201, b.ask(t, b.test, "POST", c.prefix+"/webhooks", form))
		require.Equal(t, c.want, made.PayloadShape)
		require.Equal(t, []string{"*", "payment.success"}, made.Events)
	}
}

func TestCreateWebhook_FiftyRepeatsMakeOne(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	shown := 0
	for _, a := range b.atOnce(t, 50, "/api/webhooks", `{"url":"https://example.com/h","events":["*"]}`, "k") {
		if as[WebhookEndpoint](t, 201, a).Secret != "" {
			shown++
			require.Empty(t, a.Header.Get("Idempotent-Replayed"))
		}
	}
	require.Equal(t, 1, shown)
	require.Equal(t, 1, b.count(t, "select count(*) from webhook_endpoints"))
}

func TestCreateWebhook_NumberIsBounded(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	statuses := map[int]int{}
	var mu sync.Mutex
	var all sync.WaitGroup
	for range 30 {
		r := b.request(t, "POST", "/api/webhooks", `{"url":"https://example.com/h","events":["*"]}`, "Authorization",
			"Bearer "+b.test.key)
		all.Go(func() {
			status := b.serve(r).Status
			mu.Lock()
			defer mu.Unlock()
			statuses[status]++
		})
	}
	all.Wait()
	require.Equal(t, map[int]int{201: 20, 409: 10}, statuses)
	first := as[httpkit.List[WebhookEndpoint]](t, 200, b.ask(t, b.test, "GET", "/api/webhooks?limit=1", nil)).Data[0]
	problem(t, 409, "webhook_endpoint_limit", "",
		b.ask(t, b.test, "POST", "/api/webhooks", `{"url":"https://example.com/h","events":["*"]}`))
	as[Deleted](t, 200, b.ask(t, b.test, "DELETE", "/api/webhooks/"+first.ID, nil))
	b.newEndpoint(t, b.test, "*")
	b.newEndpoint(t, b.live, "*")
}

func TestWebhook_InvalidFieldIsNamed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	made := b.newEndpoint(t, b.test, "*")
	before := b.rows(t)
	form := func(field string, value any) map[string]any {
		f := map[string]any{"url": "https://example.com/h", "events": []string{"*"}}
		if f[field] = value; value == nil {
			delete(f, field)
		}
		return f
	}
	many := make([]string, 101)
	for i := range many {
		many[i] = "*"
	}
	for _, c := range []struct {
		field       string
		value       any
		code, param string
	}{
		{"url", nil, "field_missing", "url"},
		{"url", "", "webhook_url_invalid", "url"},
		{"url", "example.com/h", "webhook_url_invalid", "url"},
		{"url", "https://u:p@example.com/h", "webhook_url_invalid", "url"},
		{"url", "ftp://example.com/h", "webhook_url_not_https", "url"},
		{"url", "https://10.0.0.1/h", "webhook_url_forbidden", "url"},
		{"url", "https://[::ffff:169.254.169.254]/h", "webhook_url_forbidden", "url"},
		{"url", "https://example.com/" + strings.Repeat("x", 2048), "length_out_of_range", "url"},
		{"events", nil, "field_missing", "events"},
		{"events", []string{}, "out_of_range", "events"},
		{"events", many, "out_of_range", "events"},
		{"events", "*", "type_wrong", "events"},
		{"events", []any{1}, "type_wrong", "events[0]"},
		{"events", []string{"*", "payment.succeeded"}, "event_type_unknown", "events[1]"},
		{"events", []string{"payment"}, "event_type_unknown", "events[0]"},
		{"events", []string{"pay*"}, "event_type_unknown", "events[0]"},
		{"events", []string{"refund.*"}, "event_type_unknown", "events[0]"},
		{"events", []string{""}, "event_type_unknown", "events[0]"},
		{"secret", "too-short", "length_out_of_range", "secret"},
		{"secret", "has a space in it, alas", "webhook_secret_invalid", "secret"},
		{"payloadShape", "C", "value_unknown", "payloadShape"},
		{"description", " ", "text_blank", "description"},
		{"description", strings.Repeat("x", 201), "length_out_of_range", "description"},
		{"status", "disabled", "field_unknown", "status"},
	} {
		problem(t, 422, c.code, c.param, b.ask(t, b.test, "POST", "/api/webhooks", form(c.field, c.value)))
		if c.value != nil && c.field != "secret" {
			problem(t, 422, c.code, c.param, b.ask(t, b.test, "PATCH", "/api/webhooks/"+made.ID,
				map[string]any{c.field: c.value}))
		}
	}
	unknown := b.ask(t, b.test, "POST", "/api/webhooks", form("events", []string{"payment.succeeded"}))
	require.Contains(t, problem(t, 422, "event_type_unknown", "events[0]", unknown).Detail, `"payment.succeeded"`)
	problem(t, 422, "length_out_of_range", "secret",
		b.ask(t, b.test, "POST", "/api/webhooks/"+made.ID+"/rotate-secret", `{"secret":"short"}`))
	require.Equal(t, before, b.rows(t))
}

func TestCreateWebhook_LocalReceiversOnlyForTests(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, url := range []string{"http://127.0.0.1:9000/h", "https://127.0.0.1/h"} {
		form := map[string]any{"url": url, "events": []string{"*"}}
		as[WebhookEndpoint](t, 201, b.ask(t, b.test, "POST", "/api/webhooks", form))
		require.Equal(t, 422, b.ask(t, b.live, "POST", "/api/webhooks", form).Status)
		live := b.newEndpoint(t, b.live, "*")
		require.Equal(t, 422, b.ask(t, b.live, "PATCH", "/api/webhooks/"+live.ID, map[string]any{"url": url}).Status)
	}
	b.local = nil
	b.Server = b.newServer(t)
	problem(t, 422, "webhook_url_not_https", "url",
		b.ask(t, b.test, "POST", "/api/webhooks", `{"url":"http://127.0.0.1/h","events":["*"]}`))
}

func TestWebhook_Life(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	made := b.newEndpoint(t, b.test, "plan.*")
	path := "/api/webhooks/" + made.ID
	changed := as[WebhookEndpoint](t, 200, b.ask(t, b.test, "PATCH", path,
		`{"url":"https://example.com/other","events":["plan.created"],"payloadShape":"B","description":"x"}`))
	want := made
	want.Secret, want.URL, want.Events, want.PayloadShape, want.Description = "", "https://example.com/other",
		[]string{"plan.created"}, "B", "x"
	require.Equal(t, want, changed)

	b.newPlan(t, b.test)
	disabled := as[WebhookEndpoint](t, 200, b.ask(t, b.test, "POST", path+"/disable", nil))
	require.Equal(t, []string{"disabled", "requested"}, []string{disabled.Status, disabled.DisabledReason})
	require.NotZero(t, disabled.DisabledAt)
	require.Equal(t, disabled, as[WebhookEndpoint](t, 200, b.ask(t, b.test, "POST", path+"/disable", nil)), "no effect")
	b.newPlan(t, b.test)
	require.Equal(t, 1, b.count(t, "select count(*) from webhook_deliveries"), "a disabled endpoint is owed nothing new")
	for status, n := range map[string]int{"disabled": 1, "enabled": 0} {
		require.Len(t, as[httpkit.List[WebhookEndpoint]](t, 200,
			b.ask(t, b.test, "GET", "/api/webhooks?status="+status, nil)).Data, n)
	}

	b.write(t, func(ctx context.Context, tx *db.Tx) error {
		e, err := tx.Webhooks.LockEndpoint(ctx, b.test.environmentID, made.ID)
		require.NoError(t, err)
		e.DisabledReason, e.FailingSince = delivery.DisabledFailing, b.base.Add(-time.Hour)
		return tx.Webhooks.SaveEndpoint(ctx, b.test.environmentID, e, db.EndpointChange{Action: db.EndpointDisabled})
	})
	failing := as[WebhookEndpoint](t, 200, b.ask(t, b.test, "GET", path, nil))
	require.Equal(t, "failing", failing.DisabledReason)
	require.NotZero(t, failing.FailingSince)
	enabled := as[WebhookEndpoint](t, 200, b.ask(t, b.test, "POST", path+"/enable", nil))
	require.Equal(t, want, enabled)

	as[Deleted](t, 200, b.ask(t, b.test, "DELETE", path, nil))
	for _, request := range []string{
		"GET ", "PATCH ", "DELETE ", "POST /enable", "POST /disable", "POST /rotate-secret", "POST /test",
	} {
		method, rest, _ := strings.Cut(request, " ")
		problem(t, 404, "webhook_endpoint_not_found", "",
			b.ask(t, b.test, method, path+rest, map[string]string{"PATCH": "{}"}[method]))
	}
	require.Empty(t, as[httpkit.List[WebhookEndpoint]](t, 200, b.ask(t, b.test, "GET", "/api/webhooks", nil)).Data)
	require.Len(t, b.logs(t, "endpointId="+made.ID), 1, "the log stays")
	require.Equal(t, 1, b.count(t, "select count(*) from webhook_endpoints where wake_pending_since is not null"),
		"its workflow closes what is pending")
}

func TestRotateWebhookSecret(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	made := b.newEndpoint(t, b.test, "*")
	path := "/api/webhooks/" + made.ID + "/rotate-secret"
	second := as[WebhookEndpoint](t, 200, b.ask(t, b.test, "POST", path, nil))
	require.Equal(t, []string{second.Secret, made.Secret}, b.opened(t, b.test, made.ID))
	require.InDelta(t, b.clock().Add(24*time.Hour).Unix(), second.PreviousSecretExpiresAt, 1)

	third := as[WebhookEndpoint](t, 200, b.ask(t, b.test, "POST", path, `{"secret":"a-secret-of-my-own"}`))
	require.Empty(t, third.Secret)
	require.Equal(t, []string{"a-secret-of-my-own", second.Secret}, b.opened(t, b.test, made.ID), "the oldest ends")

	fourth := as[WebhookEndpoint](t, 200, b.ask(t, b.test, "POST", path, `{"revokePrevious":true}`))
	require.Zero(t, fourth.PreviousSecretExpiresAt)
	require.Equal(t, []string{fourth.Secret}, b.opened(t, b.test, made.ID))
}

func TestTestWebhook_SendsToOneEndpointOnly(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	made, other := b.newEndpoint(t, b.test, "invoice.paid"), b.newEndpoint(t, b.test, "*")
	sent := as[WebhookLog](t, 201, b.ask(t, b.test, "POST", "/api/webhooks/"+made.ID+"/test", nil))
	require.Equal(t, sent, as[WebhookLog](t, 200, b.ask(t, b.test, "GET", "/api/webhook-logs/"+sent.ID, nil)),
		"the entry is as foretold")
	require.Equal(t, []WebhookLog{sent}, b.logs(t, "eventId="+sent.EventID))
	require.Empty(t, b.logs(t, "endpointId="+other.ID))
	require.Equal(t, "webhook_endpoint.test",
		as[Event](t, 200, b.ask(t, b.test, "GET", "/api/events/"+sent.EventID, nil)).Type)
	b.ask(t, b.test, "POST", "/api/webhooks/"+made.ID+"/disable", nil)
	problem(t, 409, "webhook_endpoint_disabled", "", b.ask(t, b.test, "POST", "/api/webhooks/"+made.ID+"/test", nil))
}

var volatile = regexp.MustCompile(`"(whe|whd|evt|txn)_[0-9a-z]{26}"|"whsec_[^"]*"|\b17\d{8}\b`)

// The golden file shows the answers to reviewers.
func TestWebhook_Golden(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var out bytes.Buffer
	show := func(method, path string, body any) response {
		got := b.ask(t, b.test, method, path, body)
		fmt.Fprintf(&out, "%s %s %d\n", method, regexp.MustCompile(`_[0-9a-z]{26}`).ReplaceAllString(path, "_…"), got.Status)
		var text bytes.Buffer
		require.NoError(t, json.Indent(&text, withoutRequestID(got.Body), "", "  "))
		out.WriteString(volatile.ReplaceAllString(text.String(), "…") + "\n")
		return got
	}
	made := as[WebhookEndpoint](t, http.StatusCreated,
		show("POST", "/api/webhooks", `{"url":"https://example.com/h","events":["payment.*"]}`))
	show("POST", "/v1/webhooks", `{"url":"https://example.com/h","events":["payment.*"],"secret":"a-secret-of-my-own"}`)
	show("POST", "/api/webhooks", `{"url":"https://example.com/h","events":["payment.paid"]}`)
	show("POST", "/api/webhooks", `{"url":"http://example.com/h","events":["*"]}`)
	show("POST", "/api/webhooks/"+made.ID+"/rotate-secret", nil)
	sent := as[WebhookLog](t, http.StatusCreated, show("POST", "/api/webhooks/"+made.ID+"/test", nil))
	b.attempt(t, sent.ID, 1, "failed", 500, "no\x00 \xff")
	show("GET", "/api/webhook-logs/"+sent.ID, nil)
	show("POST", "/api/webhook-logs", map[string]any{"deliveryId": sent.ID})
	show("POST", "/api/webhook-logs", map[string]any{"endpointId": made.ID, "since": 1})
	show("POST", "/api/webhook-logs", `{}`)
	show("POST", "/api/webhooks/"+made.ID+"/disable", nil)
	show("POST", "/api/webhook-logs", map[string]any{"deliveryId": sent.ID})
	show("DELETE", "/api/webhooks/"+made.ID, nil)
	golden(t, "testdata/webhooks.golden.txt", out.Bytes())
}
