package stripesim

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestCard_CanBeginToFail(t *testing.T) {
	t.Parallel()
	r := fresh(t)
	script := func(token, body string) {
		require.Equal(t, 200, r.do(t, http.MethodPut, "/_simulator/cards/"+token, "", body).Status)
	}
	require.Equal(t, 400, r.charge(t, "pm_alice", "").Status, "a token that nobody introduced does not exist")
	script("pm_alice", `{"behaviour":"pm_card_visa"}`)
	require.Equal(t, succeeded, r.charge(t, "pm_alice", "").state())
	script("pm_alice", `{"behaviour":"pm_card_visa_chargeDeclinedInsufficientFunds"}`)
	require.Equal(t, "insufficient_funds", r.charge(t, "pm_alice", "").failure("decline_code"))
	script("cus_1", `{"behaviour":"pm_card_visa_chargeDeclinedLostCard"}`)
	require.Equal(t, "lost_card", r.charge(t, "pm_alice", "").failure("decline_code"),
		"a customer's script beats a token's")
	require.Equal(t, "lost_card", r.charge(t, "pm_card_visa", "").failure("decline_code"))
	script("pm_card_visa", `{"behaviour":"pm_card_visa","customer":"cus_1"}`)
	require.Equal(t, succeeded, r.charge(t, "pm_card_visa", "").state(), "a script for both beats either")
	script("cus_1", `{"behaviour":""}`)
	require.Equal(t, "insufficient_funds", r.charge(t, "pm_alice", "").failure("decline_code"))
	for _, bad := range []string{`{"behaviour":"pm_explode"}`, `{"behavior":"pm_card_visa"}`, `hello`} {
		require.Equal(t, 400, r.do(t, http.MethodPut, "/_simulator/cards/pm_alice", "", bad).Status, bad)
	}
	require.Equal(t, 400, r.do(t, http.MethodPut, "/_simulator/cards/alice", "", `{"behaviour":"pm_card_visa"}`).Status)
}

func TestCard_BelongsToCustomer(t *testing.T) {
	t.Parallel()
	r := fresh(t)
	attached := r.do(t, http.MethodPost, "/v1/payment_methods/pm_card_visa/attach", "", "customer=cus_1")
	require.Equal(t, 200, attached.Status, attached.Raw)
	require.Equal(t, succeeded, r.charge(t, attached.id(), "").state())
	stolen := chargeForm(attached.id())
	stolen.Set("customer", "cus_2")
	require.Equal(t, "resource_missing", r.do(t, http.MethodPost, "/v1/payment_intents", "", stolen.Encode()).code())
	r.do(t, http.MethodPut, "/_simulator/cards/"+attached.id(), "", `{"behaviour":"pm_card_amex"}`)
	require.Equal(t, 400, r.do(t, http.MethodPost, "/v1/payment_intents", "", stolen.Encode()).Status,
		"a script does not detach it")
	require.Equal(t, 402, r.do(t, http.MethodPost, "/v1/payment_methods/pm_card_visa_chargeDeclined/attach",
		"", "customer=cus_1").Status)
	late := r.do(t, http.MethodPost, "/v1/payment_methods/pm_card_chargeCustomerFail/attach", "", "customer=cus_1")
	require.Equal(t, 402, r.charge(t, late.id(), "").Status)
}

func TestCharge_PendingSettlesInTime(t *testing.T) {
	t.Parallel()
	r := fresh(t)
	good, bad := r.charge(t, "pm_sim_pending_60s_succeed", ""), r.charge(t, "pm_sim_pending_90s_fail", "")
	get := func(of reply) reply { return r.do(t, http.MethodGet, "/v1/payment_intents/"+of.id(), "", "") }
	require.Equal(t, [2]string{processing, processing}, [2]string{good.state(), get(good).state()})
	r.Clock.Advance(60 * time.Second)
	require.Equal(t, [2]string{succeeded, processing}, [2]string{get(good).state(), get(bad).state()})
	r.Clock.Advance(30 * time.Second)
	require.Equal(t, requiresPaymentMethod, get(bad).state())
	require.NotNil(t, get(bad).Body["last_payment_error"])
	require.Equal(t, 1, r.captures())
}

func TestSettle_Refuses(t *testing.T) {
	t.Parallel()
	r := fresh(t)
	settle := func(id, body string) int {
		return r.do(t, http.MethodPost, "/_simulator/payments/"+id+"/settle", "", body).Status
	}
	pending, paid := r.charge(t, "pm_sim_pending", ""), r.charge(t, "pm_card_visa", "")
	require.Equal(t, 400, settle(pending.id(), `{"status":"maybe"}`))
	require.Equal(t, 409, settle(paid.id(), `{"status":"failed"}`))
	require.Equal(t, 409, settle("pi_unknown", `{"status":"failed"}`))
	require.Equal(t, 200, settle(pending.id(), `{"status":"succeeded"}`))
	require.Equal(t, 409, settle(pending.id(), `{"status":"failed"}`))
	require.Equal(t, 2, r.captures())
}

func TestSearch_Lags(t *testing.T) {
	t.Parallel()
	r := start(t, Config{SearchLag: time.Minute}, nil)
	found := func() int {
		got := r.do(t, http.MethodGet, "/v1/payment_intents/search?query=metadata%5B%27txn_id%27%5D:%27txn_1%27", "", "")
		require.Equal(t, 200, got.Status, got.Raw)
		return len(got.Body["data"].([]any))
	}
	r.charge(t, "pm_card_visa", "")
	require.Zero(t, found())
	r.Clock.Advance(time.Minute)
	require.Equal(t, 1, found())
	require.Equal(t, 400, r.do(t, http.MethodGet, "/v1/payment_intents/search?query=amount%3E1", "", "").Status)
}

func TestIntent_Unconfirmed(t *testing.T) {
	t.Parallel()
	r := fresh(t)
	bare := r.do(t, http.MethodPost, "/v1/payment_intents", "", "amount=1999&currency=USD")
	require.Equal(t, requiresPaymentMethod, bare.state())
	carded := r.do(t, http.MethodPost, "/v1/payment_intents", "", "amount=1999&currency=usd&payment_method=pm_card_visa")
	require.Equal(t, requiresConfirmation, carded.state())
	canceledIntent := r.do(t, http.MethodPost, "/v1/payment_intents/"+carded.id()+"/cancel", "",
		"cancellation_reason=duplicate")
	require.Equal(t, [2]any{statusCanceled, "duplicate"},
		[2]any{canceledIntent.state(), canceledIntent.Body["cancellation_reason"]})
	again := r.do(t, http.MethodPost, "/v1/payment_intents/"+carded.id()+"/cancel", "", "")
	require.Equal(t, "payment_intent_unexpected_state", again.code())
	require.Zero(t, r.captures())
}
