package delivery

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/internal/testkit/peercases"
	"perennial/webhooks"
)

// throttling is what a status means for what else is sent to the endpoint.
type throttling struct {
	Delivered bool
	Throttle  bool
}

// TestPeerCasesOfThrottling checks the cases of dunning and deliveries that billing/retry leaves to it.
func TestPeerCasesOfThrottling(t *testing.T) {
	t.Parallel()
	peercases.Suite{
		Category: "g_dunning",
		Part:     true,
		Readers:  map[string]peercases.Reader{"webhook_response": peercases.NewReader(checkThrottling)},
		Excluded: []peercases.Exclusion{{When: slowsNothing, Reason: "billing/retry checks or excludes it"}},
	}.Run(t)
}

func slowsNothing(c peercases.Case) bool {
	var want throttling
	return c.Kind != "webhook_response" || json.Unmarshal(c.Expected, &want) != nil || !want.Throttle
}

// checkThrottling ends an attempt with the status while as many are sent to the endpoint at a time as can be.
func checkThrottling(t *testing.T, in struct{ Status int }, want throttling) {
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(in.Status)
	}))
	t.Cleanup(receiver.Close)
	sender := webhooks.NewSender(webhooks.Options{
		Now: time.Now, Allow: webhooks.Allow{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")},
	})
	t.Cleanup(sender.Close)
	end := answered{result: sender.Send(t.Context(), webhooks.Request{URL: receiver.URL, Body: []byte("{}")})}
	require.Equal(t, want.Delivered, end.result.Delivered())

	r := run{Deliveries: &Deliveries{}, window: endpointInFlight, posting: 1, flying: map[string]attempt{}}
	r.landed(end)
	require.Equal(t, want.Throttle, r.window < endpointInFlight, "%d attempts at a time", r.window)
}
