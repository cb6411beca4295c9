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

// consequence has the effects of a status on other deliveries to the endpoint.
type consequence struct {
	Delivered bool
	Throttle  bool
	Disable   bool `json:"disable_endpoint"`
}

// TestPeerCasesOfEndpoints checks the cases of dunning and deliveries that billing/retry leaves to it.
func TestPeerCasesOfEndpoints(t *testing.T) {
	t.Parallel()
	peercases.Suite{
		Category: "g_dunning",
		Part:     true,
		Readers:  map[string]peercases.Reader{"webhook_response": peercases.NewReader(checkConsequence)},
		Excluded: []peercases.Exclusion{{When: changesNothing, Reason: "billing/retry checks or excludes it"}},
	}.Run(t)
}

func changesNothing(c peercases.Case) bool {
	var want consequence
	return c.Kind != "webhook_response" || json.Unmarshal(c.Expected, &want) != nil || !want.Throttle && !want.Disable
}

// checkConsequence ends an attempt with the status while as many are sent to the endpoint at a time as can be.
func checkConsequence(t *testing.T, in struct{ Status int }, want consequence) {
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
	if want.Throttle {
		require.Less(t, r.window, endpointInFlight)
	}
	_, _, disable := r.judge()
	require.Equal(t, want.Disable, disable != "", disable)
}
