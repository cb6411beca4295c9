package core

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/puddle/v2"

	"perennial/db/internal/dbsqlc"
)

// connections are a pool of them.
type connections interface {
	dbsqlc.DBTX
	Acquire(ctx context.Context) (*pgxpool.Conn, error)
	BeginTx(ctx context.Context, o pgx.TxOptions) (pgx.Tx, error)
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
	Ping(ctx context.Context) error
	Stat() *pgxpool.Stat
	Reset()
	Close()
}

// lease is a pool of connections up to its Close, which closes none of them: they go to the next who leases them.
type lease struct {
	connections
	ended *atomic.Bool
}

// Lease returns a store on the same connections with its own clock, and without the state of this one about its
// process. Close ends only the lease. It is for tests, which use the same database one after the other.
func (s *Store) Lease(clock func() time.Time) *Store {
	other := *s
	other.pool, other.clock, other.unsealed = lease{s.pool, &atomic.Bool{}}, clock, &unsealed{}
	return &other
}

// Reset replaces the existing connections: those in use when they are returned.
func (s *Store) Reset() { s.pool.Reset() }

func (l lease) Close() { l.ended.Store(true) }

func (l lease) open() error {
	if l.ended.Load() {
		return puddle.ErrClosedPool
	}
	return nil
}

func (l lease) Acquire(ctx context.Context) (*pgxpool.Conn, error) {
	if err := l.open(); err != nil {
		return nil, err
	}
	return l.connections.Acquire(ctx)
}

func (l lease) BeginTx(ctx context.Context, o pgx.TxOptions) (pgx.Tx, error) {
	if err := l.open(); err != nil {
		return nil, err
	}
	return l.connections.BeginTx(ctx, o)
}

func (l lease) Ping(ctx context.Context) error {
	if err := l.open(); err != nil {
		return err
	}
	return l.connections.Ping(ctx)
}

func (l lease) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	if err := l.open(); err != nil {
		return pgconn.CommandTag{}, err
	}
	return l.connections.Exec(ctx, sql, args...)
}

func (l lease) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if err := l.open(); err != nil {
		return nil, err
	}
	return l.connections.Query(ctx, sql, args...)
}

func (l lease) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	if err := l.open(); err != nil {
		return failedBatch{err: err}
	}
	return l.connections.SendBatch(ctx, b)
}

// failedBatch is a batch that was not sent.
type failedBatch struct {
	pgx.BatchResults // nil

	err error
}

func (f failedBatch) Exec() (pgconn.CommandTag, error) { return pgconn.CommandTag{}, f.err }

func (f failedBatch) Query() (pgx.Rows, error) { return nil, f.err }

func (f failedBatch) QueryRow() pgx.Row { return oneRow{nil, f.err, ""} }

func (f failedBatch) Close() error { return f.err }
