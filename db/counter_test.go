package db_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"perennial/db"
)

// tripCounter is a store that counts its round trips: each query and each batch is one, once its statements are
// prepared.
type tripCounter struct {
	store *db.Store
	sent  atomic.Int64
}

func newCounter(t *testing.T, b *bundle) *tripCounter {
	t.Helper()
	c := &tripCounter{}
	var err error
	c.store, err = db.Open(t.Context(), db.Config{
		URL: b.pool.Config().ConnString(), MaxConns: 1, Clock: func() time.Time { return wall }, Tracer: c,
	})
	require.NoError(t, err)
	t.Cleanup(c.store.Close)
	c.sent.Store(0) // the ping of Open
	return c
}

// trips returns the number of round trips since its last call.
func (c *tripCounter) trips() int { return int(c.sent.Swap(0)) }

func (c *tripCounter) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	c.sent.Add(1)
	return ctx
}

func (c *tripCounter) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func (c *tripCounter) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	c.sent.Add(1)
	return ctx
}

func (c *tripCounter) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

func (c *tripCounter) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}
