package adyen

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/providers"
)

func TestCharge_ResultCodes(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		answer  string
		outcome providers.Outcome
		code    providers.FailureCode
	}{
		"authorised": {`"resultCode":"Authorised","refusalReasonCode":"0"`, providers.Succeeded, ""},
		"refused": {`"resultCode":"Refused","refusalReason":"Refused","refusalReasonCode":"2"`, providers.Declined,
			providers.DeclinedCode},
		"no funds":      {`"resultCode":"Refused","refusalReasonCode":"12"`, providers.Declined, providers.InsufficientFunds},
		"limit":         {`"resultCode":"Refused","refusalReasonCode":"28"`, providers.Declined, providers.DailyLimit},
		"expired":       {`"resultCode":"Refused","refusalReasonCode":"6"`, providers.Declined, providers.InvalidAccount},
		"blocked":       {`"resultCode":"Refused","refusalReasonCode":"5"`, providers.Declined, providers.AccountBlocked},
		"new code":      {`"resultCode":"Refused","refusalReasonCode":"99"`, providers.Declined, providers.DeclinedCode},
		"no code":       {`"resultCode":"Refused"`, providers.Declined, providers.DeclinedCode},
		"error":         {`"resultCode":"Error","refusalReasonCode":"4"`, providers.Failed, providers.DeclinedCode},
		"canceled":      {`"resultCode":"Cancelled"`, providers.Canceled, ""},
		"pending":       {`"resultCode":"Pending"`, providers.Pending, ""},
		"received":      {`"resultCode":"Received"`, providers.Pending, ""},
		"redirect":      {`"resultCode":"RedirectShopper"`, providers.Declined, providers.DeclinedCode},
		"challenge":     {`"resultCode":"ChallengeShopper"`, providers.Declined, providers.DeclinedCode},
		"identify":      {`"resultCode":"IdentifyShopper"`, providers.Declined, providers.DeclinedCode},
		"voucher":       {`"resultCode":"PresentToShopper"`, providers.Declined, providers.DeclinedCode},
		"authenticated": {`"resultCode":"AuthenticationFinished"`, providers.Unknown, ""},
		"success":       {`"resultCode":"Success"`, providers.Unknown, ""},
		"a new one":     {`"resultCode":"Postponed"`, providers.Unknown, ""},
		"none":          {`"status":"ok"`, providers.Unknown, ""},
		"currency":      {`"resultCode":"Refused","amount":{"currency":"QQQQ","value":1}`, providers.Unknown, ""},
	} {
		res := charge(t, answering(t, http.StatusOK, `{"pspReference":"PSP1",`+tc.answer+`}`))
		require.Equal(t, [2]any{tc.outcome, tc.code}, [2]any{res.Outcome, res.FailureCode}, name)
		require.Equal(t, tc.outcome == providers.Succeeded || tc.outcome == providers.Pending, res.FailureReason == "", name)
	}
	require.Equal(t, providers.Unknown, charge(t, answering(t, http.StatusOK, `{"resultCode":"Authorised"}`)).Outcome)
}

