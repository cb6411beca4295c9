package pawapaysim

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/providers/simulator/core"
	"perennial/providers/simulator/simtest"
)

func TestDeposit_SandboxNumbers(t *testing.T) {
	t.Parallel()
	for suffix, want := range map[string][2]string{
		"019": {failed, "PAYER_LIMIT_REACHED"}, "029": {failed, "PAYER_NOT_FOUND"}, "039": {failed, "PAYMENT_NOT_APPROVED"},
		"049": {failed, "INSUFFICIENT_BALANCE"}, "069": {failed, "UNSPECIFIED_FAILURE"}, "059": {inReconciliation, ""},
		"129": {processing, ""}, "789": {completed, ""}, "111": {accepted, ""},
	} {
		r := fresh(t)
		require.Equal(t, accepted, r.deposit(t, id1, suffix).Text("status"))
		require.Empty(t, r.Moved(core.Capture))
		r.later()
		status, code := r.status(t, "/v2/deposits/"+id1)
		require.Equal(t, want, [2]string{status, code}, suffix)
		require.Equal(t, want[0] == completed, len(r.Moved(core.Capture)) == 1, suffix)
	}
}

func TestDeposit_Movement(t *testing.T) {
	t.Parallel()
	r := paid(t)
	moved := r.Moved(core.Capture)
	require.Len(t, moved, 1)
	moved[0].At = time.Time{}
	require.Equal(t, core.Movement{
		Provider: "pawapay", Kind: core.Capture, TransactionID: "txn_1", Charge: id1, Amount: 5000, WireAmount: "5000",
		Currency: "RWF", Invoice: "in_7", Key: id1,
	}, moved[0])
}

func TestDeposit_PromptIsAnsweredOrCloses(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string][2]string{
		"succeeded": {completed, ""}, "failed": {failed, "PAYMENT_NOT_APPROVED"}, "expired": {failed, "PAYMENT_NOT_APPROVED"},
		"": {failed, "PAYMENT_NOT_APPROVED"},
	} {
		r := fresh(t)
		r.deposit(t, id1, "111")
		if answer != "" {
			body := `{"status":"` + answer + `"}`
			require.Equal(t, http.StatusOK, r.Control(t, http.MethodPost, "payments/txn_1/settle", body).Status)
			require.Equal(t, http.StatusConflict, r.Control(t, http.MethodPost, "payments/"+id1+"/settle", body).Status)
		} else {
			r.Clock.Advance(10 * time.Minute)
		}
		status, code := r.status(t, "/v2/deposits/"+id1)
		require.Equal(t, want, [2]string{status, code}, answer)
	}
}

func TestDeposit_RepeatIsIgnored(t *testing.T) {
	t.Parallel()
	r := paid(t)
	require.Equal(t, "DUPLICATE_IGNORED", r.deposit(t, id1, "789", "5000", "6000").Text("status"))
	r.later()
	require.Len(t, r.Moved(core.Capture), 1)
}

func TestDeposit_RefusedOrUnknown(t *testing.T) {
	t.Parallel()
	r := fresh(t)
	got := r.deposit(t, id1, "911")
	require.Equal(t, "PROVIDER_TEMPORARILY_UNAVAILABLE", got.Text("failureReason", "failureCode"))
	require.Equal(t, 500, r.deposit(t, id2, "912").Status)
	require.Equal(t, 500, r.deposit(t, id3, "913").Status)
	r.later()
	for id, want := range map[string]string{id1: "NOT_FOUND", id2: completed, id3: "NOT_FOUND"} {
		status, _ := r.status(t, "/v2/deposits/"+id)
		require.Equal(t, want, status)
	}
	require.Len(t, r.Moved(core.Capture), 1)
}

