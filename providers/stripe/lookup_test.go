package stripe

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/providers"
)

// If a key was repeated after Stripe forgot it, the intent that moved money decides, whatever the order.
func TestLookup_MostTellingIntentDecides(t *testing.T) {
	t.Parallel()
	pi := func(id, status, txn string, created int64) intent {
		return intent{ID: id, Status: status, Created: created, Metadata: map[string]string{txnKey: txn}}
	}
	for name, tc := range map[string]struct {
		found []intent
		want  string
	}{
		"none":      {nil, ""},
		"another's": {[]intent{pi("pi_1", "succeeded", "TXN_1", 1)}, ""},
		"success over declines": {[]intent{
			pi("pi_1", "requires_payment_method", "txn_1", 1), pi("pi_2", "succeeded", "txn_1", 2),
		}, "pi_2"},
		"success over pending": {[]intent{pi("pi_1", "processing", "txn_1", 1), pi("pi_2", "succeeded", "txn_1", 2)},
			"pi_2"},
		"pending over canceled": {[]intent{pi("pi_1", "canceled", "txn_1", 1), pi("pi_2", "processing", "txn_1", 2)},
			"pi_2"},
		"the first of two success": {
			[]intent{pi("pi_2", "succeeded", "txn_1", 2), pi("pi_1", "succeeded", "txn_1", 1)}, "pi_1",
		},
	} {
		got := mostTelling(tc.found, "txn_1")
		if tc.want == "" {
			require.Nil(t, got, name)
			continue
		}
		require.Equal(t, tc.want, got.ID, name)
	}
}

// A list that never ends is not proof of absence.
func TestLookup_RefundSearchIsBounded(t *testing.T) {
	t.Parallel()
	pages := 0
	adapter := against(t, func(w http.ResponseWriter, r *http.Request) {
		pages++
		if pages > 1 && r.URL.Query().Get("starting_after") != fmt.Sprintf("re_%d", pages-1) {
			t.Errorf("page %d begins after %s", pages, r.URL.Query().Get("starting_after"))
		}
		_, _ = fmt.Fprintf(w, `{"object":"list","has_more":true,"data":[{"id":"re_%d","object":"refund"}]}`, pages)
	})
	got, err := adapter.LookupRefund(t.Context(), providers.LookupRequest{TransactionID: "txn_1"})
	require.NoError(t, err)
	require.Equal(t, providers.Unknown, got.Outcome)
	require.Equal(t, refundPages, pages)
}

func TestLookup_RefundOnLaterPage(t *testing.T) {
	t.Parallel()
	adapter := against(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("starting_after") == "" {
			_, _ = fmt.Fprint(w, `{"object":"list","has_more":true,"data":[{"id":"re_1","object":"refund"}]}`)
			return
		}
		_, _ = fmt.Fprint(w,
			`{"object":"list","has_more":false,"data":[{"id":"re_2","object":"refund","amount":5,"currency":"usd","status":"pending","metadata":{"txn_id":"txn_1"}}]}`)
	})
	got, err := adapter.LookupRefund(t.Context(), providers.LookupRequest{TransactionID: "txn_1"})
	require.NoError(t, err)
	require.Equal(t, [2]any{providers.Pending, "re_2"}, [2]any{got.Outcome, got.Ref})
}

// A restricted key may lack the right to read disputes, and a list may be odd. The money moved all the same.
func TestLookupCharge_SinceIsWholeOrUnread(t *testing.T) {
	t.Parallel()
	const none = `{"object":"list","has_more":false,"data":[]}`
	const refunds = `{"object":"list","has_more":false,"data":[` +
		`{"id":"re_1","object":"refund","amount":5,"currency":"usd","status":"succeeded"}]}`
	const odd = `{"object":"list","has_more":false,"data":[{"id":"x_1","object":"x","amount":1,"currency":"lyd"}]}`
	for name, lists := range map[string]struct{ refunds, disputes string }{
		"disputes forbidden": {refunds, ""}, "refunds forbidden": {"", none}, "an odd refund": {odd, none},
		"an odd dispute": {refunds, odd},
	} {
		adapter := against(t, func(w http.ResponseWriter, r *http.Request) {
			body := `{"id":"pi_1","object":"payment_intent","amount":100,"amount_received":100,"currency":"usd",` +
				`"status":"succeeded","metadata":{"txn_id":"txn_1"}}`
			switch r.URL.Path {
			case "/v1/refunds":
				body = lists.refunds
			case "/v1/disputes":
				body = lists.disputes
			}
			if body == "" {
				w.WriteHeader(http.StatusForbidden)
				body = `{"error":{"type":"invalid_request_error","message":"The key has no right to read this."}}`
			}
			_, _ = fmt.Fprint(w, body)
		})
		in := providers.LookupRequest{TransactionID: "txn_1", Ref: "pi_1", Since: true}
		got, err := adapter.LookupCharge(t.Context(), in)
		require.NoError(t, err, name)
		require.Equal(t, [2]any{providers.Succeeded, http.StatusOK}, [2]any{got.Outcome, got.HTTPStatus}, name)
		require.True(t, got.SinceUnread, name)
		require.Empty(t, got.Refunds, name)
		require.Empty(t, got.Disputes, name)
	}
}
