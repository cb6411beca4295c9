package stripesim

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// browse is a payer's browser, which shows where it would go next.
func (r rig) browse(t *testing.T, method, page, form string) (status int, location, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, page, strings.NewReader(form))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := http.DefaultTransport.RoundTrip(req)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res.StatusCode, res.Header.Get("Location"), string(raw)
}

func TestConfirm_PayerDecidesAtThePage(t *testing.T) {
	t.Parallel()
	for decision, want := range map[string]string{"confirm": succeeded, "refuse": requiresPaymentMethod} {
		t.Run(decision, func(t *testing.T) {
			t.Parallel()
			r := fresh(t)
			refused := r.charge(t, "pm_card_authenticationRequired", "k")
			require.Equal(t, 402, refused.Status)
			require.Equal(t, "authentication_required", refused.code())
			id := refused.Text("error", "payment_intent", "id")
			back := "https://billing.example/return"
			confirmed := r.do(t, http.MethodPost, "/v1/payment_intents/"+id+"/confirm", "", url.Values{
				"payment_method": {"pm_card_authenticationRequired"}, "return_url": {back},
			}.Encode())
			require.Equal(t, requiresAction, confirmed.state(), confirmed.Raw)
			page := confirmed.Text("next_action", "redirect_to_url", "url")

			status, _, body := r.browse(t, http.MethodGet, page, "")
			require.Equal(t, 200, status)
			require.Contains(t, body, `value="confirm"`)
			status, location, _ := r.browse(t, http.MethodPost, page, "decision="+decision)
			require.Equal(t, http.StatusSeeOther, status)
			require.True(t, strings.HasPrefix(location, back+"?payment_intent="+id), location)
			require.Equal(t, want, r.do(t, http.MethodGet, "/v1/payment_intents/"+id, "", "").state())
			require.Equal(t, decision == "confirm", r.captures() == 1)
			status, _, _ = r.browse(t, http.MethodPost, page, "decision=confirm")
			require.Equal(t, 404, status, "once")
		})
	}
}

func TestConfirm_OtherIntents(t *testing.T) {
	t.Parallel()
	r := fresh(t)
	confirm := func(id, card string) reply {
		return r.do(t, http.MethodPost, "/v1/payment_intents/"+id+"/confirm", "", "payment_method="+card)
	}
	paid := r.charge(t, "pm_card_visa", "")
	require.Equal(t, "payment_intent_unexpected_state", confirm(paid.id(), "pm_card_visa").code())
	require.Equal(t, 404, confirm("pi_unknown", "pm_card_visa").Status)
	declined := r.charge(t, "pm_card_visa_chargeDeclined", "").Text("error", "payment_intent", "id")
	require.Equal(t, 402, confirm(declined, "pm_card_visa_chargeDeclined").Status)
	require.Equal(t, succeeded, confirm(declined, "pm_card_visa").state(), "another card")
	waiting := r.charge(t, "pm_sim_requires_action", "")
	require.Equal(t, "use_stripe_sdk", confirm(waiting.id(), "pm_sim_requires_action").Text("next_action", "type"),
		"without a page to come back to")
	require.Equal(t, 2, r.captures())
}
