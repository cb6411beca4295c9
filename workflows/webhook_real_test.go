package workflows_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/delivery"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/testkit"
	"perennial/internal/testkit/receiver"
)

func (r *liveScene) disable(t *testing.T, ref contract.Ref) {
	t.Helper()
	r.InTx(t, func(tx *db.Tx) error {
		e, err := tx.LockWebhookEndpoint(t.Context(), ref.EnvironmentID, ref.ID)
		require.NoError(t, err)
		e.Disable(delivery.DisabledByRequest, time.Now())
		return tx.SaveWebhookEndpoint(t.Context(), ref.EnvironmentID, e)
	})
}

func TestWebhooks_UnderLoadARunDeliversMany(t *testing.T) {
	t.Parallel()
	r, inbox := onRealServer(t), receiver.New(t)
	ref := r.Endpoint(t, inbox.Endpoint("/"), "*")
	deliveries := testkit.Scale(300, 5_000)
	for range deliveries {
		r.Announce(t, 1)
	}
	r.AllDelivered(t, time.Minute)
	require.Len(t, inbox.Requests("/"), deliveries, "each once")
	history := len(r.history(t, ref.ID, ""))
	t.Logf("%d history events for %d deliveries", history, deliveries)
	require.LessOrEqual(t, history, deliveries)
}

// Receivers that never answer, beside healthy ones of the same app. Not beside other tests: it measures.
func TestWebhooks_HangingReceiversDelayNobodyElse(t *testing.T) { //nolint:paralleltest // see above
	r, inbox := onRealServer(t), receiver.New(t)
	hanging, healthy, events := testkit.Scale(20, 50), testkit.Scale(5, 20), testkit.Scale(20, 200)
	for i := range hanging {
		r.Endpoint(t, inbox.Endpoint(fmt.Sprintf("/hangs/%d", i), receiver.Hang(time.Minute)), "*")
	}
	for i := range healthy {
		r.Endpoint(t, inbox.Endpoint(fmt.Sprintf("/healthy/%d", i)), "*")
	}
	arrived := func(n int) {
		for i := range healthy {
			inbox.Wait(t, fmt.Sprintf("/healthy/%d", i), n, 30*time.Second)
		}
	}
	r.Announce(t, 1)
	arrived(1) // every workflow has begun
	began := time.Now()
	for range events {
		r.Announce(t, 1)
		time.Sleep(100 * time.Millisecond)
	}
	arrived(events + 1)
	rows, err := r.Pool.Query(t.Context(), `select a.ended_at - d.created_at from webhook_deliveries d
		join webhook_attempts a on a.environment_id = d.environment_id and a.delivery_id = d.id
		where a.outcome = 'succeeded' and d.created_at >= $1`, began)
	require.NoError(t, err)
	var waits []time.Duration
	for rows.Next() {
		var wait time.Duration
		require.NoError(t, rows.Scan(&wait))
		waits = append(waits, wait)
	}
	require.GreaterOrEqual(t, len(waits), healthy*(events-1))
	slices.Sort(waits)
	p50, p99 := waits[len(waits)/2], waits[len(waits)*99/100]
	t.Logf("%d hang beside %d: p50 %s, p99 %s of %d deliveries", hanging, healthy, p50, p99, len(waits))
	require.LessOrEqual(t, p99, 2*time.Second)
}
