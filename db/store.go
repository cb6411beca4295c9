package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/db/core"
	dblifecycle "perennial/db/lifecycle"
	"perennial/db/moving"
	"perennial/db/payments"
	"perennial/db/usage"
)

// Store is a pool of connections with the reads on it, and the way into a transaction.
type Store struct {
	Reader
	core  *core.Store
	watch *watch
}

// Open prepares a pool and checks that the database answers. Faults: database_config_invalid, database_unavailable.
func Open(ctx context.Context, c core.Config) (*Store, error) {
	s, err := core.Open(ctx, c)
	if err != nil {
		return nil, err
	}
	return assemble(s), nil
}

func assemble(s *core.Store) *Store {
	return &Store{Reader: readers(s.Reads()), core: s, watch: &watch{}}
}

// InTx is core.Store.InTx, with all reads and writes.
func (s *Store) InTx(ctx context.Context, by core.Actor, now time.Time, fn func(*Tx) error) error {
	return s.core.InTx(ctx, by, now, func(begun *core.Tx) error {
		return fn(begin(begun))
	})
}

// With returns the same store, whose transactions hand their effects to d.
// Without a dispatcher they are left to the reconciler.
func (s *Store) With(d core.Dispatcher) *Store {
	other := *s
	other.core = s.core.With(d)
	return &other
}

// Lease returns a store on the same connections with its own clock, and without the state of this one about its
// process. Close ends only the lease. It is for tests, which use the same database one after the other.
func (s *Store) Lease(clock func() time.Time) *Store { return assemble(s.core.Lease(clock)) }

// Reset replaces the existing connections: those in use when they are returned.
func (s *Store) Reset() { s.core.Reset() }

// TakeUnsealed returns the environments in which this process has written entries of the audit log since the last call.
func (s *Store) TakeUnsealed() []string { return s.core.TakeUnsealed() }

// Close waits until every connection is back and closes them.
func (s *Store) Close() { s.core.Close() }

// Ping reports whether the database answers.
func (s *Store) Ping(ctx context.Context) error { return s.core.Ping(ctx) }

// Stat reports how busy the pool is.
func (s *Store) Stat() *pgxpool.Stat { return s.core.Stat() }

// ChargeLimits reads the same as a transaction's, for a caller that only compares.
func (s *Store) ChargeLimits(ctx context.Context, environmentID string, currency money.Currency) (money.Limits, error) {
	return payments.ChargeLimits(ctx, s.Payments, s.core.KnownLimits(), environmentID, currency)
}

// SubscriptionState reads what Tx.Lifecycle.LockSubscription reads, as it was at one moment, and locks nothing: for
// those who only look, and must not hold up those who decide. Fault: subscription_not_found.
func (s *Store) SubscriptionState(ctx context.Context, environmentID, id string) (lifecycle.State, error) {
	return dblifecycle.StateOf(ctx, s.core, environmentID, id)
}

// Export calls read with a snapshot of an environment. It may take its time: the transaction that holds the snapshot
// waits ten minutes for a reader that stalls.
func (s *Store) Export(ctx context.Context, environmentID string, read func(*moving.Snapshot) error) error {
	return moving.Export(ctx, s.core, environmentID, read)
}

// OneMoment calls read with reads that see all as it was at one moment, for figures that must fit each other. It may
// take its time, as Export may.
func (s *Store) OneMoment(ctx context.Context, read func(Reader) error) error {
	tx, err := s.core.Snapshot(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // it wrote nothing
	if _, err := tx.Exec(ctx, "set local idle_in_transaction_session_timeout = '10min'"); err != nil {
		return core.Translate("one moment", err)
	}
	return read(readers(core.ReaderOn(tx)))
}

// UsageLog returns where usage is kept: in this database. It is the one place that chooses.
func (s *Store) UsageLog() UsageLog { return usage.NewLog(s.core) }
