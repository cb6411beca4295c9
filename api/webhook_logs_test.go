package api

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/api/httpkit"
	"perennial/billing/event"
	"perennial/db"
	"perennial/internal/id"
)

func (b *bench) logs(t *testing.T, query string) []WebhookLog {
	t.Helper()
	return as[httpkit.List[WebhookLog]](t, 200, b.ask(t, b.test, "GET", "/v1/webhook-logs?limit=100&"+query, nil)).Data
}

// attempt writes the row that the delivery of webhooks would have written.
func (b *bench) attempt(t *testing.T, deliveryID string, number int, outcome string, status int, answer string) {
	t.Helper()
	_, err := b.pool.Exec(t.Context(), `
		insert into webhook_attempts (environment_id, delivery_id, number, endpoint_id, manual, started_at, ended_at, outcome,
			status_code, latency_ms, request_headers, response_excerpt, error_class, error_text)
		select environment_id, id, $2, endpoint_id, false, created_at, created_at, $3, $4, 12, '{"Webhook-Id":"evt_1"}', $5,
			case $3 when 'failed' then 'status' end, case $3 when 'failed' then 'The receiver answered 500.' end
		from webhook_deliveries where id = $1`, deliveryID, number, outcome, status, []byte(answer))
	require.NoError(t, err)
	_, err = b.pool.Exec(t.Context(), `
		update webhook_deliveries set status = $2, next_attempt_at = null, last_attempt = $3, attempts = $3, redeliver = false,
			succeeded_at = case $2 when 'succeeded' then created_at end, failed_at = case $2 when 'failed' then created_at end,
			failed_reason = case $2 when 'failed' then 'attempts_used' end
		where id = $1`, deliveryID, outcome, number)
	require.NoError(t, err)
}

func ids(logs []WebhookLog) []string {
	all := make([]string, len(logs))
	for i, l := range logs {
		all[i] = l.ID
	}
	return all
}

func TestWebhookLogs_Filters(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	one, two := b.newEndpoint(t, b.test, "payment.*"), b.newEndpoint(t, b.test, "plan.*", "payment.pending")
	customer := b.newCustomer(t, b.test)
	b.newPlan(t, b.test)
	pay := func() Payment {
		return as[Payment](t, 201, b.ask(t, b.test, "POST", "/api/payments",
			map[string]any{"customerId": customer.ID, "amount": 500, "currency": "USD"}))
	}
	payment := pay()
	pay()
	all := b.logs(t, "")
	require.Len(t, all, 5)
	of := b.logs(t, "paymentTransactionId="+payment.ID)
	require.Len(t, of, 2)
	for _, l := range of {
		require.Equal(t, payment.ID, l.PaymentID)
		require.Equal(t, "payment.pending", l.EventType)
	}
	require.Equal(t, ids(of), ids(b.logs(t, "eventId="+of[0].EventID)))
	require.Len(t, b.logs(t, "endpointId="+one.ID), 2)
	require.Len(t, b.logs(t, "endpointId="+two.ID), 3)
	require.Len(t, b.logs(t, "endpointId="+two.ID+"&paymentTransactionId="+payment.ID), 1)
	b.attempt(t, of[0].ID, 1, "failed", 500, "no")
	b.attempt(t, of[1].ID, 1, "succeeded", 200, "ok")
	require.Equal(t, []string{of[0].ID}, ids(b.logs(t, "status=failed")))
	require.Equal(t, []string{of[1].ID}, ids(b.logs(t, "status=succeeded")))
	require.Len(t, b.logs(t, "status=pending"), 3)
	made := b.base.Unix()
	require.Len(t, b.logs(t, fmt.Sprintf("since=%d&before=%d", made-60, made+60)), 5)
	require.Empty(t, b.logs(t, fmt.Sprintf("since=%d", made+60)))
	require.Empty(t, b.logs(t, fmt.Sprintf("before=%d", made-60)))

	var followed []string
	for cursor := all[len(all)-1].ID; ; {
		page := as[httpkit.List[WebhookLog]](t, 200,
			b.ask(t, b.test, "GET", "/api/webhook-logs?limit=1&endingBefore="+cursor, nil))
		if len(page.Data) == 0 {
			break
		}
		cursor = page.Data[0].ID
		followed = append([]string{cursor}, followed...)
	}
	require.Equal(t, ids(all[:4]), followed)
}

