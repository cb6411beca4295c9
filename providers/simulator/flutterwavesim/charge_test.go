package flutterwavesim

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/providers/simulator/core"
)

func TestToken(t *testing.T) {
	t.Parallel()
	r := start(t, t.TempDir()+"/ledger.jsonl", Config{Clients: map[string]string{"client-1": "secret-1"}})
	require.Equal(t, http.StatusOK, r.do(t, http.MethodGet, "/customers?page=1", "", "").Status)
	for _, bad := range [][2]string{{"client-1", "other"}, {"client-2", "secret-1"}, {"", ""}} {
		got := r.askToken(t, bad[0], bad[1])
		require.Equal(t, http.StatusUnauthorized, got.Status)
		require.Equal(t, "invalid_client", got.Text("error"))
	}
	old := r.token
	r.Clock.Advance(3 * time.Minute)
	r.token = r.askToken(t, "client-1", "secret-1").Text("access_token")
	require.Equal(t, http.StatusOK, r.do(t, http.MethodGet, "/customers", "", "").Status)
	r.token = old
	got := r.do(t, http.MethodGet, "/customers", "", "")
	require.Equal(t, http.StatusUnauthorized, got.Status)
	require.Equal(t, "10401", got.Text("error", "code"))
}

func TestCard(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		token, scenario, status, processor, next string
		http                                     int
	}{
		{"pmd_card_visa", "", succeeded, "approved", "", 201},
		{"pmd_card_insufficient_funds", "", statusFailed, "insufficient_funds", "", 201},
		{"pmd_card_visa", "issuer:expired_card", statusFailed, "expired_card", "", 201},
		{"pmd_card_visa", "scenario:auth_pin&issuer:approved", pending, "pending", "requires_pin", 201},
		{"pmd_card_visa", "scenario:auth_3ds", pending, "pending", "redirect_url", 201},
		{"pmd_sim_pending", "", pending, "pending", "", 201},
		{"pmd_sim_requires_otp", "", pending, "pending", "requires_otp", 201},
		{"pmd_sim_refuse", "", "", "", "", 429},
		{"pmd_sim_500_captured", "", "", "", "", 500},
		{"pmd_nobody", "", "", "", "", 404},
	} {
		r := fresh(t)
		got := r.card(t, c.token, "key000000001", "X-Scenario-Key", c.scenario)
		require.Equal(t, c.http, got.Status, c.token)
		require.Equal(t, c.status, got.Text("data", "status"), c.token)
		require.Equal(t, c.processor, got.Text("data", "processor_response", "type"), c.token)
		require.Equal(t, c.next, got.Text("data", "next_action", "type"), c.token)
		want := 0
		if c.status == succeeded || c.token == "pmd_sim_500_captured" {
			want = 1
		}
		require.Equal(t, want, r.captures(), c.token)
	}
}

func TestCard_Books(t *testing.T) {
	t.Parallel()
	r := fresh(t)
	id := r.card(t, "pmd_card_visa", "key000000001").Text("data", "id")
	m := r.Moved(core.Capture)[0]
	m.At = time.Time{}
	require.Equal(t, core.Movement{
		Provider: "flutterwave", Kind: core.Capture, TransactionID: "txn_1", Charge: id, Amount: 1999, WireAmount: "19.99",
		Currency: "USD", Customer: "cus_1", Invoice: "in_7", Key: "key000000001",
	}, m)
}

func TestKeys(t *testing.T) {
	t.Parallel()
	r := fresh(t)
	first := r.card(t, "pmd_card_visa", "key000000001")
	require.Empty(t, first.Header.Get("X-Idempotency-Cache-Hit"))
	again := r.card(t, "pmd_card_mastercard", "key000000001")
	require.Equal(t, "true", again.Header.Get("X-Idempotency-Cache-Hit"), "whatever the request says now")
	require.Equal(t, first.Raw, again.Raw)
	require.Equal(t, 1, r.captures())
	for _, key := range []string{"key-00000001", "short"} {
		require.Equal(t, http.StatusBadRequest, r.card(t, "pmd_card_visa", key).Status)
	}
	r.Clock.Advance(25 * time.Hour)
	r.token = r.askToken(t, "c", "s").Text("access_token")
	require.NotEqual(t, first.Text("data", "id"), r.card(t, "pmd_card_visa", "key000000001").Text("data", "id"))
	require.Equal(t, 2, r.captures(), "a forgotten key charges again")
}

