package workflows_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"perennial/internal/testkit"
	"perennial/internal/testkit/receiver"
	"perennial/webhooks/verify"
)

// Some receivers never answer, next to healthy ones of the same app: the healthy ones get everything, once and in time,
// and the deliveries of the others stay in the books. The times are compared only at full scale. The test is not
// parallel: it measures.
func TestWebhooks_HangingReceiversDelayNobodyElse(t *testing.T) { //nolint:paralleltest // see above
	r, inbox := onRealServer(t), receiver.New(t)
	hanging, healthy, events := testkit.Scale(20, 50), testkit.Scale(5, 20), testkit.Scale(20, 200)
	paths := make([]string, healthy)
	for i := range paths {
		paths[i] = fmt.Sprintf("/healthy/%d", i)
		r.Endpoint(t, inbox.Endpoint(paths[i]), "*")
	}
	r.announceSlowly(t, inbox, paths, 1) // every workflow has begun
	alone := r.announceSlowly(t, inbox, paths, events)

	stuck := make([]string, hanging)
	for i := range stuck {
		stuck[i] = r.Endpoint(t, inbox.Endpoint(fmt.Sprintf("/hangs/%d", i), receiver.Hang(time.Minute)), "*").ID
	}
	r.announceSlowly(t, inbox, paths, 1)
	beside := r.announceSlowly(t, inbox, paths, events)

	for _, path := range paths {
		got := map[string]bool{}
		for _, q := range inbox.Requests(path) {
			got[q.Header.Get(verify.HeaderStandardID)] = true
		}
		require.Len(t, inbox.Requests(path), 2*events+2, "each event once")
		require.Len(t, got, 2*events+2)
	}
	r.requireOwed(t, stuck, events+1)
	t.Logf("%d healthy endpoints alone: p50 %s, p99 %s; beside %d that hang: p50 %s, p99 %s (%d deliveries each)", healthy,
		alone.p50, alone.p99, hanging, beside.p50, beside.p99, healthy*events)
	if testkit.Scale(0, 1) == 1 {
		require.LessOrEqual(t, beside.p99, 2*time.Second)
		require.LessOrEqual(t, beside.p99, alone.p99*3/2, "1.5 times the undisturbed run")
	}
}

// delays are the times from the transaction of an event to the end of its delivery.
type delays struct{ p50, p99 time.Duration }

// announceSlowly emits n events, ten a second, waits until all have arrived at all paths and returns how late.
func (r *liveScene) announceSlowly(t *testing.T, inbox *receiver.Receiver, paths []string, n int) delays {
	t.Helper()
	began, before := time.Now(), len(inbox.Requests(paths[0]))
	for range n {
		r.Announce(t, 1)
		time.Sleep(100 * time.Millisecond)
	}
	for _, path := range paths {
		inbox.Wait(t, path, before+n, time.Minute)
	}
	var waits []time.Duration
	r.eventually(t, func() bool { // the last ends are being recorded
		rows, err := r.Pool.Query(t.Context(), `select a.ended_at - d.created_at from webhook_deliveries d
			join webhook_attempts a on a.environment_id = d.environment_id and a.delivery_id = d.id
			where a.outcome = 'succeeded' and d.created_at >= $1`, began)
		require.NoError(t, err)
		waits, err = pgx.CollectRows(rows, pgx.RowTo[time.Duration])
		require.NoError(t, err)
		return len(waits) == n*len(paths)
	})
	slices.Sort(waits)
	return delays{waits[len(waits)/2], waits[len(waits)*99/100]}
}

// requireOwed checks that the n deliveries of each endpoint, none of which ever answers, wait, or have failed with all
// of their attempts, each after the ten seconds that a receiver is given.
func (r *liveScene) requireOwed(t *testing.T, endpoints []string, n int) {
	t.Helper()
	var owed, lost, early int
	require.NoError(t, r.Pool.QueryRow(t.Context(), `select count(*),
			count(*) filter (where status = 'succeeded' or status = 'failed' and attempts <> 4)
		from webhook_deliveries where endpoint_id = any($1)`, endpoints).Scan(&owed, &lost))
	require.NoError(t, r.Pool.QueryRow(t.Context(), `select count(*) from webhook_attempts
		where endpoint_id = any($1) and ended_at - started_at < interval '9 seconds'`, endpoints).Scan(&early))
	require.Equal(t, n*len(endpoints), owed)
	require.Zero(t, lost)
	require.Zero(t, early, "attempts that were given up too soon")
}
