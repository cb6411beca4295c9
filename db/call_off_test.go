package db_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/db"
	"perennial/test/testdb"
)

// queued is a transaction whose one write waits, together with its COMMIT, for a row that another transaction is about
// to insert.
type queued struct {
	store   *db.Store
	pool    *pgxpool.Pool
	release func()
}

const waits = "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"

func newQueued(t *testing.T) queued {
	t.Helper()
	database := testdb.Migrated(t)
	pool := database.Pool(t)
	store, err := db.Open(t.Context(), db.Config{URL: database.URL, MaxConns: 2, Clock: time.Now})
	require.NoError(t, err)
	t.Cleanup(store.Close)
	holder, err := pool.Begin(t.Context())
	require.NoError(t, err)
	_, err = holder.Exec(t.Context(), "insert into tenants (id, name, created_at) values ('ten_1', 'first', now())")
	require.NoError(t, err)
	release := sync.OnceFunc(func() { require.NoError(t, holder.Rollback(context.WithoutCancel(t.Context()))) })
	t.Cleanup(release)
	return queued{store, pool, release}
}

func (q queued) commit(ctx context.Context) error {
	return q.store.InTx(ctx, db.BySystem("test"), time.Now(), func(tx *db.Tx) error {
		return tx.Tenancy.InsertTenant(ctx, db.Tenant{ID: "ten_1", Name: "second", CreatedAt: time.Now()})
	})
}

// count returns the number of tenants once the server has had the time to continue with statements that it still had.
func (q queued) count(t *testing.T) (tenants int) {
	t.Helper()
	require.Eventually(t, func() bool {
		var busy int
		require.NoError(t, q.pool.QueryRow(t.Context(), waits).Scan(&busy))
		return busy == 0
	}, 10*time.Second, 10*time.Millisecond)
	time.Sleep(200 * time.Millisecond)
	require.NoError(t, q.pool.QueryRow(t.Context(), "select count(*) from tenants").Scan(&tenants))
	return tenants
}

// A caller that gets "database unavailable" must be able to rely on it that nothing was done. Closing the connection is
// not enough: the server continues to wait, and commits when its turn comes.
func TestCommit_GivenUpIsNotPerformed(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(context.Context) (context.Context, context.CancelFunc){
		"its time is over": func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 200*time.Millisecond)
		},
		"its caller leaves": func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(200*time.Millisecond, cancel)
			return ctx, cancel
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := newQueued(t)
			ctx, cancel := end(t.Context())
			defer cancel()
			began := time.Now()
			err := q.commit(ctx)
			require.Equal(t, fault.Unavailable, fault.From(err).Kind, "%v", err)
			require.Equal(t, "database_unavailable", fault.From(err).Code)
			require.Less(t, time.Since(began), 5*time.Second)
			q.release()
			require.Zero(t, q.count(t), "it was carried out unseen")
			require.Zero(t, q.store.Stat().AcquiredConns())
			require.NoError(t, q.commit(t.Context()), "no request to give up hits what comes next")
			require.Equal(t, 1, q.count(t))
		})
	}
}

func TestCommit_InTimeStands(t *testing.T) {
	t.Parallel()
	q := newQueued(t)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	time.AfterFunc(200*time.Millisecond, q.release)
	require.NoError(t, q.commit(ctx))
	require.Equal(t, 1, q.count(t))
}

// However the end of the caller's time and the COMMIT meet, the result matches what happened.
func TestCommit_ReportsOutcome(t *testing.T) {
	t.Parallel()
	database := testdb.Migrated(t)
	pool := database.Pool(t)
	store, err := db.Open(t.Context(), db.Config{URL: database.URL, MaxConns: 2, Clock: time.Now})
	require.NoError(t, err)
	t.Cleanup(store.Close)
	outcomes := map[bool]int{}
	for i := range 300 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i%30)*500*time.Microsecond)
		name := fmt.Sprintf("ten_%d", i)
		err := store.InTx(ctx, db.BySystem("test"), time.Now(), func(tx *db.Tx) error {
			return tx.Tenancy.InsertTenant(ctx, db.Tenant{ID: name, Name: name, CreatedAt: time.Now()})
		})
		cancel()
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			require.Equal(t, fault.Unavailable, fault.From(err).Kind, "%v", err)
		}
		var there bool
		require.NoError(t, pool.QueryRow(t.Context(), "select exists (select 1 from tenants where id = $1)",
			name).Scan(&there))
		require.Equal(t, err == nil, there, "%v", err)
		outcomes[there]++
	}
	t.Logf("committed: %d, not: %d", outcomes[true], outcomes[false])
}
