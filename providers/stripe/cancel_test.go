package stripe

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/providers"
)

const intentHead = `{"id":"pi_1","object":"payment_intent","amount":1999,"currency":"usd","metadata":{"txn_id":"txn_1"},"status":`

func TestCancelCharge(t *testing.T) {
	t.Parallel()
	const refusal = `{"error":{"type":"invalid_request_error","code":"payment_intent_unexpected_state","message":"no"}}`
	for name, tc := range map[string]struct {
		before, after string // status by look-up, before and after the cancel
		status        int    // of the cancel
		answer        string
		want          providers.Outcome
		cancels       int
	}{
		"open":                   {"requires_capture", "canceled", 200, intentHead + `"canceled"}`, providers.Canceled, 1},
		"it succeeded meanwhile": {"processing", "succeeded", 400, refusal, providers.Succeeded, 1},
		"it cannot be stopped":   {"processing", "processing", 400, refusal, providers.Pending, 1},
		"Stripe breaks":          {"processing", "processing", 500, `{}`, providers.Unknown, 1},
		"over before we asked":   {"succeeded", "succeeded", 200, "", providers.Succeeded, 0},
		"declined before we ask": {"requires_payment_method", "", 200, "", providers.Declined, 0},
	} {
		status, cancels := tc.before, 0
		adapter := against(t, func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/cancel") {
				cancels++
				status = tc.after
				w.WriteHeader(tc.status)
				_, _ = io.WriteString(w, tc.answer)
				return
			}
			_, _ = io.WriteString(w, intentHead+`"`+status+`"}`)
		})
		got, err := adapter.CancelCharge(t.Context(), providers.LookupRequest{TransactionID: "txn_1", Ref: "pi_1"})
		require.NoError(t, err, name)
		require.Equal(t, tc.want, got.Outcome, name)
		require.Equal(t, tc.cancels, cancels, name)
	}
}

// An intent that waits for the customer is given up, even if the clean-up fails.
func TestCancelCharge_AuthenticationRequired(t *testing.T) {
	t.Parallel()
	for _, cleanUp := range []int{http.StatusOK, http.StatusInternalServerError} {
		reasons := make(chan string, 1)
		adapter := against(t, func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/cancel") {
				reasons <- r.PostFormValue("cancellation_reason")
				w.WriteHeader(cleanUp)
				return
			}
			_, _ = io.WriteString(w, intentHead+`"requires_action"}`)
		})
		got, err := adapter.Charge(t.Context(), sampleCharge())
		require.NoError(t, err)
		require.Equal(t, providers.Declined, got.Outcome)
		require.Equal(t, mustAuthenticate, got.FailureReason)
		require.Equal(t, abandoned, <-reasons)
	}
}
