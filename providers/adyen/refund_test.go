package adyen

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/providers"
)

func TestRefund_IsReceived(t *testing.T) {
	t.Parallel()
	adapter, requests := recording(t,
		`{"merchantAccount":"AcmeECOM","paymentPspReference":"993617894903480A","pspReference":"REF1","status":"received"}`)
	in := sampleRefund()
	in.ChargeRef = "993617894903480A/../x"
	res, err := adapter.Refund(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, providers.Pending, res.Outcome)
	require.Equal(t, "REF1", res.Ref)
	require.EqualValues(t, 500, res.Amount)
	got := requests()[0]
	require.Equal(t, "/v71/payments/993617894903480A%2F..%2Fx/refunds", got.path)
	require.Equal(t, map[string]any{
		"merchantAccount": "AcmeECOM", "reference": newReference("txn_43", opRefund, "refund-1").String(),
		"amount": map[string]any{"currency": "EUR", "value": 500.0},
	}, got.body)
	require.Equal(t, "refund-1", got.header.Get("Idempotency-Key"))
}

func TestRefund_Refusals(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		status  int
		body    string
		outcome providers.Outcome
	}{
		"too large":      {422, `{"errorCode":"137","errorType":"validation","message":"Invalid amount"}`, providers.Failed},
		"a card's code":  {422, `{"errorCode":"803","errorType":"validation"}`, providers.Failed},
		"wrong key":      {401, ``, providers.NotSent},
		"500":            {500, `{"errorCode":"905","errorType":"internal"}`, providers.Unknown},
		"not received":   {201, `{"status":"rejected","pspReference":"1"}`, providers.Unknown},
		"without a name": {201, `{"status":"received"}`, providers.Unknown},
	} {
		res, err := answering(t, tc.status, tc.body).Refund(t.Context(), sampleRefund())
		require.NoError(t, err)
		require.Equal(t, tc.outcome, res.Outcome, name)
		require.Empty(t, res.FailureCode, name)
		require.NotEmpty(t, res.FailureReason, name)
	}
}

func TestRefund_ImpossibleAndReused(t *testing.T) {
	t.Parallel()
	adapter := answering(t, http.StatusCreated,
		`{"status":"received","pspReference":"1","amount":{"currency":"EUR","value":1}}`)
	for _, spoil := range []func(*providers.RefundRequest){
		func(in *providers.RefundRequest) { in.ChargeRef = "" },
		func(in *providers.RefundRequest) { in.Amount = 0 },
		func(in *providers.RefundRequest) { in.Key = "" },
	} {
		in := sampleRefund()
		spoil(&in)
		_, err := adapter.Refund(t.Context(), in)
		require.Equal(t, fault.Invalid, fault.From(err).Kind)
	}
	_, err := adapter.Refund(t.Context(), sampleRefund())
	require.Equal(t, "provider_key_reused", fault.From(err).Code)
}

func TestCancelCharge_ByEitherReference(t *testing.T) {
	t.Parallel()
	adapter, requests := recording(t, `{"status":"received","pspReference":"CX1"}`)
	in := providers.LookupRequest{TransactionID: "txn_42", Key: sampleCharge().Key}
	for _, ref := range []string{"", "PSP1"} {
		in.Ref = ref
		res, err := adapter.CancelCharge(t.Context(), in)
		require.NoError(t, err)
		require.Equal(t, [2]any{providers.Pending, ref}, [2]any{res.Outcome, res.Ref}, "a webhook tells the rest")
	}
	got := requests()
	require.Equal(t, "/v71/cancels", got[0].path)
	require.Equal(t, map[string]any{
		"merchantAccount": "AcmeECOM", "reference": sampleReference(opCancel), "paymentReference": sampleReference(opCharge),
	}, got[0].body)
	require.Equal(t, "/v71/payments/PSP1/cancels", got[1].path)
	require.Equal(t, map[string]any{"merchantAccount": "AcmeECOM", "reference": sampleReference(opCancel)}, got[1].body)
	require.Empty(t, got[0].header.Get("Idempotency-Key"))
}

// Where the payer may have been asked by a second payment, both are canceled.
func TestCancelCharge_OfTwoPayments(t *testing.T) {
	t.Parallel()
	const taken = `{"status":"received","pspReference":"CX1"}`
	in := providers.LookupRequest{TransactionID: "txn_42", Key: sampleCharge().Key, AskedApart: true}
	adapter, requests := recording(t, taken)
	res, err := adapter.CancelCharge(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, providers.Pending, res.Outcome)
	got := requests()
	require.Equal(t, [2]any{sampleReference(opUnattended), sampleReference(opCharge)},
		[2]any{got[0].body["paymentReference"], got[1].body["paymentReference"]})

	adapter, _ = recording(t, taken, `{}`)
	res, err = adapter.CancelCharge(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, providers.Unknown, res.Outcome, "the second was not taken")
}

func TestCancelCharge_RefusalSaysNothing(t *testing.T) {
	t.Parallel()
	for _, status := range []int{401, 403, 404, 422, 429, 500} {
		adapter := answering(t, status, `{"errorCode":"167","errorType":"validation","message":"Reference required"}`)
		res, err := adapter.CancelCharge(t.Context(), providers.LookupRequest{TransactionID: "txn_42", Key: "k"})
		require.NoError(t, err)
		require.Equal(t, providers.Unknown, res.Outcome)
	}
	_, err := answering(t, 201, "").CancelCharge(t.Context(), providers.LookupRequest{TransactionID: "txn_42"})
	require.Equal(t, fault.Invalid, fault.From(err).Kind, "our reference is made of the key")
}

func TestLookups_AreUnknownWithoutAsking(t *testing.T) {
	t.Parallel()
	adapter := against(t, func(http.ResponseWriter, *http.Request) { t.Error("nothing may be sent") })
	in := providers.LookupRequest{TransactionID: "txn_42", Key: "k", Ref: "PSP1"}
	charge, err := adapter.LookupCharge(t.Context(), in)
	require.NoError(t, err)
	refund, err := adapter.LookupRefund(t.Context(), in)
	require.NoError(t, err)
	for _, res := range []providers.Result{charge, refund} {
		require.Equal(t, providers.Unknown, res.Outcome)
		require.NotEmpty(t, res.FailureReason)
	}
}

func TestConnection(t *testing.T) {
	t.Parallel()
	adapter, requests := recording(t, `{"paymentMethods":[{"name":"Cards","type":"scheme"}]}`)
	require.NoError(t, adapter.TestConnection(t.Context()))
	got := requests()[0]
	require.Equal(t, "/v71/paymentMethods", got.path)
	require.Equal(t, map[string]any{"merchantAccount": "AcmeECOM"}, got.body)
	for name, tc := range map[string]struct {
		status      int
		body        string
		code, param string
	}{
		"wrong key":     {401, ``, "provider_credentials_rejected", FieldAPIKey},
		"wrong account": {403, ``, "provider_credentials_rejected", FieldMerchantAccount},
		"no account":    {422, ``, "provider_credentials_rejected", FieldMerchantAccount},
		"too many":      {429, ``, "provider_unavailable", ""},
		"down":          {503, ``, "provider_unavailable", ""},
		"a page":        {200, `<html>`, "provider_unavailable", ""},
		"null":          {200, `null`, "provider_unavailable", ""},
	} {
		f := fault.From(answering(t, tc.status, tc.body).TestConnection(t.Context()))
		require.Equal(t, [2]string{tc.code, tc.param}, [2]string{f.Code, f.Param}, name)
	}
}
