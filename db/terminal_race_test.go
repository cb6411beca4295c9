package db_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/payment"
	"perennial/db"
	"perennial/internal/testkit"
)

// errSame is of an update that found its status written already.
var errSame = errors.New("the transaction has this status already")

// Sixteen sessions race to end one charge, half of them with a capture and half with a cancellation: one wins, whether
// the sessions follow the rules, act on an earlier read, or write past the rules.
func TestRace_OneTerminalStatus(t *testing.T) {
	t.Parallel()
	rounds := testkit.Scale(5, 100)
	for name, c := range map[string]struct {
		end func(*testing.T, *bundle, payment.Transaction, payment.Status) error
		// the errors of sessions that lose: those that want the winner's status, and the others
		same, other string
	}{
		"load, decide, write": {endUnderLock, "transaction_final", "transaction_final"},
		"an outdated row":     {endAsRead, "transaction_changed", "transaction_changed"},
		"the trigger alone":   {endBySQL, errSame.Error(), "PB004"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			for range rounds {
				txn := b.pendingCharge(t, "")
				wants := func(i int) payment.Status {
					return []payment.Status{payment.Success, payment.Canceled}[i%2]
				}
				errs := atOnce(sessions, func(i int) error { return c.end(t, b, txn, wants(i)) })

				ended, err := b.store.Payments.Transaction(t.Context(), b.env, txn.ID)
				require.NoError(t, err)
				won := 0
				for i, err := range errs {
					switch {
					case err == nil:
						won++
						require.Equal(t, wants(i), ended.Status, "a session was told that its status counts")
					case wants(i) == ended.Status:
						require.ErrorContains(t, err, c.same)
					default:
						require.ErrorContains(t, err, c.other)
					}
				}
				require.Equal(t, 1, won)
				require.Equal(t, txn.Revision+1, ended.Revision, "written once")
			}
		})
	}
}

// endUnderLock ends a charge as activities do.
func endUnderLock(t *testing.T, b *bundle, txn payment.Transaction, to payment.Status) error {
	return b.try(t, func(ctx context.Context, tx *db.Tx) error {
		locked, err := tx.Payments.LockTransaction(ctx, b.env, txn.ID)
		if err != nil {
			return err
		}
		closed, err := locked.Close(to, now)
		if err != nil {
			return err
		}
		return tx.Payments.SaveTransaction(ctx, b.env, closed)
	})
}

// endAsRead ends a charge without reading its present state.
func endAsRead(t *testing.T, b *bundle, txn payment.Transaction, to payment.Status) error {
	return b.try(t, func(ctx context.Context, tx *db.Tx) error {
		closed, err := txn.Close(to, now)
		if err != nil {
			return err
		}
		return tx.Payments.SaveTransaction(ctx, b.env, closed)
	})
}

// endBySQL ends a charge past all code.
func endBySQL(t *testing.T, b *bundle, txn payment.Transaction, to payment.Status) error {
	done, err := b.pool.Exec(t.Context(), `
		update transactions set status = $1, completed_at = now(), revision = revision + 1
		where id = $2 and status <> $1`, string(to), txn.ID)
	if err == nil && done.RowsAffected() == 0 {
		return errSame
	}
	return err
}
