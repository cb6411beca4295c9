package adyen

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/fault"
	"perennial/providers"
)

// fields are an item as Adyen writes it.
type fields map[string]any

// about is a genuine-looking item about the sample charge; with changes some of its fields, then it is signed.
func about(event string, with fields) fields {
	f := fields{
		"pspReference": "PSP1", "merchantAccountCode": "AcmeECOM", "merchantReference": sampleReference(opCharge),
		"amount": fields{"value": 1999, "currency": "EUR"}, "eventCode": event, "success": "true",
		"eventDate": "2026-11-22T10:00:00+01:00", "paymentMethod": "visa", "reason": "042862:4242:03/2030",
	}
	for name, value := range with {
		f[name] = value
	}
	return f
}

func (f fields) text(name string) string {
	s, _ := f[name].(string)
	return s
}

// signed writes the signature as Adyen documents it, by code of its own.
func signed(t require.TestingT, f fields) fields {
	key, err := hex.DecodeString(testHMACKey)
	require.NoError(t, err)
	amount, _ := f["amount"].(fields)
	value, err := json.Marshal(amount["value"])
	require.NoError(t, err)
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(strings.Join([]string{
		f.text("pspReference"), f.text("originalReference"), f.text("merchantAccountCode"), f.text("merchantReference"),
		string(value), amount.text("currency"), f.text("eventCode"), f.text("success"),
	}, ":")))
	additional, _ := f["additionalData"].(fields)
	if additional == nil {
		additional = fields{}
	}
	additional["hmacSignature"] = base64.StdEncoding.EncodeToString(mac.Sum(nil))
	additional["cardHolderName"] = "Casey Holder"
	f["additionalData"] = additional
	return f
}

func message(t require.TestingT, live any, items ...fields) []byte {
	wrapped := make([]fields, len(items))
	for i, f := range items {
		wrapped[i] = fields{"NotificationRequestItem": f}
	}
	body, err := json.Marshal(fields{"live": live, "notificationItems": wrapped})
	require.NoError(t, err)
	return body
}

func parse(t *testing.T, a *Adyen, body []byte) ([]providers.Callback, error) {
	t.Helper()
	said, ack, err := a.ParseCallback(t.Context(), providers.CallbackRequest{Body: body}, time.Time{})
	require.Equal(t, err == nil, ack.Body == "[accepted]")
	require.Equal(t, err == nil, said != nil)
	return said, err
}

// The vector that Adyen's Go library publishes with its tests.
func TestGenuine_PublishedVector(t *testing.T) {
	t.Parallel()
	var i item
	require.NoError(t, json.Unmarshal([]byte(`{"pspReference":"pspReference","originalReference":"originalReference",
		"merchantAccountCode":"merchantAccount","merchantReference":"reference","amount":{"value":1000,"currency":"EUR"},
		"eventCode":"EVENT","success":"true",
		"additionalData":{"hmacSignature":"ipnxGCaUZ4l8TUW75a71/ghd2Fe5ffvX0pV4TLTntIc="}}`), &i))
	a := open(t, providers.Account{})
	require.True(t, a.genuine(i))
	i.Success = "false"
	require.False(t, a.genuine(i))
}

func TestParseCallback_SeveralItems(t *testing.T) {
	t.Parallel()
	a := open(t, providers.Account{})
	first := signed(t, about("AUTHORISATION", nil))
	second := signed(t, about("AUTHORISATION", fields{"pspReference": "PSP2", "success": "false"}))
	foreign := signed(t, about("AUTHORISATION", fields{"pspReference": "PSP3", "merchantReference": "order: 7"}))
	said, err := parse(t, a, message(t, "false", first, second, foreign))
	require.NoError(t, err)
	require.Len(t, said, 3)
	require.Equal(t, "AUTHORISATION:PSP1:true", said[0].EventID)
	require.Equal(t, "AUTHORISATION:PSP2:false", said[1].EventID)
	require.Equal(t, [3]string{"txn_42", "PSP1", "AUTHORISATION"},
		[3]string{said[0].TransactionID, said[0].Ref, said[0].Type})
	require.Equal(t, providers.Callback{EventID: "AUTHORISATION:PSP3:true", Type: "AUTHORISATION"}, said[2],
		"another program's payment is stored and done with")
}

