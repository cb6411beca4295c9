package charging_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/payment"
	"perennial/db"
)

// All breakers are open when the database is restored. The waiting payments are searched meanwhile, so that each probe
// is a send: a payment that is still searched must not claim the probe, or every breaker would stay open for ever.
func TestSearch_LeavesTheProbesToSends(t *testing.T) {
	t.Parallel()
	l, backup, config := renewing(t)
	l.Payments.Gateway = accounts{l.Config.ID: onlyByKey{l.Provider}, config.ID: onlyByKey{backup}}
	waiting := []string{l.Last().ID}
	for range 4 {
		waiting = append(waiting, l.OwnCharge(t).ID)
	}
	l.InTx(t, func(tx *db.Tx) error {
		for _, id := range []string{l.Config.ID, config.ID} {
			b, err := tx.Payments.LockBreaker(t.Context(), l.Env, id)
			if err != nil {
				return err
			}
			at := l.Clock.Now()
			b.Failures, b.FailingSince, b.OpenedAt, b.ProbeAt = 5, at, at, at.Add(90*time.Second)
			if err := tx.Payments.SaveBreaker(t.Context(), l.Env, id, b); err != nil {
				return err
			}
		}
		return nil
	})
	l.Restore()
	for range 30 {
		for _, id := range waiting {
			if l.Transaction(id).Status == payment.Pending {
				l.Check(id)
			}
		}
		l.Clock.Add(10 * time.Second)
	}
	for _, id := range waiting {
		require.Equal(t, payment.Success, l.Transaction(id).Status)
		require.Equal(t, 1, l.Provider.Captures()[id]+backup.Captures()[id])
	}
	require.False(t, l.Breaker(l.Config.ID).Opened())
}
