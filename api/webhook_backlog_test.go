package api

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/api/httpkit"
)

func TestWebhook_ShowsItsBacklog(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	idle, busy := b.newEndpoint(t, b.test, "payment.*"), b.newEndpoint(t, b.test, "plan.*")
	b.newEndpoint(t, b.live, "*")
	require.Nil(t, busy.Backlog, "the response to a change says nothing about it")
	read := func(id string) Backlog {
		t.Helper()
		one := as[WebhookEndpoint](t, 200, b.ask(t, b.test, "GET", "/api/webhooks/"+id, nil))
		for _, listed := range as[httpkit.List[WebhookEndpoint]](t, 200, b.ask(t, b.test, "GET", "/v1/webhooks", nil)).Data {
			if listed.ID == id {
				require.Equal(t, one, listed)
				return *one.Backlog
			}
		}
		t.Fatal("the list does not have it")
		return Backlog{}
	}
	require.Equal(t, Backlog{}, read(busy.ID))
	for range 3 {
		b.newPlan(t, b.test)
	}
	aged := func(status string, age time.Duration, more string) {
		t.Helper()
		_, err := b.pool.Exec(t.Context(), `update webhook_deliveries set created_at = $1, next_attempt_at = $1`+more+`
			where id = (select id from webhook_deliveries where status = 'pending' and attempts = 0 and created_at > $2 limit 1)`,
			b.base.Add(-age), b.base.Add(-time.Second))
		require.NoError(t, err, status)
	}
	aged("first attempt", 5*time.Minute, "")
	require.Equal(t, Backlog{Waiting: 3, OldestAt: b.base.Add(-5 * time.Minute).Unix()}, read(busy.ID))
	aged("failed once", 10*time.Minute, ", attempts = 1")
	require.Equal(t, Backlog{Waiting: 2, Retrying: 1, OldestAt: b.base.Add(-10 * time.Minute).Unix()}, read(busy.ID))
	_, err := b.pool.Exec(t.Context(), `update webhook_deliveries set redeliver = true, attempts = 4,
		next_attempt_at = created_at + interval '9 minutes' where attempts = 1`)
	require.NoError(t, err)
	require.Equal(t, Backlog{Waiting: 2, Retrying: 1, OldestAt: b.base.Add(-5 * time.Minute).Unix()}, read(busy.ID),
		"a redelivery waits since it was asked for")
	require.Equal(t, Backlog{}, read(idle.ID), "another endpoint's")
	as[Deleted](t, 200, b.ask(t, b.test, "DELETE", "/api/webhooks/"+idle.ID, nil))
}
