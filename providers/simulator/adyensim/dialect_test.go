package adyensim_test

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/providers/simulator/adyensim"
	"perennial/providers/simulator/core"
	"perennial/providers/simulator/simtest"
)

const hmacKey = "DFB1EB5485895CFA84146406857104ABB4CBCABDC8AAF103A624C8F6A3EAAB00"

func body(token string) map[string]any {
	return map[string]any{
		"merchantAccount": "AcmeECOM", "reference": "txn_1-c0123456789ab", "returnUrl": "https://return.invalid/",
		"amount":           map[string]any{"currency": "EUR", "value": 1999},
		"paymentMethod":    map[string]any{"type": "scheme", "storedPaymentMethodId": token},
		"shopperReference": "shopper_7", "shopperInteraction": "ContAuth", "recurringProcessingModel": "Subscription",
		"captureDelayHours": 0, "metadata": map[string]any{"description": "Invoice in_7"},
	}
}

func post(t *testing.T, s *simtest.Sim, path string, in any, headers ...string) simtest.Reply {
	t.Helper()
	raw, err := json.Marshal(in)
	require.NoError(t, err)
	headers = append(headers, "X-API-Key", "AQE")
	return simtest.Do(t, http.MethodPost, s.URL+"/v71"+path, string(raw), headers...)
}

func TestPayments_ResultCodes(t *testing.T) {
	t.Parallel()
	s := simtest.Fresh(t, adyensim.New(adyensim.Config{}))
	for token, want := range map[string][2]string{
		"M5N7TQ4TG5PFWR50": {"Authorised", ""}, "SIM_OK": {"Authorised", ""}, "SIM_PENDING": {"Pending", ""},
		"SIM_RECEIVED": {"Received", ""}, "SIM_REFUSE_12": {"Refused", "12"}, "SIM_ERROR": {"Error", "4"},
		"SIM_CANCELLED": {"Cancelled", "15"}, "SIM_REDIRECT": {"RedirectShopper", ""},
		"SIM_CHALLENGE": {"ChallengeShopper", ""}, "SIM_PARTIAL": {"PartiallyAuthorised", ""},
	} {
		got := post(t, s, "/payments", body(token))
		require.Equal(t, http.StatusOK, got.Status, token)
		require.Equal(t, want, [2]string{got.Text("resultCode"), got.Text("refusalReasonCode")}, token)
		require.Len(t, got.Text("pspReference"), 16)
	}
	require.Equal(t, "803", post(t, s, "/payments", body("nobody")).Text("errorCode"))
	require.Len(t, s.Moved(core.Capture), 3)
	require.Equal(t, "in_7", s.Moved(core.Capture)[0].Invoice)
}

// Adyen's own test values take precedence over the card's behaviour.
func TestPayments_AdyensTestValues(t *testing.T) {
	t.Parallel()
	s := simtest.Fresh(t, adyensim.New(adyensim.Config{}))
	for holder, code := range map[string]string{
		"DECLINED": "2", "CARD_EXPIRED": "6", "BLOCK_CARD": "5", "NOT_ENOUGH_BALANCE": "12",
	} {
		in := body("SIM_OK")
		in["paymentMethod"] = map[string]any{"type": "scheme", "storedPaymentMethodId": "SIM_OK", "holderName": holder}
		require.Equal(t, code, post(t, s, "/payments", in).Text("refusalReasonCode"), holder)
	}
	in := body("SIM_OK")
	in["additionalData"] = map[string]any{"RequestedTestAcquirerResponseCode": "12"}
	require.Equal(t, "12", post(t, s, "/payments", in).Text("refusalReasonCode"))
	in["paymentMethod"] = map[string]any{"type": "scheme", "storedPaymentMethodId": "SIM_OK", "holderName": "ERROR"}
	require.Equal(t, "Error", post(t, s, "/payments", in).Text("resultCode"))
	require.Empty(t, s.Ledger())
}