func TestWebhookLogs_ListsCutWhatReceiversAnswered(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.newEndpoint(t, b.test, "plan.*")
	b.newPlan(t, b.test)
	entry := b.logs(t, "")[0]
	require.Empty(t, entry.Attempts)
	for n := range 22 {
		b.attempt(t, entry.ID, n+1, "failed", 500, strings.Repeat("é", 1000))
	}
	listed := b.logs(t, "")[0]
	require.Len(t, listed.Attempts, 20)
	last := listed.Attempts[19]
	require.Equal(t, WebhookAttempt{
		Number: 22, StartedAt: entry.CreatedAt, Outcome: "failed", StatusCode: 500, LatencyMS: 12,
		RequestHeaders: map[string]string{"Webhook-Id": "evt_1"}, Response: strings.Repeat("é", 250), ResponseCut: true,
		ErrorClass: "status", ErrorText: "The receiver answered 500.",
	}, last)
	single := as[WebhookLog](t, 200, b.ask(t, b.test, "GET", "/api/webhook-logs/"+entry.ID, nil))
	require.Equal(t, strings.Repeat("é", 1000), single.Attempts[19].Response)
	require.False(t, single.Attempts[19].ResponseCut)
}

func TestRedeliver_OneAndThoseOfAPayment(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	one, two := b.newEndpoint(t, b.test, "payment.*"), b.newEndpoint(t, b.test, "payment.*")
	payment := as[Payment](t, 201, b.ask(t, b.test, "POST", "/api/payments",
		map[string]any{"customerId": b.newCustomer(t, b.test).ID, "amount": 500, "currency": "USD"}))
	for _, l := range b.logs(t, "") {
		b.attempt(t, l.ID, 1, "failed", 500, "no")
	}
	first := b.logs(t, "endpointId="+one.ID)[0]
	_, err := b.pool.Exec(t.Context(), "update webhook_endpoints set wake_pending_since = null")
	require.NoError(t, err)

	form := map[string]any{"deliveryId": first.ID}
	for _, a := range b.atOnce(t, 50, "/api/webhook-logs", `{"deliveryId":"`+first.ID+`"}`, "k") {
		got := as[Redelivery](t, 200, a)
		require.Equal(t, 1, got.Redelivered)
		require.Equal(t, []string{"pending"}, []string{got.Data[0].Status})
		require.True(t, got.Data[0].Redelivery)
		require.Len(t, got.Data[0].Attempts, 1)
		now := b.logs(t, "endpointId="+one.ID)[0]
		now.Attempts, got.Data[0].Attempts = nil, nil
		require.Equal(t, now, got.Data[0], "the entry is as foretold")
	}
	require.Equal(t, 1,
		b.count(t, "select count(*) from webhook_endpoints where wake_pending_since is not null and id = $1", one.ID))
	require.Len(t, b.logs(t, "status=failed"), 1)

	both := as[Redelivery](t, 200, b.ask(t, b.test, "POST", "/api/webhook-logs",
		map[string]any{"paymentTransactionId": payment.ID}))
	require.Equal(t, 2, both.Redelivered)
	require.Len(t, b.logs(t, "status=pending"), 2)

	b.ask(t, b.test, "POST", "/api/webhooks/"+two.ID+"/disable", nil)
	rest := as[Redelivery](t, 200, b.ask(t, b.test, "POST", "/api/webhook-logs",
		map[string]any{"paymentTransactionId": payment.ID}))
	require.Equal(t, []string{first.ID}, ids(rest.Data), "what goes to a disabled endpoint is left out")
	as[Deleted](t, 200, b.ask(t, b.test, "DELETE", "/api/webhooks/"+one.ID, nil))
	problem(t, 409, "webhook_endpoint_disabled", "deliveryId", b.ask(t, b.test, "POST", "/api/webhook-logs", form))
}

