package activities_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/payment"
	"perennial/providers"
	"perennial/test/scene"
)

// A charge that was left unanswered for long is asked about once an hour. PostgreSQL is restarted each time shortly before
// that. No question is asked then, since look-ups lag, so that no check counts: the charge waits for the lag, and not for
// another hour. Nothing is said of a restore, which a mere restart is not.
func TestSearch_RestartsCostNoCheck(t *testing.T) {
	t.Parallel()
	for name, sent := range map[string]bool{"sent before": true, "not sent yet": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := begin(t, scene.New(t), scene.Monthly(1000))
			l.Provider.Script = always(scene.Lose)
			if !sent {
				l.Provider.Script = always(scene.Refuse)
			}
			l.until(scene.Start.AddDate(0, 1, 0))
			txn := l.last()
			require.Equal(t, sent, txn.EverSent())
			_, err := l.Pool.Exec(t.Context(), "update transactions set checks = 8 where id = $1", txn.ID)
			require.NoError(t, err)
			asked := len(l.Provider.Calls())
			for range 5 {
				l.restores()
				l.check(txn.ID)
				require.Equal(t, 8, l.last().Checks)
				require.Equal(t, l.Clock.Now().Add(time.Minute), l.last().NextCheckAt)
				require.NotContains(t, l.last().FailureReason, "database was restored")
				require.Contains(t, l.last().FailureReason, "PostgreSQL was restarted, or restored")
			}
			require.Len(t, l.Provider.Calls(), asked)

			l.Provider.Script = nil
			l.until(l.Clock.Now().Add(2 * time.Minute))
			require.Equal(t, payment.Success, l.last().Status)
			require.Equal(t, 1, l.Provider.Captures()[txn.ID])
			l.sound()
		})
	}
}

// Another account does not answer after a restart: a charge that was sent before waits for it for a quarter of an hour at
// most, since no recovery of that account wakes it.
func TestSearch_OfASentChargeIsRepeatedSoon(t *testing.T) {
	t.Parallel()
	l, backup, _ := renewing(t)
	l.Provider.Script = always(scene.Lose)
	l.check(l.last().ID)
	txn := l.last()
	require.True(t, txn.EverSent())
	_, err := l.Pool.Exec(t.Context(), "update transactions set checks = 12 where id = $1", txn.ID)
	require.NoError(t, err)
	l.restores()
	backup.LookupScript = func(providers.LookupRequest) (providers.Outcome, bool) { return providers.Unknown, true }
	l.until(l.Clock.Now().Add(time.Hour))
	require.Equal(t, payment.Pending, l.last().Status)
	require.LessOrEqual(t, l.last().NextCheckAt.Sub(l.Clock.Now()), 15*time.Minute)
}