func TestPayments_AreCheckedStrictly(t *testing.T) {
	t.Parallel()
	s := simtest.Fresh(t, adyensim.New(adyensim.Config{MerchantAccounts: []string{"AcmeECOM"}}))
	for name, spoil := range map[string]func(map[string]any){
		"unknown field":  func(b map[string]any) { b["shopperEmail"] = "a@example.com" },
		"no amount":      func(b map[string]any) { delete(b, "amount") },
		"zero":           func(b map[string]any) { b["amount"] = map[string]any{"currency": "EUR", "value": 0} },
		"a fraction":     func(b map[string]any) { b["amount"] = map[string]any{"currency": "EUR", "value": 1.5} },
		"no reference":   func(b map[string]any) { delete(b, "reference") },
		"long reference": func(b map[string]any) { b["reference"] = strings.Repeat("r", 81) },
		"no returnUrl":   func(b map[string]any) { delete(b, "returnUrl") },
		"no method":      func(b map[string]any) { delete(b, "paymentMethod") },
		"no shopper":     func(b map[string]any) { delete(b, "shopperReference") },
		"no model":       func(b map[string]any) { delete(b, "recurringProcessingModel") },
		"interaction":    func(b map[string]any) { b["shopperInteraction"] = "Phone" },
		"other account":  func(b map[string]any) { b["merchantAccount"] = "Somebody" },
	} {
		in := body("SIM_OK")
		spoil(in)
		got := post(t, s, "/payments", in)
		require.Contains(t, []int{400, 403, 422}, got.Status, name)
		require.NotEmpty(t, got.Text("errorCode"), name)
	}
	require.Equal(t, 401, simtest.Do(t, http.MethodPost, s.URL+"/v71/payments", "{}").Status)
	require.Equal(t, 422, post(t, s, "/payments/details", map[string]any{}).Status)
	require.Equal(t, 404, post(t, s, "/paymentLinks", map[string]any{}).Status)
	require.Empty(t, s.Ledger())
}

func TestIdempotency_FirstResultWithEcho(t *testing.T) {
	t.Parallel()
	s := simtest.Fresh(t, adyensim.New(adyensim.Config{}))
	first := post(t, s, "/payments", body("SIM_OK"), "Idempotency-Key", "k1")
	other := body("SIM_OK")
	other["amount"] = map[string]any{"currency": "EUR", "value": 5}
	again := post(t, s, "/payments", other, "Idempotency-Key", "k1")
	require.Equal(t, first.Raw, again.Raw)
	require.Equal(t, "k1", again.Header.Get("Idempotency-Key"))
	require.Len(t, s.Moved(core.Capture), 1)
	require.NotEqual(t, first.Raw, post(t, s, "/payments", body("SIM_OK"), "Idempotency-Key", "k2").Raw)
	require.Equal(t, 422, post(t, s, "/payments", body("SIM_OK"), "Idempotency-Key", strings.Repeat("k", 65)).Status)
	elsewhere := post(t, s, "/cancels", map[string]any{"merchantAccount": "AcmeECOM", "paymentReference": "r"},
		"Idempotency-Key", "k1")
	require.Equal(t, "704", elsewhere.Text("errorCode"))
	require.Equal(t, "true", elsewhere.Header.Get("Transient-Error"))
}

func TestSettlement_SurvivesRestart(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger.jsonl")
	s := simtest.Start(t, path, adyensim.New(adyensim.Config{}), nil)
	psp := post(t, s, "/payments", body("SIM_PENDING_5S_SUCCEED")).Text("pspReference")
	s.Stop()
	s = simtest.Start(t, path, adyensim.New(adyensim.Config{}), nil)
	inbox := s.Inbox(t, hmacKey, 0, "")
	require.Empty(t, s.Moved(core.Capture))
	s.Clock.Advance(5 * time.Second)
	require.Len(t, s.Moved(core.Capture), 1)
	require.Contains(t, string((<-inbox).Body), psp)
}

func TestWebhook_ItemsAreSignedOneByOne(t *testing.T) {
	t.Parallel()
	s := simtest.Fresh(t, adyensim.New(adyensim.Config{}))
	inbox := s.Inbox(t, hmacKey, 1, "") // the first attempt is refused, and repeated
	psp := post(t, s, "/payments", body("SIM_OK")).Text("pspReference")
	require.Equal(t, 200, s.Control(t, http.MethodPost, "payments/txn_1/dispute", `{}`).Status)
	var n struct {
		Live  string `json:"live"`
		Items []struct {
			Item map[string]any `json:"NotificationRequestItem"`
		} `json:"notificationItems"`
	}
	require.NoError(t, json.Unmarshal((<-inbox).Body, &n))
	require.Equal(t, "false", n.Live)
	require.Len(t, n.Items, 2)
	signatures := map[any]bool{}
	for _, i := range n.Items {
		require.Equal(t, psp, i.Item["originalReference"])
		require.Equal(t, "true", i.Item["success"])
		additional, _ := i.Item["additionalData"].(map[string]any)
		signatures[additional["hmacSignature"]] = true
	}
	require.Len(t, signatures, 2)
}

