package adyen

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/providers"
)

const paid = `{"pspReference":"993617894903480A","resultCode":"Authorised","additionalData":{"cardHolderName":"Casey"}}`

// The whole request.
func TestCharge_OnTheWire(t *testing.T) {
	t.Parallel()
	adapter, requests := recording(t, paid)
	_, err := adapter.Charge(t.Context(), sampleCharge())
	require.NoError(t, err)
	got := requests()[0]
	require.Equal(t, "POST /v71/payments", got.method+" "+got.path)
	require.Equal(t, map[string]any{
		"merchantAccount": "AcmeECOM", "reference": sampleReference(opCharge),
		"amount":           map[string]any{"currency": "EUR", "value": 1999.0},
		"paymentMethod":    map[string]any{"type": "scheme", "storedPaymentMethodId": "M5N7TQ4TG5PFWR50"},
		"shopperReference": "shopper_7", "shopperInteraction": "ContAuth", "recurringProcessingModel": "Subscription",
		"returnUrl": "https://return.invalid/", "captureDelayHours": 0.0,
		"metadata": map[string]any{"description": "Invoice in_7"},
	}, got.body)
	for name, want := range map[string]string{
		"X-Api-Key": testAPIKey, "Idempotency-Key": sampleCharge().Key, "Content-Type": "application/json",
	} {
		require.Equal(t, want, got.header.Get(name), name)
	}
}

func TestCharge_RepeatIsTheSameRequest(t *testing.T) {
	t.Parallel()
	adapter, requests := recording(t, paid)
	in := sampleCharge()
	for range 2 {
		_, err := adapter.Charge(t.Context(), in)
		require.NoError(t, err)
	}
	in.Key = "another"
	_, err := adapter.Charge(t.Context(), in)
	require.NoError(t, err)
	got := requests()
	require.Equal(t, got[0].body, got[1].body)
	require.NotEqual(t, got[0].body["reference"], got[2].body["reference"], "another send is another payment")
}

func TestCharge_ImpossibleRequests(t *testing.T) {
	t.Parallel()
	adapter := against(t, func(http.ResponseWriter, *http.Request) { t.Error("nothing may be sent") })
	for name, c := range map[string]struct {
		spoil  func(*providers.ChargeRequest)
		method bool // the customer's method is at fault, not the request
	}{
		"mobile money": {func(in *providers.ChargeRequest) { in.Method.Type = "mobile_money_mtn" }, true},
		"no card":      {func(in *providers.ChargeRequest) { in.Method.PaymentMethodToken = "" }, true},
		"long card": {func(in *providers.ChargeRequest) {
			in.Method.PaymentMethodToken = strings.Repeat("a", 65)
		}, true},
		"no shopper":       {func(in *providers.ChargeRequest) { in.Method.CustomerToken = "" }, true},
		"short shopper":    {func(in *providers.ChargeRequest) { in.Method.CustomerToken = "ab" }, true},
		"no key":           {func(in *providers.ChargeRequest) { in.Key = "" }, false},
		"long key":         {func(in *providers.ChargeRequest) { in.Key = strings.Repeat("k", 65) }, false},
		"key of two lines": {func(in *providers.ChargeRequest) { in.Key = "a\r\nb" }, false},
		"no transaction":   {func(in *providers.ChargeRequest) { in.TransactionID = "" }, false},
		"colon":            {func(in *providers.ChargeRequest) { in.TransactionID = "txn:1" }, false},
		"long transaction": {func(in *providers.ChargeRequest) { in.TransactionID = strings.Repeat("t", 61) }, false},
		"no amount":        {func(in *providers.ChargeRequest) { in.Amount = 0 }, false},
		"no currency":      {func(in *providers.ChargeRequest) { in.Currency = "" }, false},
		"unknown units":    {func(in *providers.ChargeRequest) { in.Currency = "CLF" }, false},
	} {
		in := sampleCharge()
		c.spoil(&in)
		_, err := adapter.Charge(t.Context(), in)
		require.Equal(t, fault.Invalid, fault.From(err).Kind, name)
		require.Equal(t, c.method, strings.HasPrefix(fault.From(err).Code, providers.MethodFault), name)
	}
}

