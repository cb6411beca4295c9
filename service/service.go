package service

import (
	"context"
	"time"

	"perennial/db"
	"perennial/internal/apikey"
)

// Service performs use cases.
type Service struct {
	store *db.Store
	now   func() time.Time
}

// New makes a service. The store's dispatcher (db.Store.With) gets what follows each commit; now is the real clock.
func New(store *db.Store, now func() time.Time) *Service { return &Service{store: store, now: now} }

// Caller is who has something done, and in which environment.
type Caller struct {
	Actor         db.Actor
	EnvironmentID string
	Mode          apikey.Mode
	TimeZone      string // of the environment
}

// Also is what the caller of a use case adds to its transaction, given the result: api keeps its answer for repeats
// there. It runs last and may be nil.
type Also[R any] func(tx *db.Tx, result R) error

// transact runs a use case in one transaction, with what its caller adds.
func transact[R any](
	ctx context.Context, s *Service, by Caller, also Also[R], do func(tx *db.Tx) (R, error),
) (result R, err error) {
	err = s.store.InTx(ctx, by.Actor, s.now(), func(tx *db.Tx) error {
		var err error
		if result, err = do(tx); err != nil || also == nil {
			return err
		}
		return also(tx, result)
	})
	return result, err
}
