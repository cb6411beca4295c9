package adyensim_test

import (
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/providers/simulator/adyensim"
	"perennial/providers/simulator/core"
	"perennial/providers/simulator/simtest"
)

const back = "https://billing.example/confirm/TOKEN/return"

// present is a payment whose payer is there to authenticate.
func present(token string) map[string]any {
	in := body(token)
	maps.Copy(in, map[string]any{
		"recurringProcessingModel": "CardOnFile", "returnUrl": back, "channel": "Web",
		"authenticationData": map[string]any{
			"attemptAuthentication": "always", "threeDSRequestData": map[string]any{"nativeThreeDS": "disabled"},
		},
		"browserInfo": map[string]any{
			"acceptHeader": "*/*", "colorDepth": 24, "javaEnabled": false, "language": "en", "screenHeight": 1,
			"screenWidth": 1, "timeZoneOffset": 0, "userAgent": "Mozilla/5.0",
		},
	})
	return in
}

// decide is the payer at the page, and returns where the browser would go next.
func decide(t *testing.T, page, decision string) (status int, next *url.URL) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, page, strings.NewReader("decision="+decision))
	require.NoError(t, err)
	res, err := http.DefaultTransport.RoundTrip(req)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	next, err = url.Parse(res.Header.Get("Location"))
	require.NoError(t, err)
	return res.StatusCode, next
}

func TestAuthenticate_PayerDecidesAtThePage(t *testing.T) {
	t.Parallel()
	for decision, want := range map[string][2]string{"confirm": {"Authorised", ""}, "refuse": {"Refused", "11"}} {
		s := simtest.Fresh(t, adyensim.New(adyensim.Config{}))
		refused := post(t, s, "/payments", body("SIM_AUTHENTICATE"))
		require.Equal(t, "38", refused.Text("refusalReasonCode"), "nobody is asked in the payer's absence")
		asked := post(t, s, "/payments", present("SIM_AUTHENTICATE"))
		require.Equal(t, "RedirectShopper", asked.Text("resultCode"))
		page := asked.Text("action", "url")
		require.Contains(t, simtest.Do(t, http.MethodGet, page, "").Raw, `value="confirm"`)
		_, old := decide(t, page, "confirm")
		status, next := decide(t, page, decision)
		require.Equal(t, http.StatusSeeOther, status)
		require.True(t, strings.HasPrefix(next.String(), back+"?redirectResult="))
		require.Empty(t, s.Moved(core.Capture), "nothing is authorised yet")

		details := func(result, key string) simtest.Reply {
			return post(t, s, "/payments/details", map[string]any{"details": map[string]any{"redirectResult": result}},
				"Idempotency-Key", key)
		}
		require.Equal(t, 422, details(old.Query().Get("redirectResult"), "k0").Status, "the last decision counts")
		result := next.Query().Get("redirectResult")
		done := details(result, "k1")
		require.Equal(t, want, [2]string{done.Text("resultCode"), done.Text("refusalReasonCode")})
		require.Equal(t, asked.Text("pspReference"), done.Text("pspReference"))
		require.Equal(t, done.Raw, details(result, "k1").Raw)
		require.Equal(t, "704", details(result, "k2").Text("errorCode"))
		status, _ = decide(t, page, "confirm")
		require.Equal(t, 404, status, "once")
		require.Equal(t, decision == "confirm", len(s.Moved(core.Capture)) == 1)
	}
}

func TestAuthenticate_WhoIsAsked(t *testing.T) {
	t.Parallel()
	s := simtest.Fresh(t, adyensim.New(adyensim.Config{}))
	for _, card := range []string{"M5N7TQ4TG5PFWR50", "SIM_OK"} {
		require.Equal(t, "Authorised", post(t, s, "/payments", body(card)).Text("resultCode"))
		require.Equal(t, "Authorised", post(t, s, "/payments", present(card)).Text("resultCode"))
	}
	require.NotEmpty(t, post(t, s, "/payments", body("SIM_REDIRECT")).Text("action", "url"), "also in the payer's absence")
	blind := present("SIM_AUTHENTICATE")
	delete(blind, "browserInfo")
	require.Equal(t, "14_032", post(t, s, "/payments", blind).Text("errorCode"))
}
