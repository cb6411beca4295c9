package activities_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/internal/id"
	"perennial/internal/testkit/wait"
	"perennial/test/life"
	"perennial/test/scene"
)

// A transaction read the customer before the deletion, and commits its mail after the erasure has come to the mails.
func TestEraseBatch_WaitsForMailsThatAreBeingWritten(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	c := s.Customer(t, "")
	now := time.Now()
	writer, err := s.Pool.Begin(t.Context())
	require.NoError(t, err)
	_, err = writer.Exec(t.Context(), `insert into emails (environment_id, id, kind, object_id, occurrence, customer_id, recipient, status,
			next_attempt_at, created_at)
		values ($1, $2, 'refund', 'txn_1', '', $3, 'canary@example.com', 'pending', $4, $4)`, s.Env, id.New(id.Email, now), c.ID, now)
	require.NoError(t, err)
	ref := life.DeleteCustomer(t, s, c.ID)
	erased := make(chan struct{})
	go func() {
		defer close(erased)
		life.EraseAll(t, s, ref, 10)
	}()
	require.Eventually(t, func() bool {
		select {
		case <-erased:
			return true
		default:
			return life.Count(t, s, `select count(*) from pg_stat_activity
				where datname = current_database() and wait_event_type = 'Lock'`) > 0
		}
	}, wait.Patience, 10*time.Millisecond)
	require.NoError(t, writer.Commit(t.Context()))
	<-erased
	require.Zero(t, life.Count(t, s, "select count(*) from emails where recipient is not null"))
}
