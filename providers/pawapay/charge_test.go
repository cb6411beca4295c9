package pawapay

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/providers"
)

// The whole request, byte for byte where it matters.
func TestCharge_OnTheWire(t *testing.T) {
	t.Parallel()
	p, f := answering(t, map[string]string{
		deposit: `200 {"depositId":"` + depositID + `","status":"ACCEPTED","nextStep":"FINAL_STATUS"}`,
	})
	res, err := p.Charge(t.Context(), sampleCharge())
	require.NoError(t, err)
	require.Equal(t, [2]any{providers.Pending, depositID}, [2]any{clean(t, res).Outcome, res.Ref})
	require.Equal(t, []string{deposit}, f.asked)
	require.JSONEq(t, `{"depositId":"`+depositID+`","amount":"5000","currency":"RWF",
		"payer":{"type":"MMO","accountDetails":{"phoneNumber":"250783456789","provider":"MTN_MOMO_RWA"}},
		"clientReferenceId":"txn_42","customerMessage":"Invoice in 7",
		"metadata":[{"txnId":"txn_42"},{"description":"Invoice in_7"}]}`, f.bodies[0])
	require.Equal(t, "Bearer "+token, f.headers[0].Get("Authorization"))
	require.Equal(t, "application/json; charset=UTF-8", f.headers[0].Get("Content-Type"))
}

func TestCharge_AnswerToOutcome(t *testing.T) {
	t.Parallel()
	rejected := func(status, code string) string {
		return status + ` {"depositId":"` + depositID + `","status":"REJECTED","failureReason":{"failureCode":"` + code +
			`","failureMessage":"about 250783456789"}}`
	}
	for name, c := range map[string]struct {
		answer  string
		outcome providers.Outcome
		code    providers.FailureCode
	}{
		"temporarily unavailable": {rejected("200", "PROVIDER_TEMPORARILY_UNAVAILABLE"), providers.NotSent, ""},
		"not allowed":             {rejected("403", "DEPOSITS_NOT_ALLOWED"), providers.NotSent, ""},
		"not allowed, 200":        {rejected("200", "DEPOSITS_NOT_ALLOWED"), providers.NotSent, ""},
		"no token":                {`401 {"failureReason":{"failureCode":"NO_AUTHENTICATION"}}`, providers.NotSent, ""},
		"wrong token":             {`403 {"failureReason":{"failureCode":"AUTHENTICATION_ERROR"}}`, providers.NotSent, ""},
		"no right":                {`401 {"failureReason":{"failureCode":"AUTHORISATION_ERROR"}}`, providers.NotSent, ""},
		"unsigned":                {`403 {"failureReason":{"failureCode":"HTTP_SIGNATURE_ERROR"}}`, providers.NotSent, ""},
		"bare 403":                {`403 <html>`, providers.NotSent, ""},
		"bare 429":                {`429 `, providers.NotSent, ""},
		"payer unknown":           {rejected("200", "PAYER_NOT_FOUND"), providers.Declined, providers.InvalidAccount},
		"number":                  {rejected("200", "INVALID_PHONE_NUMBER"), providers.Declined, providers.InvalidAccount},
		"operator":                {rejected("400", "INVALID_PROVIDER"), providers.Declined, providers.InvalidAccount},
		"limit":                   {rejected("200", "PAYER_LIMIT_REACHED"), providers.Declined, providers.DailyLimit},
		"old prompt":              {rejected("200", "PAYMENT_IN_PROGRESS"), providers.Declined, providers.DeclinedCode},
		"bounds":                  {rejected("200", "AMOUNT_OUT_OF_BOUNDS"), providers.Failed, providers.DeclinedCode},
		"our bug":                 {rejected("400", "INVALID_INPUT"), providers.Failed, providers.DeclinedCode},
		"our bug, no status": {
			`400 {"failureReason":{"failureCode":"MISSING_PARAMETER"}}`, providers.Failed, providers.DeclinedCode,
		},
		"a new code":         {rejected("200", "SOMETHING_NEW"), providers.Failed, providers.DeclinedCode},
		"unknown error":      {`500 {"failureReason":{"failureCode":"UNKNOWN_ERROR"}}`, providers.Unknown, ""},
		"unknown error, 200": {rejected("200", "UNKNOWN_ERROR"), providers.Unknown, ""},
		"500 that rejects":   {rejected("500", "INVALID_INPUT"), providers.Unknown, ""},
		"503":                {`503 `, providers.Unknown, ""},
		"no JSON":            {`200 <html>`, providers.Unknown, ""},
		"half a JSON":        {`200 {"depositId":`, providers.Unknown, ""},
		"no status":          {`200 {}`, providers.Unknown, ""},
		"a new status":       {`200 {"status":"QUEUED_SOMEWHERE"}`, providers.Unknown, ""},
		"accepted in a 400":  {`400 {"status":"ACCEPTED"}`, providers.Unknown, ""},
		"bare 404":           {`404 {}`, providers.Unknown, ""},
		"redirect":           {`302 `, providers.Unknown, ""},
	} {
		p, _ := answering(t, map[string]string{deposit: c.answer, read: absent})
		res, err := p.Charge(t.Context(), sampleCharge())
		require.NoError(t, err, name)
		require.Equal(t, [2]any{c.outcome, c.code}, [2]any{clean(t, res).Outcome, res.FailureCode}, name)
		require.NotEmpty(t, res.FailureReason, name)
		require.Empty(t, res.Ref, name)
	}
}

