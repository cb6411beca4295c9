package adyen

import (
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"perennial/providers"
)

const (
	wanted = `{"pspReference":"PSP1","resultCode":"Refused","refusalReason":"Authentication required","refusalReasonCode":"38"}`
	paged  = `{"pspReference":"PSP2","resultCode":"RedirectShopper","action":{"paymentMethodType":"scheme","method":"GET",` +
		`"type":"redirect","url":"https://checkoutshopper-test.adyen.com/threeDS"}}`
	bankPage = "https://checkoutshopper-test.adyen.com/threeDS"
)

// The answers to the second request, with the payer present, and what each proves about the charge.
func TestCharge_AsksPayer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status int
		second string
		want   providers.Outcome
		page   string
		ref    string
	}{
		"a page":              {200, paged, providers.Pending, bankPage, "PSP2"},
		"the bank is content": {200, `{"pspReference":"PSP2","resultCode":"Authorised"}`, providers.Succeeded, "", "PSP2"},
		"refused after all":   {200, `{"pspReference":"PSP2","resultCode":"Refused"}`, providers.Declined, "", "PSP2"},
		"refused as before":   {200, wanted, providers.Declined, "", "PSP1"}, // as a bank without 3-D Secure does
		"a page without a name": {
			200, `{"resultCode":"RedirectShopper","action":{"type":"redirect","url":"u"}}`, providers.Declined, "", "",
		},
		"a page with a form": {200, `{"pspReference":"PSP2","resultCode":"RedirectShopper","action":{"type":"redirect",` +
			`"method":"POST","url":"u"}}`, providers.Declined, "", "PSP2"},
		"no page for a browser": {200, `{"pspReference":"PSP2","resultCode":"IdentifyShopper","action":{"type":"threeDS2"}}`,
			providers.Declined, "", "PSP2"},
		"not to be asked": {422, `{"errorCode":"14_032","errorType":"validation"}`, providers.Declined, "", "PSP1"},
		"not answered":    {500, `{"errorCode":"905"}`, providers.Unknown, "", ""},
		"not taken":       {429, ``, providers.Unknown, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requests := make(chan seen, 2)
			adapter := against(t, func(w http.ResponseWriter, r *http.Request) {
				got := seen{header: r.Header}
				_ = json.NewDecoder(r.Body).Decode(&got.body)
				requests <- got
				if got.body["recurringProcessingModel"] == "Subscription" {
					assert.NotContains(t, got.body, "authenticationData", "the first request is that of every charge")
					assert.NotContains(t, got.body, "browserInfo")
					_, _ = io.WriteString(w, wanted)
					return
				}
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.second)
			})
			in := sampleCharge()
			in.ReturnURL = "https://billing.example/confirm/TOKEN/return"
			res, err := adapter.Charge(t.Context(), in)
			require.NoError(t, err)
			require.Equal(t, [3]any{c.want, c.page, c.ref}, [3]any{res.Outcome, res.ConfirmURL, res.Ref})
			require.NotContains(t, string(res.Response), "threeDS", "what is stored does not lead to the page")
			require.Len(t, requests, 2)
			first, second := <-requests, <-requests
			paymentSchema.check(t, "/payments", second.body)
			require.Equal(t, first.body["reference"], second.body["reference"], "webhooks about both are about the charge")
			require.Equal(t, "CardOnFile", second.body["recurringProcessingModel"])
			require.Equal(t, in.ReturnURL, second.body["returnUrl"])
			key := second.header.Get("Idempotency-Key")
			require.NotEmpty(t, key)
			require.NotEqual(t, first.header.Get("Idempotency-Key"), key)
		})
	}
}

func TestCharge_AsksNobodyWithoutAReturn(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{wanted, paged} {
		adapter, requests := recording(t, answer)
		res, err := adapter.Charge(t.Context(), sampleCharge())
		require.NoError(t, err)
		require.Equal(t, [2]any{providers.Declined, ""}, [2]any{res.Outcome, res.ConfirmURL})
		require.Len(t, requests(), 1)
	}
}

// A merchant's own rules may send the payer to a page at once.
func TestCharge_PageAtOnce(t *testing.T) {
	t.Parallel()
	adapter, requests := recording(t, paged)
	in := sampleCharge()
	in.ReturnURL = "https://billing.example/confirm/TOKEN/return"
	res, err := adapter.Charge(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, [2]any{providers.Pending, bankPage}, [2]any{res.Outcome, res.ConfirmURL})
	require.Empty(t, res.FailureReason)
	require.Len(t, requests(), 1)
}

// A webhook about the first payment must not be taken for one about the payment that asks the payer. A send of an
// earlier build is repeated as it was.
func TestCharge_PaymentsOfOneChargeHaveReferencesOfTheirOwn(t *testing.T) {
	t.Parallel()
	for _, apart := range []bool{true, false} {
		adapter, requests := recording(t, wanted, paged)
		in := sampleCharge()
		in.ReturnURL, in.AskedApart = "https://billing.example/confirm/TOKEN/return", apart
		res, err := adapter.Charge(t.Context(), in)
		require.NoError(t, err)
		require.Equal(t, providers.Pending, res.Outcome)
		got, first := requests(), opCharge
		if apart {
			first = opUnattended
		}
		require.Equal(t, [2]any{sampleReference(first), sampleReference(opCharge)},
			[2]any{got[0].body["reference"], got[1].body["reference"]})
		require.Equal(t, in.Key, got[0].header.Get("Idempotency-Key"))
		require.NotEqual(t, in.Key, got[1].header.Get("Idempotency-Key"))
	}
}
