package flutterwave

import (
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/providers"
)

// The whole request, byte for byte where it matters.
func TestCharge_OnTheWire(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in         providers.ChargeRequest
		path, body string
	}{
		"card": {sampleCharge(), "/charges", `{"amount":19.99,"currency":"USD","reference":"` + ourRef + `",` +
			`"meta":{"txn_id":"txn_42","description":"Invoice in_7"},` +
			`"customer_id":"cus_9","payment_method_id":"pmd_9","recurring":true}`},
		"mobile money": {samplePrompt(), "/orchestration/direct-charges",
			`{"amount":200,"currency":"GHS","reference":"` + ourRef + `",` +
				`"meta":{"txn_id":"txn_42","description":"Invoice in_7"},` +
				`"customer":{"email":"txn_42@example.com","name":{"first":"Subscription","last":"Customer"},` +
				`"phone":{"country_code":"233","number":"241234567"}},` +
				`"payment_method":{"type":"mobile_money",` +
				`"mobile_money":{"country_code":"233","network":"MTN","phone_number":"241234567"}}}`},
	} {
		type seen struct {
			method, path, body string
			header             http.Header
		}
		requests := make(chan seen, 1)
		f := against(t, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			requests <- seen{r.Method, r.URL.Path, string(body), r.Header}
			w.WriteHeader(http.StatusCreated)
			_, _ = io.WriteString(w, succeededCharge)
		})
		res, err := f.Charge(t.Context(), c.in)
		require.NoError(t, err, name)
		require.Equal(t, providers.Succeeded, res.Outcome, name)
		got := <-requests
		require.Equal(t, "POST "+c.path, got.method+" "+got.path)
		require.Equal(t, c.body, got.body)
		require.Equal(t, "Bearer tok-1", got.header.Get("Authorization"))
		require.Equal(t, "application/json", got.header.Get("Content-Type"))
		require.Equal(t, ourRef, got.header.Get("X-Idempotency-Key"))
		require.Regexp(t, `^[A-Za-z0-9]{12,255}$`, got.header.Get("X-Trace-Id"))
		require.Empty(t, got.header.Get("X-Scenario-Key"))
	}
}

func TestCharge_ImpossibleRequests(t *testing.T) {
	t.Parallel()
	f := against(t, func(http.ResponseWriter, *http.Request) { t.Error("nothing may be sent") })
	for name, c := range map[string]struct {
		sample func() providers.ChargeRequest
		spoil  func(*providers.ChargeRequest)
		method bool // the customer's method is at fault, not the request
	}{
		"bank transfer": {sampleCharge, func(in *providers.ChargeRequest) { in.Method.Type = "bank" }, true},
		"no operator": {
			samplePrompt, func(in *providers.ChargeRequest) { in.Method.Type = providers.MobileMoney }, true,
		},
		"odd operator": {
			samplePrompt, func(in *providers.ChargeRequest) { in.Method.Type = providers.MobileMoney + "M T" }, true,
		},
		"no customer":       {sampleCharge, func(in *providers.ChargeRequest) { in.Method.CustomerToken = "" }, true},
		"no card":           {sampleCharge, func(in *providers.ChargeRequest) { in.Method.PaymentMethodToken = "" }, true},
		"another's card":    {sampleCharge, func(in *providers.ChargeRequest) { in.Method.PaymentMethodToken = "pm_" }, true},
		"no phone":          {samplePrompt, func(in *providers.ChargeRequest) { in.Method.PhoneNumber = "" }, true},
		"national number":   {samplePrompt, func(in *providers.ChargeRequest) { in.Method.PhoneNumber = "024123456" }, true},
		"letters":           {samplePrompt, func(in *providers.ChargeRequest) { in.Method.PhoneNumber = "233abc2345" }, true},
		"country":           {samplePrompt, func(in *providers.ChargeRequest) { in.Method.PhoneNumber = "491234567" }, true},
		"country's money":   {samplePrompt, func(in *providers.ChargeRequest) { in.Currency = "USD" }, true},
		"no key":            {sampleCharge, func(in *providers.ChargeRequest) { in.Key = "" }, false},
		"a key of our form": {sampleCharge, func(in *providers.ChargeRequest) { in.Key = "key-1" }, false},
		"a key in braces":   {sampleCharge, func(in *providers.ChargeRequest) { in.Key = "{" + ourSend + "}" }, false},
		"no transaction":    {sampleCharge, func(in *providers.ChargeRequest) { in.TransactionID = "" }, false},
		"no amount":         {sampleCharge, func(in *providers.ChargeRequest) { in.Amount = 0 }, false},
		"negative amount":   {sampleCharge, func(in *providers.ChargeRequest) { in.Amount = -1 }, false},
		"currency":          {sampleCharge, func(in *providers.ChargeRequest) { in.Currency = "CLF" }, false},
	} {
		in := c.sample()
		c.spoil(&in)
		_, err := f.Charge(t.Context(), in)
		require.Error(t, err, name)
		require.Equal(t, fault.Invalid, fault.From(err).Kind, name)
		require.Equal(t, c.method, len(fault.From(err).Code) > len(providers.MethodFault) &&
			fault.From(err).Code[:len(providers.MethodFault)] == providers.MethodFault, name)
		require.NotContains(t, err.Error(), "1234567", "a number is personal: %s", name)
	}
	for name, spoil := range map[string]func(*providers.RefundRequest){
		"of nothing":     func(in *providers.RefundRequest) { in.ChargeRef = "" },
		"no key":         func(in *providers.RefundRequest) { in.Key = "" },
		"no transaction": func(in *providers.RefundRequest) { in.TransactionID = "" },
		"no amount":      func(in *providers.RefundRequest) { in.Amount = 0 },
	} {
		in := sampleRefund()
		spoil(&in)
		_, err := f.Refund(t.Context(), in)
		require.Equal(t, fault.Invalid, fault.From(err).Kind, name)
	}
}

