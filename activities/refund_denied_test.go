package activities_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/payment"
	"perennial/providers"
	"perennial/test/scene"
)

// The provider says that it did not take a refund, and did: the next send has the same key while the provider remembers
// it, and later the refund is looked up. It is never made under another key.
func TestRefund_DeniedButTaken(t *testing.T) {
	t.Parallel()
	for name, wait := range map[string]time.Duration{"at once": time.Minute, "after the window": scene.Window + time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := begin(t, scene.New(t), scene.Monthly(1000))
			taken := 0
			l.Provider.RefundScript = func(int, providers.RefundRequest) scene.Answer {
				taken++ // keys that it does not know
				return scene.Deny
			}
			l.Clock.Set(scene.Start.Add(10 * day))
			l.perform(cancelNow("prorated"))
			refund := l.refunds()[0]
			require.Equal(t, payment.Pending, refund.Status)
			require.True(t, refund.EverSent())
			l.Clock.Add(wait)
			l.check(refund.ID)
			require.Equal(t, payment.Refunded, l.now(refund.ID).Status)
			require.Equal(t, 1, taken)
			require.Len(t, l.sends(refund.ID), 1)
			l.sound()
		})
	}
}

// A refund that was denied and not taken goes through under its key; one that did not even arrive may have another.
func TestRefund_DeniedAndNotTaken(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer scene.Answer
		sends  int
	}{"denied": {scene.Unauthorized, 1}, "no connection": {scene.Refuse, 2}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := begin(t, scene.New(t), scene.Monthly(1000))
			l.Provider.RefundScript = func(n int, _ providers.RefundRequest) scene.Answer {
				if n == 1 {
					return c.answer
				}
				return scene.Capture
			}
			l.Clock.Set(scene.Start.Add(10 * day))
			l.perform(cancelNow("prorated"))
			refund := l.refunds()[0]
			require.Equal(t, payment.Pending, refund.Status)
			l.Clock.Add(time.Minute)
			l.check(refund.ID)
			require.Equal(t, payment.Refunded, l.now(refund.ID).Status)
			require.Len(t, l.sends(refund.ID), c.sends)
			l.sound()
		})
	}
}