func TestCharge_Errors(t *testing.T) {
	t.Parallel()
	const validation = `{"status":422,"errorCode":"14_030","message":"Return URL is missing.","errorType":"validation"}`
	const busy = `{"status":422,"errorCode":"704","message":"request already processed or in progress",` +
		`"errorType":"validation"}`
	transient := []string{"Transient-Error", "true"}
	for name, tc := range map[string]struct {
		status  int
		body    string
		header  []string
		outcome providers.Outcome
		code    providers.FailureCode
		wait    bool
	}{
		"wrong key":   {401, `{"errorCode":"000","errorType":"security"}`, nil, providers.NotSent, "", false},
		"not allowed": {403, `{"errorCode":"901","errorType":"security"}`, nil, providers.NotSent, "", false},
		"too many":    {429, ``, []string{"Retry-After", "7"}, providers.NotSent, "", true},
		"invalid":     {422, validation, nil, providers.Failed, "", false},
		"malformed":   {400, `{"errorCode":"702","errorType":"validation"}`, nil, providers.Failed, "", false},
		"no such card": {
			422, `{"errorCode":"803","errorType":"validation"}`, nil, providers.Declined, providers.InvalidAccount, false,
		},
		"in progress":      {422, busy, transient, providers.Unknown, "", true},
		"in progress, 409": {409, busy, nil, providers.Unknown, "", true},
		"transient 422":    {422, validation, transient, providers.Unknown, "", true},
		"transient 500":    {500, `{"errorCode":"905"}`, transient, providers.Unknown, "", true},
		"internal 422":     {422, `{"errorCode":"905","errorType":"internal"}`, nil, providers.Unknown, "", false},
		"500":              {500, `{"errorCode":"905","errorType":"configuration"}`, nil, providers.Unknown, "", false},
		"bare 503":         {503, `<html>`, nil, providers.Unknown, "", false},
		"404":              {404, `{"errorCode":"1","errorType":"validation"}`, nil, providers.Unknown, "", false},
		"422 of a proxy":   {422, `<html>`, nil, providers.Unknown, "", false},
		"page under 200":   {200, `<html>`, nil, providers.Unknown, "", false},
		"list under 200":   {200, `[]`, nil, providers.Unknown, "", false},
		"201":              {201, paid, nil, providers.Unknown, "", false},
	} {
		res := charge(t, answering(t, tc.status, tc.body, tc.header...))
		require.Equal(t, [2]any{tc.outcome, tc.code}, [2]any{res.Outcome, res.FailureCode}, name)
		require.Equal(t, tc.wait, res.RetryAfter > 0, name)
		require.NotEmpty(t, res.FailureReason, name)
		require.Equal(t, tc.status, res.HTTPStatus, name)
	}
	require.Equal(t, 7*time.Second, charge(t, answering(t, 429, "", "Retry-After", "7")).RetryAfter)
}

func TestRefusals_Complete(t *testing.T) {
	t.Parallel()
	byCode := map[providers.FailureCode][]string{}
	for code, r := range refusals {
		require.NotEmpty(t, r.text)
		if r.code != providers.DeclinedCode {
			byCode[r.code] = append(byCode[r.code], code)
		}
	}
	for code, want := range map[providers.FailureCode][]string{
		providers.InsufficientFunds: {"12"},
		providers.DailyLimit:        {"28", "29"},
		providers.InvalidAccount:    {"6", "8", "10", "24", "34", "35"},
		providers.AccountBlocked:    {"5", "14", "18", "20", "22", "25", "26", "31"},
	} {
		require.ElementsMatch(t, want, byCode[code], code)
	}
}

func TestResult_HoldsNothingPersonal(t *testing.T) {
	t.Parallel()
	body := `{"pspReference":"PSP1","resultCode":"Refused","refusalReason":"key ` + testAPIKey + `",` +
		`"amount":{"currency":"EUR","value":1999,"holder":"Casey Holder"},` +
		`"paymentMethod":{"brand":"visa","lastFour":"4242"},"message":["Casey Holder"],` +
		`"additionalData":{"cardHolderName":"Casey Holder","cardSummary":"4242","shopperEmail":"casey@example.com"}}`
	res := charge(t, answering(t, http.StatusOK, body))
	for _, secret := range []string{"Casey", "4242", "casey@example.com", testAPIKey} {
		require.NotContains(t, string(res.Response), secret)
		require.NotContains(t, res.FailureReason, secret)
	}
	require.JSONEq(t, `{"pspReference":"PSP1","resultCode":"Refused","refusalReason":"key [redacted]",`+
		`"amount":{"currency":"EUR","value":1999}}`, string(res.Response))
	require.Nil(t, charge(t, answering(t, http.StatusOK, `["Casey Holder"]`)).Response)
	refused := charge(t, answering(t, http.StatusUnauthorized, `{"errorCode":"1","message":"bad `+testAPIKey+`"}`))
	require.NotContains(t, refused.FailureReason+string(refused.Response), testAPIKey)
}
