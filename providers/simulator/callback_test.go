package simulator

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/stripe/stripe-go/v85/webhook"
)

type message struct {
	header http.Header
	body   []byte
}

// inbox receives callbacks, refusing the first few.
func inbox(t *testing.T, refuse int) (url string, messages chan message) {
	t.Helper()
	messages = make(chan message, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // a torn body fails verification below
		if refuse > 0 {
			refuse--
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		messages <- message{r.Header, body}
	}))
	t.Cleanup(server.Close)
	return server.URL, messages
}

func (r *rig) sendTo(t *testing.T, url, more string) {
	t.Helper()
	got := r.do(t, http.MethodPut, "/_simulator/callbacks", "", `{"url":"`+url+`","secret":"whsec_1"`+more+`}`)
	require.Equal(t, 200, got.status, got.raw)
}

// Stripe's own SDK verifies and reads what the simulator signs.
func TestCallback_VerifiedByOfficialSDK(t *testing.T) {
	t.Parallel()
	r := start(t, t.TempDir()+"/ledger.jsonl", func(c *Config) { c.Now = time.Now })
	url, messages := inbox(t, 0)
	r.sendTo(t, url, "")
	pending := r.charge(t, "pm_sim_pending", "")
	r.charge(t, "pm_card_visa", "") // answered at once: no callback
	r.do(t, http.MethodPost, "/_simulator/payment_intents/"+pending.id()+"/settle", "", `{"status":"succeeded"}`)
	m := <-messages
	event, err := webhook.ConstructEvent(m.body, m.header.Get("Stripe-Signature"), "whsec_1")
	require.NoError(t, err)
	require.EqualValues(t, "payment_intent.succeeded", event.Type)
	require.Equal(t, pending.id(), event.GetObjectValue("id"))
	require.Equal(t, "txn_1", event.GetObjectValue("metadata", "txn_id"))
	require.Empty(t, messages)
}

func TestCallback_RepeatedAndForEverything(t *testing.T) {
	t.Parallel()
	r := fresh(t)
	url, messages := inbox(t, 0)
	r.sendTo(t, url, `,"copies":2,"synchronous":true,"delay":"1ms"`)
	r.charge(t, "pm_card_visa", "")
	times := map[string]int{}
	for range 6 {
		m := <-messages
		times[string(m.body)]++
	}
	var types []string
	for body, n := range times {
		require.Equal(t, 2, n, "the same twice")
		var e struct{ Type string }
		require.NoError(t, json.Unmarshal([]byte(body), &e))
		types = append(types, e.Type)
	}
	require.ElementsMatch(t, []string{"payment_intent.created", "charge.succeeded", "payment_intent.succeeded"}, types)
}

// What happens at the dashboard and at the payer's bank is told by callbacks only, and is in the ledger.
func TestDashboard_RefundsAndDisputes(t *testing.T) {
	t.Parallel()
	r := fresh(t)
	url, messages := inbox(t, 0)
	r.sendTo(t, url, "")
	paid := r.charge(t, "pm_card_visa", "")
	steer := func(path, body string) reply { return r.do(t, http.MethodPost, "/_simulator/"+path, "", body) }
	require.Equal(t, 409, steer("payment_intents/pi_unknown/refund", `{}`).status)
	require.Equal(t, 409, steer("payment_intents/"+paid.id()+"/refund", `{"amount":99999999}`).status)
	require.Equal(t, 400, steer("payment_intents/"+paid.id()+"/dispute", `{"amount":-1}`).status)
	require.Equal(t, 200, steer("payment_intents/"+paid.id()+"/refund", `{"amount":100}`).status)
	dispute := steer("payment_intents/"+paid.id()+"/dispute", `{"amount":200}`)
	require.Equal(t, 400, steer("disputes/"+dispute.id()+"/close", `{"status":"settled"}`).status)
	require.Equal(t, 200, steer("disputes/"+dispute.id()+"/close", `{"status":"won"}`).status)
	require.Equal(t, 409, steer("disputes/"+dispute.id()+"/close", `{"status":"lost"}`).status, "decided")

	var types []string
	for range 6 {
		var e struct{ Type string }
		require.NoError(t, json.Unmarshal((<-messages).body, &e))
		types = append(types, e.Type)
	}
	require.ElementsMatch(t, []string{
		"refund.created", "charge.refunded", "charge.dispute.created", "charge.dispute.funds_withdrawn",
		"charge.dispute.closed",
		"charge.dispute.funds_reinstated",
	}, types)
	var moved []string
	for _, m := range r.Ledger() {
		moved = append(moved, m.Kind)
	}
	require.Equal(t, []string{"capture", "refund", "dispute_withdrawn", "dispute_reinstated"}, moved)
}

func TestCallback_RepeatedUntilAccepted(t *testing.T) {
	t.Parallel()
	r := fresh(t)
	url, messages := inbox(t, 1)
	r.sendTo(t, url, "")
	charge := r.charge(t, "pm_card_pendingRefund", "")
	refund := r.do(t, http.MethodPost, "/v1/refunds", "", "payment_intent="+charge.id())
	r.do(t, http.MethodPost, "/_simulator/refunds/"+refund.id()+"/settle", "", `{"status":"failed"}`)
	require.Contains(t, string((<-messages).body), "refund.failed")
	require.Eventually(t, func() bool { return len(r.sender.log()) == 2 }, 30*time.Second, time.Millisecond)
	require.Equal(t, http.StatusServiceUnavailable, r.sender.log()[0].Status)
	require.Contains(t, r.do(t, http.MethodGet, "/_simulator/callbacks", "", "").raw, "refund.failed")
}

func TestCallback_OnRequest(t *testing.T) {
	t.Parallel()
	r := fresh(t)
	send := func(body string) int { return r.do(t, http.MethodPost, "/_simulator/callbacks", "", body).status }
	require.Equal(t, 400, send(`{"object":"pi_1","type":"payment_intent.succeeded"}`), "nowhere to send it")
	url, messages := inbox(t, 0)
	r.sendTo(t, url, "")
	paid := r.charge(t, "pm_card_visa", "")
	require.Equal(t, 400, send(`{"object":"pi_unknown","type":"payment_intent.succeeded"}`))
	require.Equal(t, 400, send(`{"object":"`+paid.id()+`"}`))
	require.Equal(t, 200,
		send(`{"object":"`+paid.id()+`","type":"payment_intent.processing","copies":2,"secret":"whsec_other"}`))
	for range 2 {
		m := <-messages
		require.Equal(t, Sign(m.body, "whsec_other", r.clock.now()), m.header.Get("Stripe-Signature"))
	}
	for _, bad := range []string{`{"url":"ftp://x"}`, `{"url":"x"}`, `{"delay":"soon"}`} {
		require.Equal(t, 400, r.do(t, http.MethodPut, "/_simulator/callbacks", "", bad).status, bad)
	}
}
