package service

import (
	"context"
	"time"

	"perennial/db"
	"perennial/internal/apikey"
	"perennial/internal/vault"
	"perennial/service/gateway"
	"perennial/webhooks"
)

// Service performs use cases.
type Service struct {
	store     *db.Store
	now       func() time.Time
	vault     *vault.Vault // nil: no webhook endpoint can be registered
	receivers webhooks.Allow
	gateway   *gateway.Gateway
	usage     UsageStore
	gather    *gather
	recorded  *recorded
}

// New makes a service. The store's dispatcher (db.Store.With) gets what follows each commit; now is the real clock.
func New(store *db.Store, now func() time.Time) *Service {
	return &Service{
		store: store, now: now, gateway: gateway.New(gateway.Config{}), usage: db.NewUsageLog(store), gather: &gather{},
		recorded: &recorded{},
	}
}

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

// Around is what the caller of a command adds to its transaction; either may be nil. api takes the Idempotency-Key
// before, where a repeat waits, and stores the answer after.
type Around[R any] struct {
	Before func(tx *db.Tx) error
	After  Also[R]
}

func (a Around[R]) transact(ctx context.Context, s *Service, by Caller, do func(tx *db.Tx) (R, error)) error {
	_, err := transact(ctx, s, by, a.After, func(tx *db.Tx) (result R, err error) {
		if a.Before != nil {
			if err := a.Before(tx); err != nil {
				return result, err
			}
		}
		return do(tx)
	})
	return err
}

// transact runs a use case in one transaction, with what its caller adds.
func transact[R any](
	ctx context.Context, s *Service, by Caller, also Also[R], do func(tx *db.Tx) (R, error),
) (result R, err error) {
	err = s.store.InTx(ctx, by.Actor, s.now(), func(tx *db.Tx) error {
		var err error
		tx.Audit(by.EnvironmentID)
		if result, err = do(tx); err != nil || also == nil {
			return err
		}
		return also(tx, result)
	})
	return result, err
}