func TestPrompt(t *testing.T) {
	t.Parallel()
	for number, c := range map[string]struct{ status, processor string }{
		"241234789": {succeeded, "approved"}, "241234019": {statusFailed, "exceeds_withdrawal_limit"},
		"241234029": {statusFailed, "unable_to_locate_record_in_file"}, "241234039": {statusFailed, "do_not_honor"},
		"241234049": {statusFailed, "insufficient_funds"}, "241234069": {statusFailed, "system_error"},
		"241234129": {pending, "pending"}, "241234567": {succeeded, "approved"},
	} {
		r := fresh(t)
		got := r.prompt(t, number, "key000000001")
		require.Equal(t, http.StatusCreated, got.Status, got.Raw)
		require.Equal(t, pending, got.Text("data", "status"))
		require.Equal(t, "payment_instruction", got.Text("data", "next_action", "type"))
		require.Zero(t, r.captures())
		r.Clock.Advance(2 * time.Second)
		end := r.charge(t, got.Text("data", "id"))
		require.Equal(t, c.status, end.Text("data", "status"), number)
		require.Equal(t, c.processor, end.Text("data", "processor_response", "type"), number)
	}
	r := fresh(t)
	got := r.prompt(t, "241234789", "key000000001", "X-Scenario-Key", "scenario:auth_redirect")
	require.Equal(t, "redirect_url", got.Text("data", "next_action", "type"))
}

func TestPrompt_Refuses(t *testing.T) {
	t.Parallel()
	r := fresh(t)
	for name, body := range map[string]string{
		"country":       prompt("49", "MTN", "15112345678", "EUR", "key000000001"),
		"network":       prompt("233", "TELEKOM", "241234567", "GHS", "key000000001"),
		"currency":      prompt("233", "MTN", "241234567", "USD", "key000000001"),
		"number":        prompt("233", "MTN", "24x", "GHS", "key000000001"),
		"reference":     prompt("233", "MTN", "241234567", "GHS", ""),
		"unknown field": `{"amount":1,"surprise":true}`,
		"no JSON":       `amount=1`,
	} {
		got := r.do(t, http.MethodPost, "/orchestration/direct-charges", "key000000001", body)
		if name == "reference" {
			got = r.do(t, http.MethodPost, "/orchestration/direct-charges", "", `{"amount":1,"currency":"GHS","reference":"r"}`)
		}
		require.Equal(t, http.StatusBadRequest, got.Status, name)
		require.Equal(t, "10400", got.Text("error", "code"), name)
	}
	require.Equal(t, http.StatusNotFound, r.do(t, http.MethodGet, "/charge", "", "").Status)
	require.Contains(t, r.do(t, http.MethodGet, "/mobile-networks?country=GH", "", "").Raw, "MTN")
}

func TestRestart(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/ledger.jsonl"
	r := start(t, path, Config{})
	id := r.prompt(t, "241234789", "key000000001").Text("data", "id")
	paid := r.card(t, "pmd_card_visa", "key000000002").Text("data", "id")
	back := r.refund(t, paid, "5", "key000000003").Text("data", "id")
	r.Stop()
	r = start(t, path, Config{})
	r.Clock.Advance(2 * time.Second)
	require.Equal(t, succeeded, r.charge(t, id).Text("data", "status"), "what was promised happens")
	require.Equal(t, paid, r.card(t, "pmd_card_visa", "key000000002").Text("data", "id"), "keys are remembered")
	require.Equal(t, succeeded, r.do(t, http.MethodGet, "/refunds/"+back, "", "").Text("data", "status"))
	require.Equal(t, 2, r.captures())
}
