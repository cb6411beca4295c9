package retry_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/delivery"
	"perennial/internal/testkit/peercases"
	"perennial/webhooks"
)

// otherSuccess finds answers that the interface specification does not count as received.
func otherSuccess(c peercases.Case) bool {
	var in struct{ Status int }
	return json.Unmarshal(c.Input, &in) == nil && in.Status > 200 && in.Status < 300
}

// webhookResponse has the effects of a status.
type webhookResponse struct {
	Delivered bool
	Follow    *bool `json:"follow_redirect"`
	Disable   bool  `json:"disable_endpoint"` // changesEndpoint decides about it and about the next
	Throttle  bool
}

func changesEndpoint(c peercases.Case) bool {
	var want webhookResponse
	return json.Unmarshal(c.Expected, &want) == nil && (want.Disable || want.Throttle)
}

// checkWebhookSchedule lets all attempts of a delivery fail, under a policy with these gaps and no spread. The first
// attempt comes at once.
func checkWebhookSchedule(t *testing.T, in struct {
	Delays []int `json:"delays_seconds"`
}, want struct {
	Since []int `json:"since_start_seconds"`
},
) {
	require.Zero(t, in.Delays[0])
	var policy delivery.Policy
	for _, seconds := range in.Delays[1:] {
		policy.Gaps = append(policy.Gaps, time.Duration(seconds)*time.Second)
	}
	start := time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
	state, since := delivery.State{ID: "whd_1"}, []int{}
	for at := start; !at.IsZero(); {
		since = append(since, int(at.Sub(start)/time.Second))
		next := policy.Next(state, delivery.End{Outcome: delivery.OutcomeFailed, At: at})
		state.Attempts, at = next.Attempts, next.At
	}
	require.Equal(t, want.Since, since)
}

// checkWebhookResponse sends to a receiver that answers with the status, and points to another address.
func checkWebhookResponse(t *testing.T, in struct{ Status int }, want webhookResponse) {
	var followed atomic.Bool
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/elsewhere" {
			followed.Store(true)
		}
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(in.Status)
	}))
	t.Cleanup(receiver.Close)
	sender := webhooks.NewSender(webhooks.Options{
		Now: time.Now, Allow: webhooks.Allow{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")},
	})
	t.Cleanup(sender.Close)
	got := sender.Send(t.Context(), webhooks.Request{URL: receiver.URL, Body: []byte("{}")})
	require.Equal(t, in.Status, got.Status, got.Detail)
	require.Equal(t, want.Delivered, got.Delivered())
	if want.Follow != nil {
		require.Equal(t, *want.Follow, followed.Load())
	}
}
