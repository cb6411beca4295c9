package flutterwave

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/providers"
)

// The signature was computed with another program than this package.
const (
	vectorSecret    = "flw_secret_hash"
	vectorBody      = `{"webhook_id":"wbk_1","timestamp":1738250214856,"type":"charge.completed","data":{"id":"chg_1"}}`
	vectorSignature = "H2ws0tfRWDyodHAb0ixD6riQpiuSUaLjHizvwMJKiZM="
)

func receiver(t testing.TB, hash, form string) *Flutterwave {
	t.Helper()
	f, err := New(Config{ClientID: "c", ClientSecret: "s", WebhookSecret: hash, WebhookSignature: form})
	require.NoError(t, err)
	return f
}

func message(body, header, value string) providers.CallbackRequest {
	return providers.CallbackRequest{
		Method: http.MethodPost, Host: "billing.test", Path: "/callbacks/flutterwave/pp_1",
		Header: http.Header{header: {value}}, Body: []byte(body),
	}
}

func signed(body string) providers.CallbackRequest {
	mac := hmac.New(sha256.New, []byte(hashCanary))
	mac.Write([]byte(body))
	return message(body, "Flutterwave-Signature", base64.StdEncoding.EncodeToString(mac.Sum(nil)))
}

func TestParseCallback_Vector(t *testing.T) {
	t.Parallel()
	f := receiver(t, vectorSecret, "")
	in := message(vectorBody, "Flutterwave-Signature", vectorSignature)
	got, ack, err := f.ParseCallback(t.Context(), in, time.Now())
	require.NoError(t, err)
	require.Equal(t, []providers.Callback{{EventID: "wbk_1", Type: "charge.completed", Ref: "chg_1"}}, got)
	require.NotEmpty(t, ack.ContentType)
}

func TestParseCallback_Forms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, form, header, value string
		genuine                   bool
	}{
		{"HMAC", SignatureHMAC, "Flutterwave-Signature", vectorSignature, true},
		{"a MAC of another body", SignatureHMAC, "Flutterwave-Signature", "G" + vectorSignature[1:], false},
		{"the hash where a MAC is due", SignatureHMAC, "Flutterwave-Signature", vectorSecret, false},
		{"the old header where a MAC is due", SignatureHMAC, "Verif-Hash", vectorSecret, false},
		{"no base64", SignatureHMAC, "Flutterwave-Signature", "!", false},
		{"nothing", SignatureHMAC, "X", "", false},
		{"plain", SignaturePlain, "Flutterwave-Signature", vectorSecret, true},
		{"plain in the old header", SignaturePlain, "Verif-Hash", vectorSecret, true},
		{"a MAC where the hash is due", SignaturePlain, "Flutterwave-Signature", vectorSignature, false},
		{"half of the hash", SignaturePlain, "Flutterwave-Signature", vectorSecret[:7], false},
		{"nothing, plain", SignaturePlain, "X", "", false},
	} {
		f := receiver(t, vectorSecret, c.form)
		_, _, err := f.ParseCallback(t.Context(), message(vectorBody, c.header, c.value), time.Now())
		require.Equal(t, c.genuine, err == nil, c.name)
		if err != nil {
			require.Equal(t, fault.Unauthorized, fault.From(err).Kind, c.name)
			require.NotContains(t, err.Error(), vectorSecret)
		}
	}
	for _, form := range []string{SignatureHMAC, SignaturePlain} {
		in := message(vectorBody, "Flutterwave-Signature", "")
		_, _, err := receiver(t, "", form).ParseCallback(t.Context(), in, time.Now())
		require.Equal(t, fault.Unauthorized, fault.From(err).Kind, "without a secret nothing is genuine")
	}
}

