package stripesim

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/stripe/stripe-go/v85/webhook"

	"perennial/providers/simulator/core"
)

// Stripe's own SDK verifies and reads the simulator's signed messages.
func TestCallback_VerifiedByOfficialSDK(t *testing.T) {
	t.Parallel()
	r := start(t, Config{}, func(c *core.Config) { c.Now = time.Now })
	messages := r.Inbox(t, "whsec_1", 0, "")
	pending := r.charge(t, "pm_sim_pending", "")
	r.charge(t, "pm_card_visa", "") // answered at once: no callback
	r.do(t, http.MethodPost, "/_simulator/payments/"+pending.id()+"/settle", "", `{"status":"succeeded"}`)
	m := <-messages
	event, err := webhook.ConstructEvent(m.Body, m.Header.Get("Stripe-Signature"), "whsec_1")
	require.NoError(t, err)
	require.EqualValues(t, "payment_intent.succeeded", event.Type)
	require.Equal(t, pending.id(), event.GetObjectValue("id"))
	require.Equal(t, "txn_1", event.GetObjectValue("metadata", "txn_id"))
	require.Empty(t, messages)
}

func TestCallback_RepeatedAndForEverything(t *testing.T) {
	t.Parallel()
	r := fresh(t)
	messages := r.Inbox(t, "whsec_1", 0, `,"copies":2,"synchronous":true,"delay":"1ms"`)
	r.charge(t, "pm_card_visa", "")
	times := map[string]int{}
	for range 6 {
		m := <-messages
		times[string(m.Body)]++
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

// Actions at the dashboard and at the payer's bank appear only in callbacks, and are in the ledger.
func TestDashboard_RefundsAndDisputes(t *testing.T) {
	t.Parallel()
	r := fresh(t)
	messages := r.Inbox(t, "whsec_1", 0, "")
	paid := r.charge(t, "pm_card_visa", "")
	steer := func(path, body string) reply { return r.do(t, http.MethodPost, "/_simulator/"+path, "", body) }
	require.Equal(t, 409, steer("payments/pi_unknown/refund", `{}`).Status)
	require.Equal(t, 409, steer("payments/"+paid.id()+"/refund", `{"amount":99999999}`).Status)
	require.Equal(t, 400, steer("payments/"+paid.id()+"/dispute", `{"amount":-1}`).Status)
	require.Equal(t, 200, steer("payments/"+paid.id()+"/refund", `{"amount":100}`).Status)
	dispute := steer("payments/"+paid.id()+"/dispute", `{"amount":200}`)
	require.Equal(t, 400, steer("disputes/"+dispute.id()+"/close", `{"status":"settled"}`).Status)
	require.Equal(t, 200, steer("disputes/"+dispute.id()+"/close", `{"status":"won"}`).Status)
	require.Equal(t, 409, steer("disputes/"+dispute.id()+"/close", `{"status":"lost"}`).Status, "decided")

	var types []string
	for range 6 {
		var e struct{ Type string }
		require.NoError(t, json.Unmarshal((<-messages).Body, &e))
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
	messages := r.Inbox(t, "whsec_1", 1, "")
	charge := r.charge(t, "pm_card_pendingRefund", "")
	refund := r.do(t, http.MethodPost, "/v1/refunds", "", "payment_intent="+charge.id())
	r.do(t, http.MethodPost, "/_simulator/refunds/"+refund.id()+"/settle", "", `{"status":"failed"}`)
	require.Contains(t, string((<-messages).Body), "refund.failed")
	require.Eventually(t, func() bool {
		return strings.Count(r.Control(t, http.MethodGet, "callbacks", "").Raw, `"status":`) == 2
	}, 30*time.Second, 5*time.Millisecond)
	require.Contains(t, r.Control(t, http.MethodGet, "callbacks", "").Raw, `"status":503`)
	require.Contains(t, r.do(t, http.MethodGet, "/_simulator/callbacks", "", "").Raw, "refund.failed")
}

func TestCallback_OnRequest(t *testing.T) {
	t.Parallel()
	r := fresh(t)
	send := func(body string) int { return r.do(t, http.MethodPost, "/_simulator/callbacks", "", body).Status }
	require.Equal(t, 400, send(`{"object":"pi_1","type":"payment_intent.succeeded"}`), "nowhere to send it")
	messages := r.Inbox(t, "whsec_1", 0, "")
	paid := r.charge(t, "pm_card_visa", "")
	require.Equal(t, 400, send(`{"object":"pi_unknown","type":"payment_intent.succeeded"}`))
	require.Equal(t, 200,
		send(`{"object":"`+paid.id()+`","type":"payment_intent.processing","copies":2,"secret":"whsec_other"}`))
	for range 2 {
		m := <-messages
		require.Equal(t, Sign(m.Body, "whsec_other", r.Clock.Now()), m.Header.Get("Stripe-Signature"))
	}
	for _, bad := range []string{`{"url":"ftp://x"}`, `{"url":"x"}`, `{"delay":"soon"}`} {
		require.Equal(t, 400, r.do(t, http.MethodPut, "/_simulator/callbacks", "", bad).Status, bad)
	}
}
