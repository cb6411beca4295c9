package conformance

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/providers"
)

// Charges that are completed with the values that the payer's browser brings back from the provider's page.
var completions = []scenario{
	{"a confirmed charge is completed once", needs{completes}, func(t *testing.T, b *bench) {
		in, res := b.askPayer(t)
		brought := b.visit(t, res, "confirm")
		b.requireCaptures(t, 0)
		for range 2 {
			done := b.complete(t, in, res, brought)
			require.Equal(t, providers.Succeeded, done.Outcome)
			require.Equal(t, b.Price, priceOf(done))
			require.Empty(t, done.ConfirmURL)
			require.NotContains(t, string(done.Response), brought.Encode())
		}
		b.requireCaptures(t, 1)
	}},
	{"completing says that the payer refused", needs{completes}, func(t *testing.T, b *bench) {
		in, res := b.askPayer(t)
		done := b.complete(t, in, res, b.visit(t, res, "refuse"))
		require.Contains(t, refused, done.Outcome)
		require.Equal(t, providers.DeclinedCode, done.FailureCode)
		b.requireCaptures(t, 0)
	}},
	{"a payer who brings something else is asked on", needs{completes}, func(t *testing.T, b *bench) {
		in, res := b.askPayer(t)
		for _, value := range []string{"", "forged", strings.Repeat("x", 30000)} {
			brought := url.Values{}
			for _, name := range b.Factory.ReturnParameters() {
				brought.Set(name, value)
			}
			require.Equal(t, providers.NotSent, b.complete(t, in, res, brought).Outcome)
		}
		require.Equal(t, providers.Succeeded, b.complete(t, in, res, b.visit(t, res, "confirm")).Outcome)
		b.requireCaptures(t, 1)
	}},
	{"nobody completes a charge with what is another's", needs{completes}, func(t *testing.T, b *bench) {
		in, res := b.askPayer(t)
		other := b.requestOf("txn_other", b.Methods.AsksPayer)
		other.ReturnURL = returnURL
		brought := b.visit(t, b.charge(t, other), "confirm")
		require.Equal(t, providers.NotSent, b.complete(t, in, res, brought).Outcome)
		require.Empty(t, b.Rig.Captures(t, txn))
	}},
	{"a completion without an answer is repeated", needs{completes}, func(t *testing.T, b *bench) {
		for _, fault := range []string{"reset", "reset_booked", "500_booked", "503", "bad_json"} {
			fresh := &bench{b.Subject}
			in := fresh.requestOf("txn_"+strings.ReplaceAll(fault, "_", ""), b.Methods.AsksPayer)
			in.ReturnURL = returnURL
			res := fresh.charge(t, in)
			brought := fresh.visit(t, res, "confirm")
			b.Rig.Fault(t, fault, b.CompletePath)
			require.Equal(t, providers.Unknown, fresh.complete(t, in, res, brought).Outcome, fault)
			b.Rig.EndFaults(t)
			require.Equal(t, providers.Succeeded, fresh.complete(t, in, res, brought).Outcome, fault)
			require.Len(t, b.Rig.Captures(t, in.TransactionID), 1, fault)
		}
	}},
}

// visit lets a payer decide on the provider's page, and returns the parameters that the provider needs from the
// browser.
func (b *bench) visit(t *testing.T, res providers.Result, decision string) url.Values {
	t.Helper()
	form := strings.NewReader(url.Values{"decision": {decision}}.Encode())
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, res.ConfirmURL, form)
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := http.DefaultTransport.RoundTrip(req)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, http.StatusSeeOther, answer.StatusCode)
	back, err := url.Parse(answer.Header.Get("Location"))
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(back.String(), returnURL+"?"), back)
	brought := url.Values{}
	for _, name := range b.Factory.ReturnParameters() {
		require.NotEmpty(t, back.Query().Get(name))
		brought.Set(name, back.Query().Get(name))
	}
	return brought
}

func (b *bench) complete(
	t *testing.T, in providers.ChargeRequest, res providers.Result, brought url.Values,
) providers.Result {
	t.Helper()
	done, err := b.Provider.CompleteCharge(t.Context(), providers.CompleteRequest{
		TransactionID: in.TransactionID, Key: in.Key, Ref: res.Ref, Brought: brought,
	})
	require.NoError(t, err)
	return b.clean(t, done)
}
