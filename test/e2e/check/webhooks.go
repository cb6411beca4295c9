package check

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/internal/testkit/receiver"
	"perennial/test/e2e/world"
	"perennial/webhooks/verify"
)

// Webhooks waits until nothing is pending, and then checks that every event was delivered to every endpoint of its
// environment, all of which want all types, or failed with its four attempts in the log; and that the deliveries are
// those that the receiver accepted. Paths of the receiver end with the endpoint's number.
func Webhooks(t testing.TB, w *world.World, inbox *receiver.Receiver, within time.Duration) {
	t.Helper()
	number := func(query string) (n int) {
		if err := w.Pool.QueryRow(t.Context(), query).Scan(&n); err != nil {
			return -1 // the database is on its way back
		}
		return n
	}
	require.Eventually(t, func() bool {
		return number("select count(*) from webhook_deliveries where status = 'pending'") == 0 &&
			number("select count(*) from webhook_attempts where ended_at is null") == 0
	}, within, 100*time.Millisecond, "deliveries stay pending")
	require.Zero(t, number(`select count(*) from events e join webhook_endpoints w on w.environment_id = e.environment_id
		where e.created_at > w.created_at and not exists (select from webhook_deliveries d
			where d.environment_id = e.environment_id and d.event_id = e.id and d.endpoint_id = w.id)`), "events without a delivery")
	require.Zero(t, number(`select count(*) from webhook_deliveries d where d.status = 'failed' and 4 <> (
		select count(*) from webhook_attempts a
		where a.environment_id = d.environment_id and a.delivery_id = d.id and a.outcome = 'failed')`), "failed without four attempts")

	accepted := map[[2]string]bool{}
	for _, q := range inbox.Requests("") {
		accepted[[2]string{q.Path, q.Header.Get(verify.HeaderStandardID)}] = true
	}
	rows, err := w.Pool.Query(t.Context(), `select regexp_replace(w.url, '^https?://[^/]*', ''), d.event_id from webhook_deliveries d
		join webhook_endpoints w on w.environment_id = d.environment_id and w.id = d.endpoint_id where d.status = 'succeeded'`)
	require.NoError(t, err)
	delivered := 0
	for rows.Next() {
		var path, eventID string
		require.NoError(t, rows.Scan(&path, &eventID))
		require.True(t, accepted[[2]string{path, eventID}], "%s counts as delivered to %s and never arrived", eventID, path)
		delivered++
	}
	require.NoError(t, rows.Err())
	t.Logf("%d events; %d deliveries arrived, %d failed; %d attempts were left open by a crash",
		number("select count(*) from events"), delivered,
		number("select count(*) from webhook_deliveries where status = 'failed'"),
		number("select count(*) from webhook_attempts where outcome = 'unknown'"))
}