// A repeat may be refused although its first use was accepted.
func TestCharge_RefusedRepeatIsLookedUp(t *testing.T) {
	t.Parallel()
	const refused = `200 {"status":"REJECTED","failureReason":{"failureCode":"INVALID_INPUT"}}`
	for name, c := range map[string]struct {
		lookup string
		want   providers.Outcome
	}{
		"it was accepted":    {found("COMPLETED", ""), providers.Succeeded},
		"it was not":         {absent, providers.Failed},
		"nobody knows":       {"503 ", providers.Unknown},
		"a look-up refused":  {"401 ", providers.Unknown},
		"it is still asking": {found("PROCESSING", ""), providers.Pending},
	} {
		p, f := answering(t, map[string]string{deposit: refused, read: c.lookup})
		res, err := p.Charge(t.Context(), sampleCharge())
		require.NoError(t, err, name)
		require.Equal(t, c.want, clean(t, res).Outcome, name)
		require.Equal(t, []string{deposit, read}, f.asked)
	}
}

// The operator's bounds may have become narrower since the first send, whose answer was lost.
func TestCharge_RepeatOutOfBoundsIsLookedUp(t *testing.T) {
	t.Parallel()
	in := sampleCharge()
	in.Amount = 50
	small := strings.ReplaceAll(found("COMPLETED", ""), "5000.00", "50.00")
	for name, c := range map[string]struct {
		lookup string
		want   providers.Outcome
	}{
		"it was accepted": {small, providers.Succeeded},
		"it was not":      {absent, providers.Failed},
		"nobody knows":    {"503 ", providers.Unknown},
	} {
		p, f := answering(t, map[string]string{conf: activated("MTN_MOMO_RWA", "RWF", usual), read: c.lookup})
		res, err := p.Charge(t.Context(), in)
		require.NoError(t, err, name)
		require.Equal(t, c.want, clean(t, res).Outcome, name)
		require.Equal(t, []string{read}, f.asked)
	}
}

func TestCharge_DuplicateIsLookedUp(t *testing.T) {
	t.Parallel()
	duplicate := `200 {"depositId":"` + depositID + `","status":"DUPLICATE_IGNORED"}`
	for name, c := range map[string]struct {
		lookup string
		want   providers.Outcome
	}{
		"paid":            {found("COMPLETED", ""), providers.Succeeded},
		"failed":          {found("FAILED", `,"failureReason":{"failureCode":"INSUFFICIENT_BALANCE"}`), providers.Failed},
		"open":            {found("ACCEPTED", ""), providers.Pending},
		"no answer":       {"503 ", providers.Pending},
		"nothing, a slip": {absent, providers.Pending},
	} {
		p, _ := answering(t, map[string]string{deposit: duplicate, read: c.lookup})
		res, err := p.Charge(t.Context(), sampleCharge())
		require.NoError(t, err, name)
		require.Equal(t, [2]any{c.want, depositID}, [2]any{clean(t, res).Outcome, res.Ref}, name)
	}
	p, _ := answering(t, map[string]string{deposit: duplicate, read: found("PROCESSING", "")})
	other := sampleCharge()
	other.Amount = 6000
	_, err := p.Charge(t.Context(), other)
	require.Equal(t, [2]any{fault.Conflict, "provider_key_reused"}, [2]any{fault.From(err).Kind, fault.From(err).Code})
}

func TestCharge_NothingListens(t *testing.T) {
	t.Parallel()
	p, _ := answering(t, nil)
	p.client.Transport = broken{}
	res, err := p.Charge(t.Context(), sampleCharge())
	require.NoError(t, err)
	require.Equal(t, providers.NotSent, clean(t, res).Outcome)
	found, err := p.LookupCharge(t.Context(), providers.LookupRequest{TransactionID: "txn_42", Key: key})
	require.NoError(t, err)
	require.Equal(t, providers.Unknown, clean(t, found).Outcome)
}

// broken never gets a connection.
type broken struct{}

func (broken) RoundTrip(*http.Request) (*http.Response, error) { return nil, http.ErrServerClosed }
