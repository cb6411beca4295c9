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

// The provider says that it did not take a refund, and did: the next send has the same key while the provider remembers
// it, and later the refund is looked up. It is never made under another key.
func TestRefund_DeniedButTaken(t *testing.T) {
	t.Parallel()
	for name, wait := range map[string]time.Duration{"at once": time.Minute,
		"after the window": scene.Window + time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := life.Begin(t, scene.New(t), scene.Monthly(1000))
			taken := 0
			l.Provider.RefundScript = func(int, providers.RefundRequest) scene.Answer {
				taken++ // keys that it does not know
				return scene.Deny
			}
			l.Clock.Set(scene.Start.Add(10 * life.Day))
			l.Perform(life.CancelNow("prorated"))
			refund := l.Refunds()[0]
			require.Equal(t, payment.Pending, refund.Status)
			require.True(t, refund.EverSent())
			l.Clock.Add(wait)
			l.Check(refund.ID)
			require.Equal(t, payment.Refunded, l.Transaction(refund.ID).Status)
			require.Equal(t, 1, taken)
			require.Len(t, l.Sends(refund.ID), 1)
			l.Sound()
		})
	}
}

// A refund that was denied and not taken goes through under its key; one that did not arrive may get another key.
func TestRefund_DeniedAndNotTaken(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer scene.Answer
		sends  int
	}{"denied": {scene.Unauthorized, 1}, "no connection": {scene.Refuse, 2}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := life.Begin(t, scene.New(t), scene.Monthly(1000))
			l.Provider.RefundScript = func(n int, _ providers.RefundRequest) scene.Answer {
				if n == 1 {
					return c.answer
				}
				return scene.Capture
			}
			l.Clock.Set(scene.Start.Add(10 * life.Day))
			l.Perform(life.CancelNow("prorated"))
			refund := l.Refunds()[0]
			require.Equal(t, payment.Pending, refund.Status)
			l.Clock.Add(time.Minute)
			l.Check(refund.ID)
			require.Equal(t, payment.Refunded, l.Transaction(refund.ID).Status)
			require.Len(t, l.Sends(refund.ID), c.sends)
			l.Sound()
		})
	}
}