func TestParseCallback_Kinds(t *testing.T) {
	t.Parallel()
	f := receiver(t, hashCanary, "")
	const ours = `,"meta":{"txn_id":"txn_42"}`
	for _, c := range []struct {
		kind, data string
		want       providers.Callback
	}{
		{"charge.completed", `"id":"chg_1","status":"succeeded","reference":"` + ourRef + `"` + ours,
			providers.Callback{Kind: providers.KindSucceeded, Ref: "chg_1", TransactionID: "txn_42", Key: ourSend}},
		{"charge.completed", `"id":"chg_1","status":"failed","reference":"order 7"` + ours,
			providers.Callback{Kind: providers.KindFailed, Ref: "chg_1", TransactionID: "txn_42"}},
		{"charge.failed", `"id":"chg_1","status":"voided","meta":null`,
			providers.Callback{Kind: providers.KindFailed, Ref: "chg_1"}},
		{"charge.completed", `"id":"chg_1","status":"pending","meta":[]`,
			providers.Callback{Kind: providers.KindProcessing, Ref: "chg_1"}},
		{"charge.completed", `"id":"chg_1","status":"odd"`, providers.Callback{Ref: "chg_1"}},
		{"refund.completed", `"id":"rfd_1","charge_id":"chg_1","status":"completed"` + ours,
			providers.Callback{Kind: providers.KindSucceeded, Ref: "rfd_1", TransactionID: "txn_42"}},
		{"refund.completed", `"id":"rfd_1","charge_id":"chg_1","status":"failed"` + ours,
			providers.Callback{Kind: providers.KindFailed, Ref: "rfd_1", TransactionID: "txn_42"}},
		{"refund.completed", `"id":"rfd_1","charge_id":"chg_1","status":"completed","meta":{}`,
			providers.Callback{Kind: providers.KindRefunded, Ref: "chg_1"}},
		{"chargeback.created", `"id":7,"charge_id":"chg_1","status":"initiated"`,
			providers.Callback{Kind: providers.KindDisputed, Ref: "chg_1"}},
		{"transfer.disburse", `"id":"trf_1","status":"succeeded"`, providers.Callback{}},
	} {
		body := `{"webhook_id":"wbk_9","timestamp":1738250214856,"type":"` + c.kind + `","data":{` + c.data + `}}`
		got, _, err := f.ParseCallback(t.Context(), signed(body), time.Now())
		require.NoError(t, err, body)
		c.want.EventID, c.want.Type = "wbk_9", c.kind
		require.Equal(t, []providers.Callback{c.want}, got, body)
		require.Nil(t, got[0].Evidence)
	}
}

func TestParseCallback_EventID(t *testing.T) {
	t.Parallel()
	f := receiver(t, hashCanary, "")
	id := func(body string) string {
		got, _, err := f.ParseCallback(t.Context(), signed(body), time.Now())
		require.NoError(t, err)
		return got[0].EventID
	}
	first := id(`{"type":"charge.completed","data":{"id":"chg_1"}}`)
	require.Equal(t, first, id(`{"type":"charge.completed","data":{"id":"chg_1"}}`))
	require.NotEqual(t, first, id(`{"type":"charge.completed","data":{"id":"chg_2"}}`))
	require.LessOrEqual(t, len(id(`{"webhook_id":"`+strings.Repeat("x", 5000)+`","type":"charge.completed"}`)), maxEventID)
}

func TestParseCallback_Malformed(t *testing.T) {
	t.Parallel()
	f := receiver(t, hashCanary, "")
	for _, body := range []string{
		``, `{}`, `[]`, `null`, `{"type":7}`, `{"type":"charge.completed","data":7}`, `{"type":"x"`,
	} {
		_, _, err := f.ParseCallback(t.Context(), signed(body), time.Now())
		require.Equal(t, "callback_malformed", fault.From(err).Code, body)
		require.Equal(t, fault.Invalid, fault.From(err).Kind, body)
	}
}

// A genuine message never panics, never counts as evidence and always has an ID to deduplicate on; a changed one is
// never taken.
func FuzzParseCallback(f *testing.F) {
	f.Add([]byte(vectorBody), uint16(3))
	f.Add([]byte(`{"type":"refund.completed","data":{"id":1,"meta":[{}],"reference":null}}`), uint16(0))
	f.Add([]byte(`{"type":"chargeback.","data":{"meta":{"txn_id":{}}}}`), uint16(9))
	adapter := receiver(f, hashCanary, "")
	f.Fuzz(func(t *testing.T, body []byte, at uint16) {
		in := signed(string(body))
		got, _, err := adapter.ParseCallback(t.Context(), in, time.Now())
		if err == nil {
			require.Len(t, got, 1)
			require.NotEmpty(t, got[0].EventID)
			require.Nil(t, got[0].Evidence)
		}
		if len(body) == 0 {
			return
		}
		in.Body = []byte(string(body))
		in.Body[int(at)%len(body)] ^= 1
		_, _, err = adapter.ParseCallback(t.Context(), in, time.Now())
		require.Equal(t, fault.Unauthorized, fault.From(err).Kind)
	})
}
