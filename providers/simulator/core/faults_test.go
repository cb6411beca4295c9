package core_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func (r rig) fault(t *testing.T, body string) int {
	t.Helper()
	return r.Control(t, http.MethodPost, "faults", body).Status
}

// attempt is a charge that may find no answer.
func (r rig) attempt(t *testing.T, key string) (status int, body map[string]any, err error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.URL+"/v1/payment_intents",
		strings.NewReader(chargeForm("pm_card_visa").Encode()))
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer sk_test_1")
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Idempotency-Key", key)
	// else the client itself repeats after a reset
	fresh := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := fresh.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer func() { require.NoError(t, res.Body.Close()) }()
	return res.StatusCode, body, json.NewDecoder(res.Body).Decode(&body)
}

func TestFault_StrikesBeforeOrAfterTheBooking(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]struct {
		status   int
		captures int
	}{
		"429": {429, 0}, "500": {500, 0}, "503": {503, 0}, "reset": {0, 0}, "hang": {0, 0},
		"500_booked": {500, 1}, "503_booked": {503, 1}, "reset_booked": {0, 1}, "hang_booked": {0, 1}, "bad_json": {200, 1},
	} {
		r := start(t, t.TempDir()+"/ledger.jsonl", briefly)
		require.Equal(t, 200, r.fault(t, `{"kind":"`+kind+`","path":"POST /v1/payment_intents","retry_after":3}`))
		status, _, err := r.attempt(t, "key-1")
		require.Equal(t, want.status, status, kind)
		if want.status == 0 || kind == "bad_json" {
			require.Error(t, err, kind)
		}
		if strings.HasPrefix(kind, "reset") {
			require.ErrorIs(t, err, syscall.ECONNRESET, kind)
		}
		require.Equal(t, want.captures, r.captures(), kind)
		status, body, err := r.attempt(t, "key-1")
		require.NoError(t, err, kind)
		require.Equal(t, [2]any{200, "succeeded"}, [2]any{status, body["status"]}, "the fault strikes once: %s", kind)
		require.Equal(t, 1, r.captures(), kind)
		require.Contains(t, r.Control(t, http.MethodGet, "requests", "").Raw, `"fault":"`+kind+`"`)
	}
}

func TestFault_ChoosesItsRequests(t *testing.T) {
	t.Parallel()
	r := fresh(t)
	require.Equal(t, 200, r.fault(t, `{"kind":"503","path":"POST /v1/payment_intents","count":2,"after":1}`))
	var statuses []int
	for range 4 {
		statuses = append(statuses, r.charge(t, "pm_card_visa", "").Status)
		require.Equal(t, 200, r.do(t, http.MethodGet, "/v1/balance", "", "").Status, "another path")
	}
	require.Equal(t, []int{200, 503, 503, 200}, statuses)
	require.Equal(t, 200, r.fault(t, `{"kind":"500","count":9}`))
	require.Contains(t, r.Control(t, http.MethodGet, "faults", "").Raw, `"count":9`)
	require.Equal(t, 200, r.Control(t, http.MethodDelete, "faults", "").Status)
	require.Equal(t, 200, r.charge(t, "pm_card_visa", "").Status)
	for _, bad := range []string{
		`{}`, `{"kind":"fire"}`, `{"kind":"500","callback":"drop"}`, `{"callback":"eaten"}`, `{"kind":"500","count":0}`,
		`{"kind":"delay","delay":"soon"}`,
	} {
		require.Equal(t, 400, r.fault(t, bad), bad)
	}
}

func TestFault_Slow(t *testing.T) {
	t.Parallel()
	r := fresh(t)
	for _, kind := range []string{"delay", "slow_body"} {
		require.Equal(t, 200, r.fault(t, `{"kind":"`+kind+`","delay":"100ms"}`))
		began := time.Now()
		paid := r.charge(t, "pm_card_visa", "")
		require.Equal(t, "succeeded", paid.state())
		require.GreaterOrEqual(t, time.Since(began), 90*time.Millisecond, kind)
	}
}

func TestClock_MakesKeysGrowOld(t *testing.T) {
	t.Parallel()
	r := fresh(t)
	first := r.charge(t, "pm_card_visa", "key-1")
	pending := r.charge(t, "pm_sim_pending_60s_succeed", "key-2")
	require.Equal(t, 400, r.Control(t, http.MethodPost, "clock", `{"advance":"-1h"}`).Status)
	require.Equal(t, 200, r.Control(t, http.MethodPost, "clock", `{"advance":"25h"}`).Status)
	require.Equal(t, 2, r.captures(), "what was scheduled happened")
	require.Equal(t, "succeeded", r.do(t, http.MethodGet, "/v1/payment_intents/"+pending.id(), "", "").state())
	require.NotEqual(t, first.id(), r.charge(t, "pm_card_visa", "key-1").id())
}

func TestRequests_ShortenCredentials(t *testing.T) {
	t.Parallel()
	r := fresh(t)
	r.do(t, http.MethodGet, "/v1/balance?x=1", "", "", "Authorization", "Bearer sk_test_0123456789", "X-Trace-Id", "t1")
	raw := r.Control(t, http.MethodGet, "requests", "").Raw
	require.Contains(t, raw, `"t1"`)
	require.NotContains(t, raw, "0123456789")
}
