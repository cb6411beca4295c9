// Package usecase has the parts that the columns of service share: who asks, the transaction of a use case with what
// its caller adds, the gate, checks of texts, look-ups, the times of test clocks, and commands of package lifecycle. It
// knows no column.
package usecase

import (
	"context"
	"time"

	"perennial/db"
	"perennial/internal/apikey"
)

// Base are the store and the clock of every use case.
type Base struct {
	Store *db.Store
	Now   func() time.Time // the real clock
}

// Caller is the actor of a use case, and its environment.
type Caller struct {
	Actor         db.Actor
	EnvironmentID string
	Mode          apikey.Mode
	TimeZone      string // of the environment
}

// TestModeOnly refuses a caller in a live environment what only test environments have.
func (by Caller) TestModeOnly(param string) error {
	if by.Mode != apikey.Test {
		return ErrTestModeOnly.In(param)
	}
	return nil
}

// Also is the caller's addition to the transaction of a use case, given the result: api stores its answer for repeats
// there. It runs last and may be nil.
type Also[R any] func(tx *db.Tx, result R) error

// Around is the caller's additions to the transaction of a command; either may be nil. api takes the Idempotency-Key
// before, where a repeat waits, and stores the answer after.
type Around[R any] struct {
	Before func(tx *db.Tx) error
	After  Also[R]
}

// Transact runs a use case between what its caller adds.
func (a Around[R]) Transact(ctx context.Context, b Base, by Caller, do func(tx *db.Tx) (R, error)) error {
	_, err := Transact(ctx, b, by, a.After, func(tx *db.Tx) (result R, err error) {
		if a.Before != nil {
			if err := a.Before(tx); err != nil {
				return result, err
			}
		}
		return do(tx)
	})
	return err
}

// Transact runs a use case in one transaction, with what its caller adds.
func Transact[R any](
	ctx context.Context, b Base, by Caller, also Also[R], do func(tx *db.Tx) (R, error),
) (result R, err error) {
	err = b.Store.InTx(ctx, by.Actor, b.Now(), func(tx *db.Tx) error {
		var err error
		tx.Audit(by.EnvironmentID)
		if result, err = do(tx); err != nil || also == nil {
			return err
		}
		return also(tx, result)
	})
	return result, err
}
