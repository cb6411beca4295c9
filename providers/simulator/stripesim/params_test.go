package stripesim

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParams_RefusesBadCharge(t *testing.T) {
	t.Parallel()
	r := fresh(t)
	for name, tc := range map[string]struct {
		change func(url.Values)
		status int
		code   string
		param  string
	}{
		"unknown parameter": {func(v url.Values) { v.Set("colour", "red") }, 400, "parameter_unknown", "colour"},
		"one Stripe has, we lack": {func(v url.Values) {
			v.Set("receipt_email", "a@example.com")
		}, 400, "parameter_unknown", "receipt_email"},
		"no amount":   {func(v url.Values) { v.Del("amount") }, 400, "parameter_missing", "amount"},
		"no currency": {func(v url.Values) { v.Del("currency") }, 400, "parameter_missing", "currency"},
		"fraction": {func(v url.Values) {
			v.Set("amount", "19.99")
		}, 400, "parameter_invalid_integer", "amount"},
		"zero": {func(v url.Values) { v.Set("amount", "0") }, 400, "parameter_invalid_integer", "amount"},
		"negative": {func(v url.Values) {
			v.Set("amount", "-5")
		}, 400, "parameter_invalid_integer", "amount"},
		"too small": {func(v url.Values) { v.Set("amount", "49") }, 400, "amount_too_small", "amount"},
		"too large": {func(v url.Values) {
			v.Set("amount", "1000000000000")
		}, 400, "amount_too_large", "amount"},
		"empty": {func(v url.Values) {
			v.Set("description", "")
		}, 400, "parameter_invalid_empty", "description"},
		"twice":            {func(v url.Values) { v.Add("amount", "5000") }, 400, "", "amount"},
		"no such currency": {func(v url.Values) { v.Set("currency", "zzz") }, 400, "", "currency"},
		"UGX not times 100": {func(v url.Values) {
			v.Set("currency", "ugx")
			v.Set("amount", "5050")
		}, 400, "invalid_amount", "amount"},
		"KWD with a last digit": {func(v url.Values) {
			v.Set("currency", "kwd")
			v.Set("amount", "1235")
		}, 400, "invalid_amount", "amount"},
		"no boolean": {func(v url.Values) { v.Set("confirm", "yes") }, 400, "", "confirm"},
		"not a card": {func(v url.Values) {
			v.Set("payment_method_types[0]", "sepa_debit")
		}, 400, "", "payment_method_types[0]"},
		"off session, unconfirmed": {func(v url.Values) { v.Del("confirm") }, 400, "", "off_session"},
		"no payment method": {func(v url.Values) {
			v.Del("payment_method")
		}, 400, "payment_intent_unexpected_state", "payment_method"},
		"unknown payment method": {func(v url.Values) {
			v.Set("payment_method", "pm_nobody")
		}, 400, "resource_missing", "payment_method"},
		"unknown customer": {func(v url.Values) {
			v.Set("customer", "cus_missing")
		}, 400, "resource_missing", "customer"},
		"not a customer": {func(v url.Values) { v.Set("customer", "hello") }, 400, "resource_missing", "customer"},
	} {
		form := chargeForm("pm_card_visa")
		tc.change(form)
		got := r.do(t, http.MethodPost, "/v1/payment_intents", "", form.Encode())
		require.Equal(t, tc.status, got.Status, name)
		require.Equal(t, [2]string{tc.code, tc.param}, [2]string{got.code(), got.failure("param")}, name)
	}
	require.Empty(t, r.Ledger())
	json := r.do(t, http.MethodPost, "/v1/payment_intents", "", `{"amount":1}`, "Content-Type", "application/json")
	require.Equal(t, 400, json.Status)
	require.Equal(t, 404, r.do(t, http.MethodGet, "/v1/invoices", "", "").Status)
}

func TestParams_NeedsKey(t *testing.T) {
	t.Parallel()
	for header, status := range map[string]int{
		"Bearer sk_test_1":       200,
		"Bearer rk_test_1":       200,
		"Basic c2tfdGVzdF8xOg==": 200, // sk_test_1:
		"Bearer pk_test_1":       401,
		"Bearer ":                401,
		"Bearer sk_test_":        401,
		"sk_test_1":              401,
		"Basic aHVudGVyMjo=":     401,
	} {
		got := fresh(t).do(t, http.MethodGet, "/v1/balance", "", "", "Authorization", header)
		require.Equal(t, status, got.Status, header)
	}
	only := start(t, Config{SecretKeys: []string{"sk_test_known"}}, nil)
	require.Equal(t, 401, only.do(t, http.MethodGet, "/v1/balance", "", "").Status)
	require.Equal(t, 200, only.do(t, http.MethodGet, "/v1/balance", "", "", "Authorization",
		"Bearer sk_test_known").Status)
}

func TestParams_ModesAreApart(t *testing.T) {
	t.Parallel()
	r := fresh(t)
	live := []string{"Authorization", "Bearer sk_live_1"}
	require.Equal(t, true, r.do(t, http.MethodGet, "/v1/balance", "", "", live...).Body["livemode"])
	require.Equal(t, false, r.do(t, http.MethodGet, "/v1/balance", "", "").Body["livemode"])
	paid := r.charge(t, "pm_card_visa", "")
	require.Equal(t, 404, r.do(t, http.MethodGet, "/v1/payment_intents/"+paid.id(), "", "", live...).Status)
	require.Equal(t, 400, r.do(t, http.MethodPost, "/v1/refunds", "", "payment_intent="+paid.id(), live...).Status)
}
