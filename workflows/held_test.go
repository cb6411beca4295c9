package workflows_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/providers"
	"perennial/test/scene"
)

// A payment that no provider takes waits as a repeat of its activity: an outage, however long, costs no history.
func TestSubscription_WaitForAProviderCostsNoHistory(t *testing.T) {
	t.Parallel()
	r := onRealServer(t)
	r.Provider.Script = func(n int, _ providers.ChargeRequest) scene.Answer {
		if n <= 2 { // the second comes 10 s after the first
			return scene.Refuse
		}
		return scene.Capture
	}
	events := func() int {
		_, sub, _ := r.onClock(t, scene.Monthly(1000))
		require.Eventually(t, func() bool {
			var n int
			err := r.Pool.QueryRow(t.Context(), "select count(*) from invoices where subscription_id = $1 and status = 'paid'",
				sub.ID).Scan(&n)
			return err == nil && n == 1 && asleep(r.history(t, sub.ID, ""))
		}, 2*time.Minute, 50*time.Millisecond)
		return len(r.history(t, sub.ID, ""))
	}
	refused := events()
	require.Len(t, r.Provider.Calls(), 3)
	taken := events()
	require.Len(t, r.Provider.Calls(), 4)
	t.Logf("refused twice: %d events; taken at once: %d", refused, taken)
	require.LessOrEqual(t, refused, taken)
	r.RequireSound(t)
}