func answered(status, rest string) string {
	return `{"status":"success","data":{"id":"chg_1","amount":19.99,"currency":"USD","reference":"` + ourRef +
		`","status":"` + status + `"` + rest + `}}`
}

func TestCharge_Statuses(t *testing.T) {
	t.Parallel()
	const mobile, card = `,"payment_method":{"type":"mobile_money"}`, `,"payment_method_details":{"type":"card"}`
	next := func(kind string) string {
		return `,"next_action":{"type":"` + kind + `","redirect_url":{"url":"https://flutterwave.example/confirm"}}`
	}
	const back = `,"redirect_url":"https://app.example/back"`
	for _, c := range []struct {
		name, body string
		outcome    providers.Outcome
		code       providers.FailureCode
		confirm    string
	}{
		{"succeeded", answered("succeeded", card), providers.Succeeded, "", ""},
		{"voided", answered("voided", card), providers.Canceled, "", ""},
		{"pending", answered("pending", card), providers.Pending, "", ""},
		{"unknown", answered("under_review", card), providers.Pending, "", ""},
		{"card failed", answered("failed", card+`,"processor_response":{"type":"insufficient_funds","code":"51"}`),
			providers.Declined, providers.InsufficientFunds, ""},
		{"prompt failed", answered("failed", mobile+`,"processor_response":{"type":"do_not_honor","code":5}`),
			providers.Failed, providers.DeclinedCode, ""},
		{"failed without a word", answered("failed", card+`,"processor_response":null`),
			providers.Declined, providers.DeclinedCode, ""},
		{"prompt on its way", answered("pending", mobile+next("payment_instruction")), providers.Pending, "", ""},
		{"a step that we do not know", answered("pending", mobile+next("dance")), providers.Pending, "", ""},
		{"wallet wants a page", answered("pending", mobile+next("redirect_url")),
			providers.Declined, providers.InvalidAccount, ""},
		{"card wants a page", answered("pending", card+next("redirect_url")), providers.Declined, providers.DeclinedCode, ""},
		{"card wants a PIN", answered("pending", card+next("requires_pin")), providers.Declined, providers.DeclinedCode, ""},
		{"card wants an OTP", answered("pending", card+next("requires_otp")), providers.Declined, providers.DeclinedCode, ""},
		{"card wants an address", answered("pending", card+next("requires_additional_fields")),
			providers.Declined, providers.DeclinedCode, ""},
		{"a page with somebody there", answered("pending", mobile+next("redirect_url")+back),
			providers.Pending, "", "https://flutterwave.example/confirm"},
		{"an amount that USD cannot express", `{"status":"success","data":{"id":"chg_1","amount":19.999,` +
			`"currency":"USD","status":"succeeded"}}`, providers.Unknown, "", ""},
		{"no amount", `{"status":"success","data":{"id":"chg_1","currency":"USD","status":"succeeded"}}`,
			providers.Unknown, "", ""},
	} {
		f := answering(t, 200, c.body)
		res, err := f.Charge(t.Context(), sampleCharge())
		require.NoError(t, err, c.name)
		require.Equal(t, c.outcome, res.Outcome, c.name)
		require.Equal(t, "chg_1", res.Ref, c.name)
		require.Equal(t, c.code, res.FailureCode, c.name)
		require.Equal(t, c.confirm, res.ConfirmURL, c.name)
		require.Equal(t, c.code != "" || c.outcome == providers.Unknown, res.FailureReason != "", c.name)
		require.NotContains(t, string(res.Response), "confirm", "a page that pays is no business of a log")
		found, err := f.LookupCharge(t.Context(), providers.LookupRequest{TransactionID: "txn_42", Ref: "chg_1"})
		require.NoError(t, err, c.name)
		require.Equal(t, res, found, "a look-up says the same: %s", c.name)
	}
}

func TestCharge_SomebodyIsThere(t *testing.T) {
	t.Parallel()
	bodies := make(chan string, 1)
	f := against(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies <- string(body)
		_, _ = io.WriteString(w, succeededCharge)
	})
	in := sampleCharge()
	in.ReturnURL = "https://app.example/back"
	_, err := f.Charge(t.Context(), in)
	require.NoError(t, err)
	require.Contains(t, <-bodies, `"redirect_url":"https://app.example/back"`)
}

// Flutterwave answers a repeated key with the first answer, whatever the new request.
func TestCharge_KeyOfAnotherRequest(t *testing.T) {
	t.Parallel()
	f := against(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Idempotency-Cache-Hit", "true")
		_, _ = io.WriteString(w, succeededCharge)
	})
	res, err := f.Charge(t.Context(), sampleCharge())
	require.NoError(t, err)
	require.Equal(t, providers.Succeeded, res.Outcome)
	for name, spoil := range map[string]func(*providers.ChargeRequest){
		"amount":      func(in *providers.ChargeRequest) { in.Amount++ },
		"currency":    func(in *providers.ChargeRequest) { in.Currency = "EUR" },
		"transaction": func(in *providers.ChargeRequest) { in.TransactionID = "txn_other" },
	} {
		in := sampleCharge()
		spoil(&in)
		_, err := f.Charge(t.Context(), in)
		require.Equal(t, "provider_key_reused", fault.From(err).Code, name)
		require.False(t, fault.From(err).Retryable(), name)
	}
}
