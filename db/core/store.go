// Package core is shared by the columns of db: the connections, a transaction with its queue and its commit, the
// sending of reads, pages of lists, and the translation of PostgreSQL's errors. Callers have it through package db.
package core

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/db/internal/dbsqlc"
)

// Config has the address of the database and the limits of one Store.
type Config struct {
	URL string
	// MaxConns bounds the pool; 0 leaves pgx's choice, four or the number of processors.
	MaxConns int32
	// Clock is the wall clock, for IDs, leases and retention. Required: only cmd knows the time.
	Clock func() time.Time
	// Limits returns which charges in a currency a provider takes, by the provider's name. nil: no limits are known.
	Limits func(provider string, currency money.Currency) money.Limits
	// ApplicationName is shown to operators in pg_stat_activity.
	ApplicationName string
	// Tracer observes every statement; nil: none is observed.
	Tracer pgx.QueryTracer
}

// Store is a pool of connections, and the way into a transaction. A copy is on the same connections.
type Store struct {
	pool       connections
	clock      func() time.Time
	dispatcher Dispatcher                                                  // nil: effects are left to the reconciler
	limits     func(provider string, currency money.Currency) money.Limits // Config.Limits
	// environments with new entries of the audit log
	unsealed *unsealed
}

// Reader sends reads. The columns say which reads there are.
type Reader struct {
	Handle Handle
}

// ReaderOn sends reads to the pool, or to a transaction that only reads.
func ReaderOn(h Handle) Reader { return Reader{Handle: storing{h}} }

// Handle sends statements: it is the pool, or one transaction.
type Handle interface {
	dbsqlc.DBTX
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
}

const idleInTransaction = "idle_in_transaction_session_timeout"

// Queries has no state: every generated method takes the handle it runs on.
var Queries = dbsqlc.New()

// Open prepares a pool and checks that the database answers. Faults: database_config_invalid, database_unavailable.
func Open(ctx context.Context, c Config) (*Store, error) {
	if c.Clock == nil {
		return nil, fault.New(fault.Invalid, "database_config_invalid",
			"The database configuration has no clock. Set db.Config.Clock.")
	}
	config, err := pgxpool.ParseConfig(c.URL)
	if err != nil {
		return nil, OpenError(err)
	}
	if c.MaxConns > 0 {
		config.MaxConns = c.MaxConns
	}
	if c.ApplicationName != "" {
		config.ConnConfig.RuntimeParams["application_name"] = c.ApplicationName
	}
	if _, given := config.ConnConfig.RuntimeParams[idleInTransaction]; !given {
		// A process that freezes in a transaction must not keep a subscription locked for ever.
		config.ConnConfig.RuntimeParams[idleInTransaction] = "60s"
	}
	config.ConnConfig.Tracer = c.Tracer
	config.AfterConnect = prepare
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, Translate("open", err)
	}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, Translate("open", err)
	}
	return &Store{pool: pool, clock: c.Clock, limits: c.Limits, unsealed: &unsealed{}}, nil
}

// OpenError distinguishes an unreadable URL from a database that is not available. The parser's error shows the URL
// without its password.
func OpenError(err error) error {
	if parse := (*pgconn.ParseConfigError)(nil); errors.As(err, &parse) {
		return fault.New(fault.Invalid, "database_config_invalid", "The database URL is malformed: %v.", err)
	}
	return Translate("open", err)
}

// prepare makes timestamps return in UTC, whatever the machine's time zone: rules compare and print them. It also lets
// the connection store any JSON.
func prepare(_ context.Context, conn *pgx.Conn) error {
	storeJSON(conn)
	conn.TypeMap().RegisterType(&pgtype.Type{
		Name: "timestamptz", OID: pgtype.TimestamptzOID, Codec: &pgtype.TimestamptzCodec{ScanLocation: time.UTC},
	})
	return nil
}

// Close waits until every connection is back and closes them.
func (s *Store) Close() { s.pool.Close() }

// Ping reports whether the database answers.
func (s *Store) Ping(ctx context.Context) error { return Translate("ping", s.pool.Ping(ctx)) }

// Stat reports how busy the pool is.
func (s *Store) Stat() *pgxpool.Stat { return s.pool.Stat() }

// Reads are sent alone, each in a statement of its own.
func (s *Store) Reads() Reader { return ReaderOn(s.pool) }

// KnownLimits are Config.Limits.
func (s *Store) KnownLimits() func(provider string, currency money.Currency) money.Limits {
	return s.limits
}

// Now is the wall clock's time.
func (s *Store) Now() time.Time { return s.clock() }

// Snapshot begins a transaction that sees all as it was at one moment and writes nothing. The caller ends it with
// Rollback.
func (s *Store) Snapshot(ctx context.Context) (pgx.Tx, error) {
	tx, err := s.pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	return tx, Translate("begin", err)
}
