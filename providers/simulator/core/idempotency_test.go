package core_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/internal/testkit/wait"
)

func TestIdempotency_ForgottenAfterWindow(t *testing.T) {
	t.Parallel()
	r := fresh(t)
	first := r.charge(t, "pm_card_visa", "key-1")
	r.Clock.Advance(24*time.Hour - time.Nanosecond)
	require.Equal(t, first.Raw, r.charge(t, "pm_card_visa", "key-1").Raw)
	require.Equal(t, 1, r.captures())
	r.Clock.Advance(time.Nanosecond)
	require.NotEqual(t, first.id(), r.charge(t, "pm_card_visa", "key-1").id())
	require.Equal(t, 2, r.captures(), "the second charge of the same key must be visible")
}

func TestIdempotency_StoredAnswers(t *testing.T) {
	t.Parallel()
	for token, remembered := range map[string]bool{
		"pm_card_visa":                true,
		"pm_card_visa_chargeDeclined": true,
		"pm_sim_500_captured":         true,
		"pm_sim_500_dropped":          true,
		"pm_sim_refuse":               false,
		"pm_unknown":                  false,
	} {
		r := fresh(t)
		first := r.charge(t, token, "key-1")
		r.do(t, http.MethodPut, "/_simulator/cards/"+token, "", `{"behaviour":"pm_card_visa"}`)
		again := r.charge(t, token, "key-1")
		if remembered {
			require.Equal(t, [2]any{first.Status, first.Raw}, [2]any{again.Status, again.Raw}, token)
			require.Equal(t, "true", again.Header.Get("Idempotent-Replayed"))
			continue
		}
		require.Equal(t, 200, again.Status, "%s: %s", token, again.Raw)
	}
}

func TestIdempotency_RefusesOtherParameters(t *testing.T) {
	t.Parallel()
	r := fresh(t)
	r.charge(t, "pm_card_visa", "key-1")
	other := r.charge(t, "pm_card_mastercard", "key-1")
	require.Equal(t, 400, other.Status)
	require.Equal(t, "idempotency_error", other.failure("type"))
	elsewhere := r.do(t, http.MethodPost, "/v1/customers", "key-1", "")
	require.Equal(t, "idempotency_error", elsewhere.failure("type"), "the path is one of the parameters")
	require.Equal(t, 400, r.charge(t, "pm_card_visa", strings.Repeat("k", 256)).Status)
	require.Equal(t, 1, r.captures())
}

func TestIdempotency_KeyInUse(t *testing.T) {
	t.Parallel()
	r := fresh(t)
	require.Equal(t, 200, r.Control(t, http.MethodPost, "faults",
		`{"kind":"delay","delay":"2s","path":"POST /v1/payment_intents"}`).Status)
	ctx, leave := context.WithCancel(t.Context())
	first := make(chan struct{})
	go func() {
		defer close(first)
		req, _ := http.NewRequestWithContext(ctx, http.MethodPost, r.URL+"/v1/payment_intents",
			strings.NewReader(chargeForm("pm_card_visa").Encode()))
		req.Header.Set("Authorization", "Bearer sk_test_1")
		req.Header.Set("Idempotency-Key", "key-1")
		res, err := http.DefaultClient.Do(req)
		if err == nil {
			_ = res.Body.Close()
		}
	}()
	require.Eventually(t, func() bool { return r.InFlight("key-1") }, wait.Patience, time.Millisecond)
	busy := r.charge(t, "pm_card_visa", "key-1")
	require.Equal(t, 409, busy.Status)
	require.Equal(t, "idempotency_key_in_use", busy.code())
	require.Equal(t, "idempotency_error", r.charge(t, "pm_card_amex", "key-1").failure("type"))
	leave()
	<-first
	require.Eventually(t, func() bool { return r.captures() == 1 }, wait.Patience, 5*time.Millisecond,
		"the provider finishes what its client no longer waits for")
}