func TestDeposit_Checks(t *testing.T) {
	t.Parallel()
	r := fresh(t)
	for name, c := range map[string]struct {
		change []string
		status int
		code   string
	}{
		"version":   {[]string{"-4f2e-", "-5f2e-"}, 400, "INVALID_PARAMETER"},
		"plus":      {[]string{`"2507`, `"+2507`}, 400, "INVALID_PHONE_NUMBER"},
		"zeros":     {[]string{`"5000"`, `"05000"`}, 400, "INVALID_AMOUNT"},
		"number":    {[]string{`"5000"`, `5000`}, 400, "INVALID_INPUT"},
		"unknown":   {[]string{`"amount"`, `"amounts"`}, 400, "INVALID_INPUT"},
		"message":   {[]string{"ACME plan", "in_7"}, 400, "INVALID_PARAMETER"},
		"metadata":  {[]string{`"description":`, `"txnId":`}, 400, "DUPLICATE_METADATA_FIELD"},
		"operator":  {[]string{"MTN_MOMO_RWA", "MTN_MOMO_XXX"}, 200, "INVALID_PROVIDER"},
		"currency":  {[]string{"RWF", "XAF"}, 200, "INVALID_CURRENCY"},
		"country":   {[]string{`"2507`, `"2377`}, 200, "INVALID_PHONE_NUMBER"},
		"decimals":  {[]string{`"5000"`, `"5000.5"`}, 200, "INVALID_AMOUNT"},
		"little":    {[]string{`"5000"`, `"99"`}, 200, "AMOUNT_OUT_OF_BOUNDS"},
		"much":      {[]string{`"5000"`, `"2000001"`}, 200, "AMOUNT_OUT_OF_BOUNDS"},
		"authorise": {[]string{"MTN_MOMO_RWA", "WAVE_SEN", "RWF", "XOF", `"2507`, `"2217`}, 200, "MISSING_PARAMETER"},
	} {
		got := r.deposit(t, id1, "789", c.change...)
		require.Equal(t, c.status, got.Status, "%s: %s", name, got.Raw)
		require.Equal(t, c.code, got.Text("failureReason", "failureCode"), name)
	}
	status, _ := r.status(t, "/v2/deposits/"+id1)
	require.Equal(t, "NOT_FOUND", status)
}

func TestAuthenticate(t *testing.T) {
	t.Parallel()
	r := rig{simtest.Fresh(t, New(Config{Tokens: []string{"token_2"}}))}
	require.Equal(t, http.StatusForbidden, r.deposit(t, id1, "789").Status)
	require.Equal(t, http.StatusUnauthorized, simtest.Do(t, http.MethodGet, r.URL+"/v2/deposits/"+id1, "").Status)
	require.Equal(t, http.StatusNotFound, r.do(t, http.MethodGet, "/v1/deposits", "").Status)
}

func TestActiveConf_OperatorCloses(t *testing.T) {
	t.Parallel()
	r := fresh(t)
	conf := func() string {
		return r.do(t, http.MethodGet, "/v2/active-conf?country=BEN&operationType=DEPOSIT", "").Raw
	}
	require.Contains(t, conf(), `"status":"OPERATIONAL"`)
	require.NotContains(t, conf(), "RWA")
	for _, operator := range []string{"MTN_MOMO_BEN", "MTN_MOMO_RWA"} {
		require.Equal(t, 200, r.Control(t, http.MethodPut, "cards/"+operator, `{"behaviour":"closed"}`).Status)
	}
	require.Contains(t, conf(), `"status":"CLOSED"`)
	require.Equal(t, "PROVIDER_TEMPORARILY_UNAVAILABLE", r.deposit(t, id1, "789").Text("failureReason", "failureCode"))
	require.Equal(t, 200, r.Control(t, http.MethodPut, "cards/MTN_MOMO_RWA", `{"behaviour":""}`).Status)
	require.Equal(t, accepted, r.deposit(t, id1, "789").Text("status"))

	require.Equal(t, 200, r.Control(t, http.MethodPut, "cards/789", `{"behaviour":"049"}`).Status)
	r.deposit(t, id2, "789")
	r.later()
	_, code := r.status(t, "/v2/deposits/"+id2)
	require.Equal(t, "INSUFFICIENT_BALANCE", code)
	for token, behaviour := range map[string]string{"MTN_MOMO_RWA": "049", "789": "nonsense", "x": "049"} {
		require.Equal(t, 400, r.Control(t, http.MethodPut, "cards/"+token, `{"behaviour":"`+behaviour+`"}`).Status)
	}
}

func TestPredictProvider(t *testing.T) {
	t.Parallel()
	r := fresh(t)
	got := r.do(t, http.MethodPost, "/v2/predict-provider", `{"phoneNumber":"+254 703 456 789"}`)
	require.Equal(t, "KEN MPESA_KEN 254703456789",
		got.Text("country")+" "+got.Text("provider")+" "+got.Text("phoneNumber"))
	require.Equal(t, 400, r.do(t, http.MethodPost, "/v2/predict-provider", `{"phoneNumber":"123"}`).Status)
}