func TestParseCallback_OneForgedItemRefusesAll(t *testing.T) {
	t.Parallel()
	a := open(t, providers.Account{})
	genuine := func() fields { return signed(t, about("AUTHORISATION", fields{"originalReference": "O1"})) }
	for name, forge := range map[string]func(fields){
		"psp":        func(f fields) { f["pspReference"] = "PSP9" },
		"original":   func(f fields) { f["originalReference"] = "" },
		"account":    func(f fields) { f["merchantAccountCode"] = "Other" },
		"reference":  func(f fields) { f["merchantReference"] = sampleReference(opRefund) },
		"value":      func(f fields) { f["amount"] = fields{"value": 2000, "currency": "EUR"} },
		"value text": func(f fields) { f["amount"] = fields{"value": "1999.0", "currency": "EUR"} },
		"currency":   func(f fields) { f["amount"] = fields{"value": 1999, "currency": "USD"} },
		"no amount":  func(f fields) { delete(f, "amount") },
		"event":      func(f fields) { f["eventCode"] = "CANCELLATION" },
		"success":    func(f fields) { f["success"] = "false" },
		"bool":       func(f fields) { f["success"] = true },
		"signature":  func(f fields) { f["additionalData"] = fields{"hmacSignature": "AAAA"} },
		"not base64": func(f fields) { f["additionalData"] = fields{"hmacSignature": "%"} },
		"unsigned":   func(f fields) { delete(f, "additionalData") },
		"moved border": func(f fields) { // the same signed string, read otherwise
			f["pspReference"], f["originalReference"] = "PSP1:O1", "AcmeECOM"
			f["merchantAccountCode"], f["merchantReference"] = sampleReference(opCharge), "1999"
		},
	} {
		f := genuine()
		forge(f)
		_, err := parse(t, a, message(t, "false", genuine(), f))
		require.Equal(t, fault.Unauthorized, fault.From(err).Kind, name)
	}
	for _, body := range []string{``, `{}`, `null`, `[]`, `{"live":"false","notificationItems":[]}`, `{"live":"false"`} {
		_, err := parse(t, a, []byte(body))
		require.Equal(t, fault.Unauthorized, fault.From(err).Kind, body)
	}
	many := make([]fields, maxItems+1)
	for i := range many {
		many[i] = genuine()
	}
	_, err := parse(t, a, message(t, "false", many...))
	require.Equal(t, fault.Unauthorized, fault.From(err).Kind)
}

func TestParseCallback_LiveFlag(t *testing.T) {
	t.Parallel()
	liveAccount := providers.Account{Live: true, Credentials: credentials()}
	liveAccount.Credentials[FieldLiveEndpointPrefix] = "prefix"
	for _, live := range []any{"true", true, "false", false, "yes", nil} {
		body := message(t, live, signed(t, about("AUTHORISATION", nil)))
		_, err := parse(t, open(t, providers.Account{}), body)
		require.Equal(t, live == "false" || live == false, err == nil)
		_, err = parse(t, open(t, liveAccount), body)
		require.Equal(t, live == "true" || live == true, err == nil)
		if err != nil {
			require.Equal(t, "callback_environment_mismatch", fault.From(err).Code)
		}
	}
}

func TestParseCallback_WithoutKey(t *testing.T) {
	t.Parallel()
	c := credentials()
	delete(c, FieldWebhookSecret)
	body := message(t, "false", signed(t, about("AUTHORISATION", nil)))
	_, err := parse(t, open(t, providers.Account{Credentials: c}), body)
	require.Equal(t, fault.Unauthorized, fault.From(err).Kind)
}

// A message in which any byte of a signed value changed is refused; unsigned values change no decision.
func TestParseCallback_Tampered(t *testing.T) {
	t.Parallel()
	a := open(t, providers.Account{})
	rapid.Check(t, func(t *rapid.T) {
		event := rapid.SampledFrom(Factory{}.CallbackTypes()).Draw(t, "event")
		f := signed(t, about(event, fields{"originalReference": "O1"}))
		name := rapid.SampledFrom([]string{
			"pspReference", "originalReference", "merchantAccountCode", "merchantReference", "eventCode", "success",
		}).Draw(t, "field")
		other := rapid.String().Draw(t, "value")
		if other == f.text(name) {
			return
		}
		f[name] = other
		_, _, err := a.ParseCallback(t.Context(), providers.CallbackRequest{Body: message(t, "false", f)}, time.Time{})
		require.Equal(t, fault.Unauthorized, fault.From(err).Kind)
	})
	rapid.Check(t, func(t *rapid.T) {
		event := rapid.SampledFrom(Factory{}.CallbackTypes()).Draw(t, "event")
		f := signed(t, about(event, nil))
		want := said(t, a, f)
		f["reason"], f["eventDate"] = rapid.String().Draw(t, "reason"), rapid.String().Draw(t, "date")
		got := said(t, a, f)
		if got.Evidence != nil {
			got.Evidence.FailureReason = want.Evidence.FailureReason
		}
		require.Equal(t, want, got)
	})
}

func said(t *rapid.T, a *Adyen, f fields) providers.Callback {
	all, _, err := a.ParseCallback(t.Context(), providers.CallbackRequest{Body: message(t, "false", f)}, time.Time{})
	require.NoError(t, err)
	require.Len(t, all, 1)
	return all[0]
}

func FuzzParseCallback(f *testing.F) {
	f.Add([]byte(`{"live":"false","notificationItems":[{"NotificationRequestItem":{"amount":{"value":1}}}]}`))
	f.Add(message(f, "false", signed(f, about("CHARGEBACK", nil))))
	p, err := Factory{}.Open(providers.Account{Credentials: credentials()})
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, body []byte) {
		all, ack, err := p.ParseCallback(t.Context(), providers.CallbackRequest{Body: body}, time.Time{})
		if err != nil {
			require.Empty(t, all)
			require.Empty(t, ack.Body)
			require.Contains(t, []fault.Kind{fault.Unauthorized, fault.Invalid}, fault.From(err).Kind)
			return
		}
		for _, cb := range all {
			require.NotEmpty(t, cb.EventID)
			require.Equal(t, cb.Evidence != nil, cb.Kind != providers.KindUnknown)
		}
	})
}
