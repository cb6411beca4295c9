package charging_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/payment"
	"perennial/providers"
	"perennial/test/life"
	"perennial/test/scene"
)

// A charge that was left unanswered for long is asked about once an hour. PostgreSQL is restarted each time shortly
// before that. No question is asked then, since look-ups lag, so that no check counts: the charge waits for the lag,
// and not for another hour. Nothing is said of a restore, which a mere restart is not.
func TestSearch_RestartsCostNoCheck(t *testing.T) {
	t.Parallel()
	for name, sent := range map[string]bool{"sent before": true, "not sent yet": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := life.Begin(t, scene.New(t), scene.Monthly(1000))
			l.Provider.Script = life.Always(scene.Lose)
			if !sent {
				l.Provider.Script = life.Always(scene.Refuse)
			}
			l.Until(scene.Start.AddDate(0, 1, 0))
			txn := l.Last()
			require.Equal(t, sent, txn.EverSent())
			_, err := l.Pool.Exec(t.Context(), "update transactions set checks = 8 where id = $1", txn.ID)
			require.NoError(t, err)
			asked := len(l.Provider.Calls())
			for range 5 {
				l.Restore()
				l.Check(txn.ID)
				require.Equal(t, 8, l.Last().Checks)
				require.Equal(t, l.Clock.Now().Add(time.Minute), l.Last().NextCheckAt)
				require.NotContains(t, l.Last().FailureReason, "database was restored")
				require.Contains(t, l.Last().FailureReason, "PostgreSQL was restarted, or restored")
			}
			require.Len(t, l.Provider.Calls(), asked)

			l.Provider.Script = nil
			l.Until(l.Clock.Now().Add(2 * time.Minute))
			require.Equal(t, payment.Success, l.Last().Status)
			require.Equal(t, 1, l.Provider.Captures()[txn.ID])
			l.Sound()
		})
	}
}

// Another account does not answer after a restart: a charge that was sent before waits for it for a quarter of an hour
// at most, since no recovery of that account wakes it.
func TestSearch_OfASentChargeIsRepeatedSoon(t *testing.T) {
	t.Parallel()
	l, backup, _ := renewing(t)
	l.Provider.Script = life.Always(scene.Lose)
	l.Check(l.Last().ID)
	txn := l.Last()
	require.True(t, txn.EverSent())
	_, err := l.Pool.Exec(t.Context(), "update transactions set checks = 12 where id = $1", txn.ID)
	require.NoError(t, err)
	l.Restore()
	backup.LookupScript = func(providers.LookupRequest) (providers.Outcome, bool) { return providers.Unknown, true }
	l.Until(l.Clock.Now().Add(time.Hour))
	require.Equal(t, payment.Pending, l.Last().Status)
	require.LessOrEqual(t, l.Last().NextCheckAt.Sub(l.Clock.Now()), 15*time.Minute)
}
