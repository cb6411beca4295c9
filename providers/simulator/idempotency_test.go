package simulator

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestIdempotency_ForgottenAfterWindow(t *testing.T) {
	t.Parallel()
	r := fresh(t)
	first := r.charge(t, "pm_card_visa", "key-1")
	r.clock.advance(24*time.Hour - time.Nanosecond)
	require.Equal(t, first.raw, r.charge(t, "pm_card_visa", "key-1").raw)
	require.Equal(t, 1, r.captures())
	r.clock.advance(time.Nanosecond)
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
			require.Equal(t, [2]any{first.status, first.raw}, [2]any{again.status, again.raw}, token)
			require.Equal(t, "true", again.header.Get("Idempotent-Replayed"))
			continue
		}
		require.Equal(t, 200, again.status, "%s: %s", token, again.raw)
	}
}

func TestIdempotency_RefusesOtherParameters(t *testing.T) {
	t.Parallel()
	r := fresh(t)
	r.charge(t, "pm_card_visa", "key-1")
	other := r.charge(t, "pm_card_mastercard", "key-1")
	require.Equal(t, 400, other.status)
	require.Equal(t, "idempotency_error", other.failure("type"))
	elsewhere := r.do(t, http.MethodPost, "/v1/customers", "key-1", "")
	require.Equal(t, "idempotency_error", elsewhere.failure("type"), "the path is one of the parameters")
	require.Equal(t, 400, r.charge(t, "pm_card_visa", strings.Repeat("k", 256)).status)
	require.Equal(t, 1, r.captures())
}

func TestIdempotency_KeyInUse(t *testing.T) {
	t.Parallel()
	r := fresh(t)
	mark := fingerprint("/v1/payment_intents", false, chargeForm("pm_card_visa"))
	require.Nil(t, r.reserve("key-1", mark))
	busy := r.charge(t, "pm_card_visa", "key-1")
	require.Equal(t, 409, busy.status)
	require.Equal(t, "idempotency_key_in_use", busy.code())
	require.Equal(t, "idempotency_error", r.charge(t, "pm_card_amex", "key-1").failure("type"))
	r.release("key-1")
	require.Equal(t, 200, r.charge(t, "pm_card_visa", "key-1").status)
}
