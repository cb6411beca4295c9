package core_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/stripe/stripe-go/v85/webhook"

	"perennial/providers/simulator/core"
	"perennial/providers/simulator/simtest"
)

func briefly(c *core.Config) { c.Now, c.HangFor = time.Now, 20*time.Millisecond }

// settled has a payment succeed, which sends one message.
func (r rig) settled(t *testing.T) string {
	t.Helper()
	pending := r.charge(t, "pm_sim_pending", "")
	got := r.Control(t, http.MethodPost, "payments/"+pending.id()+"/settle", `{"status":"succeeded"}`)
	require.Equal(t, 200, got.Status, got.Raw)
	return pending.id()
}

func verify(m simtest.Message) error {
	_, err := webhook.ConstructEvent(m.Body, m.Header.Get("Stripe-Signature"), "whsec_1")
	return err
}

func TestCallbackFault_FalseMessages(t *testing.T) {
	t.Parallel()
	for kind, genuine := range map[string]bool{
		"forged": false, "stale": false, "wrong_amount": true, "unknown_reference": true,
	} {
		r := start(t, t.TempDir()+"/ledger.jsonl", briefly)
		inbox := r.Inbox(t, "whsec_1", 0, "")
		require.Equal(t, 200, r.fault(t, `{"callback":"`+kind+`"}`))
		id := r.settled(t)
		m := <-inbox
		require.Equal(t, genuine, verify(m) == nil, kind)
		require.Equal(t, kind != "unknown_reference", strings.Contains(string(m.Body), id), kind)
		require.Equal(t, kind != "wrong_amount", strings.Contains(string(m.Body), `"amount":1999`), kind)
		r.settled(t)
		require.NoError(t, verify(<-inbox), "the next one is true again")
	}
}

func TestCallbackFault_DroppedAndRepeated(t *testing.T) {
	t.Parallel()
	r := start(t, t.TempDir()+"/ledger.jsonl", briefly)
	inbox := r.Inbox(t, "whsec_1", 0, "")
	require.Equal(t, 200, r.fault(t, `{"callback":"drop","type":"payment_intent.succeeded"}`))
	r.settled(t)
	require.Equal(t, 200, r.fault(t, `{"callback":"duplicate"}`))
	id := r.settled(t)
	first, second := <-inbox, <-inbox
	require.Contains(t, string(first.Body), id, "what was dropped never comes")
	require.Equal(t, string(first.Body), string(second.Body))
	require.Contains(t, r.Control(t, http.MethodGet, "callbacks", "").Raw, `"fault":"drop"`)
}

func TestCallbackFault_Order(t *testing.T) {
	t.Parallel()
	r := start(t, t.TempDir()+"/ledger.jsonl", briefly)
	inbox := r.Inbox(t, "whsec_1", 0, "")
	require.Equal(t, 200, r.fault(t, `{"callback":"reorder","delay":"1h"}`))
	late := r.settled(t)
	early := r.settled(t)
	require.Contains(t, string((<-inbox).Body), early)
	require.Contains(t, string((<-inbox).Body), late)

	require.Equal(t, 200, r.fault(t, `{"callback":"late","delay":"150ms"}`))
	began := time.Now()
	r.settled(t)
	<-inbox
	require.GreaterOrEqual(t, time.Since(began), 140*time.Millisecond)
	require.Equal(t, 200, r.fault(t, `{"callback":"reorder","delay":"10ms"}`))
	alone := r.settled(t)
	require.Contains(t, string((<-inbox).Body), alone, "the last message does not wait for ever")
}
