package delivery_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/delivery"
	"perennial/db"
)

// A receiver that answers at once has attempts written ahead of their turn. During the deliveries its URL changes and
// the clock moves on: attempts written ahead are withdrawn without a trace and go to the new URL, and nothing is sent
// twice.
func TestDeliverDue_WithdrawsWhatItWroteAheadOfAChange(t *testing.T) {
	t.Parallel()
	receiver := &meddling{during: 55}
	p := newPost(t, receiver)
	ref := p.Endpoint(t, "https://example.com/", "plan.*")
	receiver.do = func() {
		p.change(t, ref, func(e *db.WebhookEndpoint) { e.URL = "https://new.example.com/" })
		p.Clock.Set(p.Clock.Now().Add(300 * time.Millisecond))
	}
	p.Announce(t, 300)

	for runs := 0; len(receiver.urls) < 300 && runs < 20; runs++ { // as the signal of the change has it
		p.due(t, ref, false)
		p.deliveries.Drain()
	}

	require.Len(t, receiver.urls, 300)
	old := 0
	for _, url := range receiver.urls[55:] {
		if url == "https://example.com/" {
			old++
		}
	}
	require.LessOrEqual(t, old, 50, "what was in flight, and what was written at the moment of the change")
	deliveries, attempts := p.log(t, ref)
	require.Len(t, deliveries, 300)
	for _, d := range deliveries {
		require.Equal(t, delivery.Succeeded, d.Status)
		require.Len(t, attempts[d.ID], 1)
		require.Equal(t, 1, attempts[d.ID][0].Number)
	}
}
