package stripe

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"perennial/providers"
)

const (
	wanted = `{"error":{"type":"card_error","code":"authentication_required","decline_code":"authentication_required",` +
		`"message":"m","payment_intent":` + intentHead + `"requires_payment_method"}}}`
	paged = intentHead + `"requires_action","next_action":{"type":"redirect_to_url",` +
		`"redirect_to_url":{"url":"https://hooks.stripe.com/3ds","return_url":"r"}}}`
	refusedAfterAll = `{"error":{"type":"card_error","code":"card_declined"}}`
	unconfirmable   = `{"error":{"type":"invalid_request_error"}}`

	wantedIntent = intentHead + `"requires_payment_method","last_payment_error":{"code":"authentication_required"}}`
)

// The answers to the second request, on-session, and what each proves about the charge.
func TestCharge_AsksPayer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		first   string // of status 402 where it is an error
		status  int
		confirm string
		lookup  string
		want    providers.Outcome
		page    string
		cancels int
	}{
		"a page": {wanted, 200, paged, "", providers.Pending, "https://hooks.stripe.com/3ds", 0},
		"an intent that waits at once": {intentHead + `"requires_action"}`, 200, paged, "", providers.Pending,
			"https://hooks.stripe.com/3ds", 0},
		"the bank is content":   {wanted, 200, intentHead + `"succeeded"}`, "", providers.Succeeded, "", 0},
		"no page for a browser": {wanted, 200, intentHead + `"requires_action"}`, "", providers.Declined, "", 1},
		"refused after all":     {wanted, 402, refusedAfterAll, "", providers.Declined, "", 0},
		"not answered":          {wanted, 500, `{"error":{"type":"api_error"}}`, "", providers.Unknown, "", 0},
		"not taken":             {wanted, 429, unconfirmable, "", providers.Unknown, "", 0},
		"confirmed before, paid": {wanted, 400, unconfirmable, intentHead + `"succeeded"}`,
			providers.Succeeded, "", 0},
		"not to be confirmed": {wanted, 400, unconfirmable, wantedIntent, providers.Declined, "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cancels := 0
			adapter := against(t, func(w http.ResponseWriter, r *http.Request) {
				switch {
				case strings.HasSuffix(r.URL.Path, "/confirm"):
					assert.Equal(t, "pm_9", r.PostFormValue("payment_method"))
					assert.Equal(t, "https://billing.example/back", r.PostFormValue("return_url"))
					assert.Empty(t, r.Header.Get("Idempotency-Key"))
					assert.False(t, r.PostForm.Has("off_session"), "the payer is there")
					w.WriteHeader(c.status)
					_, _ = io.WriteString(w, c.confirm)
				case strings.HasSuffix(r.URL.Path, "/cancel"):
					cancels++
				case r.Method == http.MethodGet:
					_, _ = io.WriteString(w, c.lookup)
				default:
					assert.Equal(t, "true", r.PostFormValue("off_session"))
					assert.False(t, r.PostForm.Has("return_url"), "the first request is that of every charge")
					if strings.HasPrefix(c.first, `{"error"`) {
						w.WriteHeader(http.StatusPaymentRequired)
					}
					_, _ = io.WriteString(w, c.first)
				}
			})
			in := sampleCharge()
			in.TransactionID, in.ReturnURL = "txn_1", "https://billing.example/back"
			got, err := adapter.Charge(t.Context(), in)
			require.NoError(t, err)
			require.Equal(t, c.want, got.Outcome)
			require.Equal(t, c.page, got.ConfirmURL)
			require.Equal(t, "pi_1", got.Ref, "a look-up must find it")
			require.Equal(t, c.cancels, cancels)
			require.NotContains(t, string(got.Response), "hooks.stripe.com")
		})
	}
}

// A look-up cancels a charge that was refused because its payer must authenticate: a confirmation may still be on its
// way.
func TestLookupCharge_GivesUpWhatWantsItsPayer(t *testing.T) {
	t.Parallel()
	cancels := 0
	adapter := against(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/cancel") {
			cancels++
		}
		_, _ = io.WriteString(w, wantedIntent)
	})
	got, err := adapter.LookupCharge(t.Context(), providers.LookupRequest{TransactionID: "txn_1", Ref: "pi_1"})
	require.NoError(t, err)
	require.Equal(t, providers.Declined, got.Outcome)
	require.Equal(t, 1, cancels)
}