func TestRedeliver_WhatAnEndpointMissed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	emit := func(n int, e event.Data) {
		b.write(t, func(ctx context.Context, tx *db.Tx) error {
			for range n {
				require.NoError(t, tx.Emit(ctx, b.test.environmentID, event.New(e, tx.Now)))
			}
			return nil
		})
	}
	emit(3, event.PlanCreated{ID: id.New(id.Plan, b.clock())}) // before the endpoint was there
	made, other := b.newEndpoint(t, b.test, "plan.created"), b.newEndpoint(t, b.test, "*")
	emit(4, event.PlanCreated{ID: id.New(id.Plan, b.clock())})
	logs := b.logs(t, "endpointId="+made.ID)
	require.Len(t, logs, 4)
	b.attempt(t, logs[0].ID, 1, "failed", 500, "no")
	b.attempt(t, logs[1].ID, 1, "succeeded", 200, "ok")
	b.ask(t, b.test, "POST", "/api/webhooks/"+made.ID+"/disable", nil)
	emit(600, event.PlanCreated{ID: id.New(id.Plan, b.clock())})
	emit(5, event.PlanUpdated{ID: id.New(id.Plan, b.clock()), Changed: []string{"name"}})
	b.ask(t, b.test, "POST", "/api/webhooks/"+other.ID+"/test", nil)
	ranged := map[string]any{"endpointId": made.ID, "since": b.base.Unix() - 1}
	problem(t, 409, "webhook_endpoint_disabled", "endpointId", b.ask(t, b.test, "POST", "/api/webhook-logs", ranged))
	b.ask(t, b.test, "POST", "/api/webhooks/"+made.ID+"/enable", nil)

	var redelivered, examined []int
	for more := true; more; {
		ranged["before"] = b.base.Unix() + 60
		got := as[Redelivery](t, 200, b.ask(t, b.test, "POST", "/api/webhook-logs", ranged))
		redelivered, examined, more = append(redelivered, got.Redelivered), append(examined, got.Examined), got.HasMore
		ranged["startingAfter"] = got.LastEventID
	}
	require.Equal(t, []int{500, 113}, examined)
	require.Equal(t, []int{3 + 1 + 493, 107}, redelivered,
		"three from before it was there, the failed one, those from while it was disabled")
	require.Equal(t, 607, b.count(t, "select count(*) from webhook_deliveries where endpoint_id = $1", made.ID))
	require.Equal(t, 1,
		b.count(t, "select count(*) from webhook_deliveries where endpoint_id = $1 and status = 'succeeded'", made.ID))

	delete(ranged, "startingAfter")
	again := as[Redelivery](t, 200, b.ask(t, b.test, "POST", "/api/webhook-logs", ranged))
	require.Zero(t, again.Redelivered, "nothing is missed any more")
}

func TestRedeliver_InvalidFieldIsNamed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	rows, foreign := b.fill(t, b.test), b.fill(t, b.other)
	before := b.rows(t)
	for _, c := range []struct {
		body        map[string]any
		status      int
		code, param string
	}{
		{map[string]any{}, 422, "field_missing", "deliveryId"},
		{
			map[string]any{"deliveryId": rows.delivery, "paymentTransactionId": rows.payment}, 422, "fields_exclusive",
			"paymentTransactionId",
		},
		{map[string]any{"deliveryId": rows.delivery, "endpointId": rows.endpoint}, 422, "fields_exclusive", "endpointId"},
		{map[string]any{"since": 1}, 422, "field_missing", "endpointId"},
		{map[string]any{"endpointId": rows.endpoint}, 422, "field_missing", "since"},
		{map[string]any{"endpointId": rows.endpoint, "since": 2, "before": 2}, 422, "range_empty", "since"},
		{
			map[string]any{"endpointId": rows.endpoint, "since": 1, "startingAfter": "evt_x"}, 422, "cursor_malformed",
			"startingAfter",
		},
		{map[string]any{"endpointId": rows.endpoint, "since": 4102444800}, 422, "out_of_range", "since"},
		{map[string]any{"deliveryId": "x"}, 404, "webhook_delivery_not_found", "deliveryId"},
		{map[string]any{"deliveryId": foreign.delivery}, 404, "webhook_delivery_not_found", "deliveryId"},
		{map[string]any{"paymentTransactionId": foreign.payment}, 404, "transaction_not_found", "paymentTransactionId"},
		{map[string]any{"paymentTransactionId": rows.customer}, 404, "transaction_not_found", "paymentTransactionId"},
		{map[string]any{"endpointId": foreign.endpoint, "since": 1}, 404, "webhook_endpoint_not_found", "endpointId"},
		{map[string]any{"endpointId": "x", "since": 1}, 404, "webhook_endpoint_not_found", "endpointId"},
	} {
		problem(t, c.status, c.code, c.param, b.ask(t, b.test, "POST", "/v1/webhook-logs", c.body))
	}
	require.Equal(t, before, b.rows(t))
}

// The log of an old delivery is gone, so that it looks like one that never happened.
func TestRedeliver_NothingOlderThanTheLog(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	made := b.newEndpoint(t, b.test, "plan.created")
	b.newPlan(t, b.test)
	old := b.base.AddDate(0, 0, -100)
	_, err := b.pool.Exec(t.Context(), `
		insert into events (id, environment_id, type, object_id, data, occurred_at, created_at)
		select $1, environment_id, type, 'plan_old', data, $2, $3 from events where type = 'plan.created'`,
		id.New(id.Event, old), old.Unix(), old)
	require.NoError(t, err)
	ranged := map[string]any{"endpointId": made.ID, "since": old.Unix() - 1}

	got := as[Redelivery](t, 200, b.ask(t, b.test, "POST", "/api/webhook-logs", ranged))

	require.Equal(t, 1, got.Examined)
	require.Zero(t, got.Redelivered)
	require.Len(t, b.logs(t, ""), 1)
	ranged["before"] = b.base.AddDate(0, 0, -95).Unix()
	problem(t, 422, "range_expired", "before", b.ask(t, b.test, "POST", "/api/webhook-logs", ranged))
}