func TestReference_IsShortAndReadBack(t *testing.T) {
	t.Parallel()
	longest := newReference(strings.Repeat("t", 60), opReversal, "k")
	require.LessOrEqual(t, len(longest.String()), 80)
	back, ok := parseReference(longest.String())
	require.True(t, ok)
	require.Equal(t, longest, back)
	for _, foreign := range []string{"", "txn_42", "txn_42-c", "txn_42-z0123456789ab", "order 7"} {
		_, ok := parseReference(foreign)
		require.False(t, ok, foreign)
	}
}

// Adyen may answer a used key with its first result, whatever is asked under it now.
func TestCharge_AnotherRequestsAnswerIsAnError(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{
		`{"pspReference":"1","resultCode":"Authorised","merchantReference":"txn_41-c000000000000"}`,
		`{"pspReference":"1","resultCode":"Authorised","amount":{"currency":"EUR","value":3998}}`,
		`{"pspReference":"1","resultCode":"Authorised","amount":{"currency":"USD","value":1999}}`,
		`{"pspReference":"1","resultCode":"Refused","merchantReference":"txn_41-c000000000000"}`,
	} {
		_, err := answering(t, http.StatusOK, answer).Charge(t.Context(), sampleCharge())
		f := fault.From(err)
		require.Equal(t, [2]any{fault.Conflict, "provider_key_reused"}, [2]any{f.Kind, f.Code}, answer)
		require.False(t, f.Retryable())
	}
}

func TestCharge_PartialAuthorisationIsGivenBack(t *testing.T) {
	t.Parallel()
	const partial = `{"pspReference":"PSP/1","resultCode":"PartiallyAuthorised",` +
		`"amount":{"currency":"EUR","value":1000}}`
	adapter, requests := recording(t, partial, `{"status":"received","pspReference":"REV1"}`)
	res, err := adapter.Charge(t.Context(), sampleCharge())
	require.NoError(t, err)
	require.Equal(t, providers.Declined, res.Outcome)
	require.Equal(t, providers.InsufficientFunds, res.FailureCode)
	require.Equal(t, "PSP/1", res.Ref)
	require.EqualValues(t, 1000, res.Amount)
	got := requests()
	require.Len(t, got, 2)
	require.Equal(t, "/v71/payments/PSP%2F1/reversals", got[1].path)
	require.Equal(t, map[string]any{"merchantAccount": "AcmeECOM", "reference": sampleReference(opReversal)}, got[1].body)
	key := got[1].header.Get("Idempotency-Key")
	require.NotEmpty(t, key)
	require.NotEqual(t, sampleCharge().Key, key)
}

// Where the clean-up fails the charge must be sent again, so it can be neither declined nor looked up.
func TestCharge_PartialAuthorisationThatStaysIsUnknown(t *testing.T) {
	t.Parallel()
	const partial = `{"pspReference":"PSP1","resultCode":"PartiallyAuthorised",` +
		`"amount":{"currency":"EUR","value":1000}}`
	for _, second := range []string{`{}`, `not JSON`, `{"status":"received"}`} {
		adapter, _ := recording(t, partial, second)
		res, err := adapter.Charge(t.Context(), sampleCharge())
		require.NoError(t, err)
		require.Equal(t, [2]any{providers.Unknown, ""}, [2]any{res.Outcome, res.Ref}, second)
		require.Positive(t, res.RetryAfter)
	}
}

func TestCharge_Units(t *testing.T) {
	t.Parallel()
	adapter, requests := recording(t, `{"pspReference":"1","resultCode":"Pending"}`)
	for _, c := range []struct {
		currency money.Currency
		amount   money.Minor
		wire     float64
	}{
		{"ISK", 100, 10000}, {"CLP", 5, 500}, {"CVE", 500, 5}, {"IDR", 100, 1}, {"KWD", 1235, 1235},
		{"UGX", 5000, 5000},
	} {
		in := sampleCharge()
		in.Amount, in.Currency = c.amount, c.currency
		_, err := adapter.Charge(t.Context(), in)
		require.NoError(t, err)
		require.Equal(t, map[string]any{"currency": string(c.currency), "value": c.wire}, requests()[0].body["amount"])
	}
}
