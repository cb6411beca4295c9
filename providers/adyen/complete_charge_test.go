package adyen

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/providers"
)

func sampleCompletion() providers.CompleteRequest {
	return providers.CompleteRequest{
		TransactionID: "txn_42", Key: sampleCharge().Key, Ref: "PSP2", Brought: url.Values{redirectResult: {"X6Xtf!Y"}},
	}
}

func TestCompleteCharge_OnTheWire(t *testing.T) {
	t.Parallel()
	adapter, requests := recording(t, paid)
	in := sampleCompletion()
	for range 2 {
		_, err := adapter.CompleteCharge(t.Context(), in)
		require.NoError(t, err)
	}
	in.Brought = url.Values{redirectResult: {"another"}}
	_, err := adapter.CompleteCharge(t.Context(), in)
	require.NoError(t, err)
	got := requests()
	require.Equal(t, "POST /v71/payments/details", got[0].method+" "+got[0].path)
	require.Equal(t, map[string]any{"details": map[string]any{"redirectResult": "X6Xtf!Y"}}, got[0].body)
	detailsSchema.check(t, got[0].path, got[0].body)
	key := func(i int) string { return got[i].header.Get("Idempotency-Key") }
	require.Equal(t, key(0), key(1), "a repeat")
	require.NotEqual(t, key(0), key(2), "another result is another request")
	require.NotEqual(t, in.Key, key(0))
	require.NotContains(t, key(0), "X6Xtf")
}

func TestCompleteCharge_Answers(t *testing.T) {
	t.Parallel()
	ours := `"merchantReference":"` + sampleReference(opCharge) + `","pspReference":"PSP3",`
	amount := `"amount":{"currency":"EUR","value":1999},`
	for name, c := range map[string]struct {
		answer string
		want   providers.Outcome
		code   providers.FailureCode
		ref    string
	}{
		"authorised": {ours + amount + `"resultCode":"Authorised"`, providers.Succeeded, "", "PSP3"},
		"of the first payment": {
			`"merchantReference":"` + sampleReference(opUnattended) + `","pspReference":"PSP2","resultCode":"Authorised"`,
			providers.Succeeded, "", "PSP2",
		},
		"known by Adyen's": {`"pspReference":"PSP2","resultCode":"Authorised"`, providers.Succeeded, "", "PSP2"},
		"not authenticated": {
			ours + `"resultCode":"Refused","refusalReasonCode":"11"`, providers.Declined, providers.DeclinedCode, "PSP3",
		},
		"no funds": {
			ours + `"resultCode":"Refused","refusalReasonCode":"12"`, providers.Declined, providers.InsufficientFunds, "PSP3",
		},
		"the payer canceled": {ours + `"resultCode":"Cancelled"`, providers.Declined, providers.DeclinedCode, "PSP3"},
		"error":              {ours + `"resultCode":"Error"`, providers.Failed, providers.DeclinedCode, "PSP3"},
		"pending":            {ours + `"resultCode":"Received"`, providers.Pending, "", "PSP3"},
		"another payment's": {
			`"merchantReference":"txn_41-c000000000000","pspReference":"PSP2","resultCode":"Authorised"`,
			providers.NotSent, "", "",
		},
		"an earlier send's": {
			`"merchantReference":"` + newReference("txn_42", opCharge, "earlier").String() + `","resultCode":"Refused"`,
			providers.NotSent, "", "",
		},
		"whose is not said": {`"pspReference":"PSP9","resultCode":"Authorised"`, providers.Pending, "", ""},
		"nameless":          {`"resultCode":"Refused"`, providers.Pending, "", ""},
		"undocumented":      {ours + `"resultCode":"AuthenticationFinished"`, providers.Unknown, "", "PSP3"},
	} {
		res, err := answering(t, http.StatusOK, "{"+c.answer+"}").CompleteCharge(t.Context(), sampleCompletion())
		require.NoError(t, err, name)
		require.Equal(t, [3]any{c.want, c.code, c.ref}, [3]any{res.Outcome, res.FailureCode, res.Ref}, name)
		require.Equal(t, http.StatusOK, res.HTTPStatus, name)
	}
	again := "{" + ours + `"resultCode":"RedirectShopper",` +
		`"action":{"type":"redirect","method":"GET","url":"` + bankPage + `"}}`
	res, err := answering(t, http.StatusOK, again).CompleteCharge(t.Context(), sampleCompletion())
	require.NoError(t, err)
	require.Equal(t, [2]any{providers.Pending, bankPage}, [2]any{res.Outcome, res.ConfirmURL}, "asked once more")
}

func TestCompleteCharge_Errors(t *testing.T) {
	t.Parallel()
	const busy = `{"errorCode":"704","message":"request already processed or in progress","errorType":"validation"}`
	for name, c := range map[string]struct {
		status int
		body   string
		want   providers.Outcome
	}{
		"not Adyen's": {422, `{"errorCode":"14_038","errorType":"validation"}`, providers.NotSent},
		"malformed":   {400, `{"errorCode":"702","errorType":"validation"}`, providers.NotSent},
		"used before": {422, busy, providers.Unknown},
		"wrong key":   {401, `{"errorCode":"000","errorType":"security"}`, providers.Unknown},
		"too many":    {429, ``, providers.Unknown},
		"500":         {500, `{"errorCode":"905","errorType":"internal"}`, providers.Unknown},
		"a portal":    {200, `<html>`, providers.Unknown},
	} {
		res, err := answering(t, c.status, c.body).CompleteCharge(t.Context(), sampleCompletion())
		require.NoError(t, err, name)
		require.Equal(t, [2]any{c.want, c.status}, [2]any{res.Outcome, res.HTTPStatus}, name)
		require.Empty(t, res.FailureCode, name)
	}
	in := sampleCompletion()
	in.TransactionID = ""
	_, err := open(t, providers.Account{}).CompleteCharge(t.Context(), in)
	require.Equal(t, "provider_request_invalid", fault.From(err).Code)
}
