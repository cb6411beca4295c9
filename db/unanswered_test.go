package db_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/db"
)

// After an outage of several accounts, one with many payments is not held back by those with few. An account with more
// than its share is reported, the others do not count any more once theirs are woken, and the recovery of each ends
// when all of its payments are woken.
func TestReleaseUnanswered_SharesAmongAccountsThatHaveSome(t *testing.T) {
	t.Parallel()
	b := setup(t)
	few := b.newEnvironment(t)
	copies := func(e environment, from, to int) {
		_, err := b.pool.Exec(t.Context(), `
			insert into transactions (environment_id, id, position, type, status, customer_id, amount, currency, description, trigger,
				provider, provider_config_id, amount_refunded, send_number, checks, not_found_count, due_at, created_at, first_sent_at,
				next_check_at, unanswered_since, unanswered_at)
			select $1, 'txn_' || lpad(i::text, 26, '0'), nextval('list_position'), 'charge', 'pending', $2, 100, 'EUR', '', 'manual',
				'stripe', $3, 0, 1, 7, 0, $4, $4, $4::timestamptz - interval '1 hour',
				$4::timestamptz + interval '1 hour', $4::timestamptz - interval '30 min', $4::timestamptz - interval '20 min'
			from generate_series($5::int, $6::int) i`, e.env, e.customer.ID, e.provider, wall, from, to)
		require.NoError(t, err)
		_, err = b.pool.Exec(t.Context(), `insert into provider_breakers (environment_id, provider_config_id, failures, silent_since, recovered_at)
			values ($1, $2, 0, $3::timestamptz - interval '30 min', $3::timestamptz - interval '5 min')`, e.env, e.provider, wall)
		require.NoError(t, err)
	}
	copies(b.environment, 1, 30)
	copies(few, 31, 33)
	release := func() (n int, more bool) {
		b.write(t, func(ctx context.Context, tx *db.Tx) {
			refs, whole, err := tx.Reconcile.ReleaseUnanswered(ctx, 10)
			require.NoError(t, err)
			require.NoError(t, tx.Reconcile.EndRecoveries(ctx, wall))
			n, more = len(refs), whole
		})
		return n, more
	}
	recovering := func() int {
		return b.count(t, "select count(*) from provider_breakers where recovered_at is not null")
	}
	for i, want := range []struct{ released, recovering int }{{8, 1}, {10, 1}, {10, 1}, {5, 0}, {0, 0}} {
		n, more := release()
		require.Equal(t, want.released, n, i)
		require.Equal(t, n >= 8, more, i)
		require.Equal(t, want.recovering, recovering(), i)
	}
}
