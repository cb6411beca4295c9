package db_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/delivery"
	"perennial/billing/event"
	"perennial/db"
	"perennial/internal/id"
)

// A delivery of the last day of its retention is asked for again while old ones are deleted.
func TestPurgeWebhookLog_KeepsWhatIsAskedForAtThatMoment(t *testing.T) {
	t.Parallel()
	b := setup(t)
	endpoint := b.endpoint(t, b.env, "*")
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Emit(ctx, b.env, event.New(event.PlanCreated{ID: id.New(id.Plan, wall)}, now)))
	})
	_, err := b.pool.Exec(t.Context(), `update webhook_deliveries set created_at = created_at - interval '91 days',
		status = 'succeeded', attempts = 1, succeeded_at = created_at, next_attempt_at = null`)
	require.NoError(t, err)
	asking, err := b.pool.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = asking.Rollback(context.Background()) }()
	_, err = asking.Exec(
		t.Context(), "update webhook_deliveries set status = 'pending', redeliver = true, next_attempt_at = now()",
	)
	require.NoError(t, err)

	purged := make(chan int, 1)
	go func() {
		var n int
		_ = b.store.InTx(t.Context(), db.BySystem("test"), now, func(tx *db.Tx) (err error) {
			n, err = tx.Webhooks.PurgeLog(t.Context(), wall.Add(-delivery.Retention), 10)
			return err
		})
		purged <- n
	}()
	time.Sleep(100 * time.Millisecond) // until it has reached the row
	require.NoError(t, asking.Commit(t.Context()))

	require.Zero(t, <-purged)
	require.Len(t, b.deliveries(t, b.env, endpoint), 1)
}
