package charging_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/payment"
	"perennial/providers"
	"perennial/test/scene"
)

// The payer changed the card, was charged, and a restore lost both: the renewal is sent again under the same key, with
// the old card. The result of the first use of the key is found and booked.
func TestCharge_KeyReusedIsLookedUp(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		hidden int // how many look-ups the provider's index lags behind
		calls  []string
		status payment.Status
	}{
		"found at once": {0, []string{"charge", "lookup"}, payment.Success},
		"found later":   {2, []string{"charge", "lookup", "charge", "lookup", "charge", "lookup"}, payment.Success},
		"not found in an hour": { // each look-up is followed by the repeat: now, 2 and 15 minutes later, and after the hour
			1000, []string{
				"charge", "lookup", "charge", "lookup", "charge", "lookup", "charge", "lookup", "charge",
			}, payment.Pending,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, w := watched(t)
			l.Provider.Script = func(int, providers.ChargeRequest) scene.Answer { return scene.Reused }
			looked := 0
			l.Provider.LookupScript = func(providers.LookupRequest) (providers.Outcome, bool) {
				looked++
				return providers.NotFound, looked <= c.hidden
			}
			before := len(l.Provider.Calls())
			renewal := scene.Start.AddDate(0, 1, 0)
			l.Until(renewal.Add(3 * time.Hour))
			txn := l.Last()
			require.Equal(t, c.status, txn.Status)
			var calls []string
			for _, call := range l.Provider.Calls()[before:] {
				calls = append(calls, call.Operation)
			}
			require.Equal(t, c.calls, calls)
			require.Equal(t, 1, l.Provider.Captures()[txn.ID])
			if c.status == payment.Success {
				require.Empty(t, w.reviews)
				require.Empty(t, txn.FailureReason)
				return
			}
			require.Len(t, w.reviews, 1)
			require.Equal(t, "provider_key_reused", w.reviews[0].Reason)
			require.Empty(t, w.reviews[0].ProviderRef)
			require.NotEmpty(t, w.reviews[0].Key, "with nothing else the operator finds the first request")
		})
	}
}