// The published vector of Adyen's Go library.
func TestSign_PublishedVector(t *testing.T) {
	t.Parallel()
	signed := adyensim.New(adyensim.Config{}).Sign(core.Outgoing{Secret: hmacKey, Body: []byte(`{"notificationItems":[
		{"NotificationRequestItem":{"pspReference":"pspReference","originalReference":"originalReference",
		"merchantAccountCode":"merchantAccount","merchantReference":"reference",
		"amount":{"value":1000,"currency":"EUR"},"eventCode":"EVENT","success":"true"}}]}`)})
	require.Contains(t, string(signed.Body), "ipnxGCaUZ4l8TUW75a71/ghd2Fe5ffvX0pV4TLTntIc=")
}

func TestControls_RefuseWhatIsNotThere(t *testing.T) {
	t.Parallel()
	s := simtest.Fresh(t, adyensim.New(adyensim.Config{}))
	psp := post(t, s, "/payments", body("SIM_OK")).Text("pspReference")
	for path, in := range map[string]string{
		"payments/" + psp + "/settle": `{"status":"succeeded"}`, "payments/none/settle": `{"status":"failed"}`,
		"payments/" + psp + "/refund": `{"amount":2000}`, "payments/none/dispute": `{}`,
		"disputes/none/close": `{"status":"won"}`, "refunds/none/settle": `{"status":"failed"}`,
	} {
		require.Equal(t, http.StatusConflict, s.Control(t, http.MethodPost, path, in).Status, path)
	}
	require.Equal(t, 400, s.Control(t, http.MethodPut, "cards/SIM_OK", `{"behaviour":"nonsense"}`).Status)
	require.Equal(t, 200, s.Control(t, http.MethodPut, "cards/SIM_OK", `{"behaviour":"SIM_REFUSE_5"}`).Status)
	require.Equal(t, "5", post(t, s, "/payments", body("SIM_OK")).Text("refusalReasonCode"))
}

func TestModifications_TellTheRestLater(t *testing.T) {
	t.Parallel()
	s := simtest.Fresh(t, adyensim.New(adyensim.Config{}))
	inbox := s.Inbox(t, hmacKey, 0, "")
	event := func() [2]string {
		var n struct {
			Items []struct {
				Item struct{ EventCode, Success string } `json:"NotificationRequestItem"`
			} `json:"notificationItems"`
		}
		require.NoError(t, json.Unmarshal((<-inbox).Body, &n))
		return [2]string{n.Items[0].Item.EventCode, n.Items[0].Item.Success}
	}
	account := map[string]any{"merchantAccount": "AcmeECOM", "reference": "txn_1-x0123456789ab"}
	paid := post(t, s, "/payments", body("SIM_OK")).Text("pspReference")
	for _, step := range []struct {
		path string
		want [2]string
	}{
		{"/payments/" + paid + "/cancels", [2]string{"CANCELLATION", "false"}},
		{"/payments/" + paid + "/reversals", [2]string{"CANCEL_OR_REFUND", "true"}},
		{"/payments/" + paid + "/reversals", [2]string{"CANCEL_OR_REFUND", "false"}},
	} {
		got := post(t, s, step.path, account)
		require.Equal(t, [2]any{http.StatusCreated, "received"}, [2]any{got.Status, got.Text("status")})
		require.Equal(t, step.want, event(), step.path)
	}
	account["paymentReference"] = "never-seen"
	require.Equal(t, http.StatusCreated, post(t, s, "/cancels", account).Status)
	require.Equal(t, [2]string{"TECHNICAL_CANCEL", "false"}, event())
	delete(account, "paymentReference")
	require.Equal(t, "167", post(t, s, "/payments/NONE/cancels", account).Text("errorCode"))
}
