package subscribing

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/subscription"
)

// The end of the time to pay waits for no payer. After an outage it moves once, for the answer to a payment in progress.
func TestExpireIncomplete_AfterAnOutage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		attempted bool
		late      time.Duration
		moves     bool
	}{
		"on time, a payment in progress":  {true, 0, false},
		"some minutes late":               {true, 5 * time.Minute, false},
		"late, a payment in progress":     {true, 5*time.Minute + time.Second, true},
		"late, without a payment":         {false, 24 * time.Hour, false},
		"a day late, payment in progress": {true, 24 * time.Hour, true},
	} {
		s, f, _ := inStatus(subscription.Incomplete)
		now := s.IncompleteUntil.Add(c.late)

		d, err := With(s, f).ExpireIncomplete(c.attempted, now)

		require.NoError(t, err, name)
		if !c.moves {
			require.Equal(t, subscription.Canceled, d.Subscription.Status, name)
			continue
		}
		require.Equal(t, subscription.Incomplete, d.Subscription.Status, name)
		require.Equal(t, now.Add(15*time.Minute), d.Subscription.IncompleteUntil, name)
		d, err = With(d.Subscription, f).ExpireIncomplete(true, d.Subscription.IncompleteUntil)
		require.NoError(t, err, name)
		require.Equal(t, subscription.Canceled, d.Subscription.Status, name)
	}
}
