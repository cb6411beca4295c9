package stripe

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/stripe/stripe-go/v85/webhook"

	"perennial/billing/fault"
	"perennial/providers"
)

// The vector was computed with Stripe's own SDK.
const (
	vectorSecret = "whsec_test_secret"
	vectorTime   = 1614556800
	vectorBody   = `{"id":"evt_test_1","object":"event","type":"payment_intent.succeeded"}`
	vectorMAC    = "343665488b29c2a81f8ce8e026a12cd86a9fa6ea82d17db9eaf7445758a0607f"
)

func receiver(t *testing.T, secret string, live bool) *Stripe {
	t.Helper()
	key := "sk_test_1"
	if live {
		key = "sk_live_1"
	}
	s, err := New(Config{SecretKey: key, WebhookSecret: secret, Live: live})
	require.NoError(t, err)
	return s
}

// parse reads one message; a refused one is empty.
func parse(t *testing.T, s *Stripe, signature string, body []byte, at time.Time) (providers.Callback, error) {
	t.Helper()
	said, _, err := s.ParseCallback(t.Context(), providers.CallbackRequest{
		Header: http.Header{"Stripe-Signature": {signature}}, Body: body,
	}, at)
	if err != nil {
		require.Empty(t, said)
		return providers.Callback{}, err
	}
	require.Len(t, said, 1)
	return said[0], nil
}

func TestCallback_SignatureHeaders(t *testing.T) {
	t.Parallel()
	ts, wrong := "t="+strconv.Itoa(vectorTime), strings.Repeat("0", 64)
	s, now := receiver(t, vectorSecret, false), time.Unix(vectorTime, 0)
	for name, tc := range map[string]struct {
		header string
		at     time.Time
		code   string
	}{
		"the vector":            {ts + ",v1=" + vectorMAC, now, ""},
		"spaces":                {ts + ", v1=" + vectorMAC, now, ""},
		"rolled secret, first":  {ts + ",v1=" + vectorMAC + ",v1=" + wrong, now, ""},
		"rolled secret, second": {ts + ",v1=" + wrong + ",v1=" + vectorMAC + ",v0=" + wrong, now, ""},
		"as old as allowed":     {ts + ",v1=" + vectorMAC, now.Add(300 * time.Second), ""},
		"as early as allowed":   {ts + ",v1=" + vectorMAC, now.Add(-300 * time.Second), ""},
		"too old":               {ts + ",v1=" + vectorMAC, now.Add(301 * time.Second), "callback_stale"},
		"too early":             {ts + ",v1=" + vectorMAC, now.Add(-301 * time.Second), "callback_stale"},
		"wrong":                 {ts + ",v1=" + wrong, now, "callback_signature_invalid"},
		"only v0":               {ts + ",v0=" + vectorMAC, now, "callback_signature_invalid"},
		"no hex":                {ts + ",v1=zz", now, "callback_signature_invalid"},
		"cut short":             {ts + ",v1=" + vectorMAC[:32], now, "callback_signature_invalid"},
		"another time":          {"t=1614556801,v1=" + vectorMAC, now, "callback_signature_invalid"},
		"no time":               {"v1=" + vectorMAC, now, "callback_signature_invalid"},
		"no number":             {"t=x,v1=" + vectorMAC, now, "callback_signature_invalid"},
		"empty":                 {"", now, "callback_signature_invalid"},
	} {
		cb, err := parse(t, s, tc.header, []byte(vectorBody), tc.at)
		if tc.code == "" {
			require.NoError(t, err, name)
			require.Equal(t, "evt_test_1", cb.EventID)
			continue
		}
		require.Equal(t, tc.code, fault.From(err).Code, name)
		require.Equal(t, fault.Unauthorized, fault.From(err).Kind, name)
	}
	_, err := parse(t, receiver(t, "", false), ts+",v1="+vectorMAC, []byte(vectorBody), now)
	require.Equal(t, fault.Unauthorized, fault.From(err).Kind, "without a secret nothing is genuine")
}

// Stripe's own SDK signs, we verify.
func TestCallback_SignedByOfficialSDK(t *testing.T) {
	t.Parallel()
	now := time.Unix(vectorTime, 0)
	for name, tc := range map[string]struct {
		body string
		live bool
		want providers.Callback
		code string
	}{
		"intent": {
			body: `{"id":"evt_1","type":"payment_intent.succeeded","data":{"object":{"id":"pi_1","object":"payment_intent","metadata":{"txn_id":"txn_1"}}}}`,
			want: providers.Callback{
				EventID: "evt_1", Type: "payment_intent.succeeded", Kind: providers.KindSucceeded, TransactionID: "txn_1",
				Ref: "pi_1",
			},
		},
		"refund": {
			body: `{"id":"evt_1","type":"refund.failed","data":{"object":{"id":"re_1","object":"refund","status":"failed","payment_intent":"pi_1","metadata":{"txn_id":"txn_2"}}}}`,
			want: providers.Callback{
				EventID: "evt_1", Type: "refund.failed", Kind: providers.KindFailed, TransactionID: "txn_2", Ref: "re_1",
			},
		},
		"charge": {
			body: `{"id":"evt_1","type":"charge.refunded","data":{"object":{"id":"ch_1","object":"charge","amount_refunded":150,"currency":"eur","payment_intent":"pi_1","metadata":{}}}}`,
			want: providers.Callback{
				EventID: "evt_1", Type: "charge.refunded", Kind: providers.KindRefunded, Ref: "pi_1", AmountRefunded: 150,
			},
		},
		"a kind we do not know": {
			body: `{"id":"evt_1","type":"radar.tick","data":{"object":{"id":"x_1","object":"radar"}}}`,
			want: providers.Callback{EventID: "evt_1", Type: "radar.tick"},
		},
		"live": {
			body: `{"id":"evt_1","type":"payment_intent.canceled","livemode":true,"data":{"object":{"id":"pi_1","object":"payment_intent"}}}`,
			live: true,
			want: providers.Callback{EventID: "evt_1", Type: "payment_intent.canceled", Kind: providers.KindFailed, Ref: "pi_1"},
		},
		"test event, live environment": {
			body: `{"id":"evt_1","type":"a.b"}`, live: true, code: "callback_environment_mismatch",
		},
		"no JSON":  {body: `hello`, code: "callback_malformed"},
		"no event": {body: `{"id":"evt_1"}`, code: "callback_malformed"},
	} {
		signed := webhook.GenerateTestSignedPayload(&webhook.UnsignedPayload{
			Payload: []byte(tc.body), Secret: vectorSecret, Timestamp: now,
		})
		cb, err := parse(t, receiver(t, vectorSecret, tc.live), signed.Header, signed.Payload, now)
		if tc.code != "" {
			require.Equal(t, tc.code, fault.From(err).Code, name)
			continue
		}
		require.NoError(t, err, name)
		require.Equal(t, tc.want, cb, name)
	}
}

func TestEvent_Kind(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		typ, object, status string
		want                providers.Kind
	}{
		{"payment_intent.created", "payment_intent", "requires_confirmation", providers.KindCreated},
		{"payment_intent.processing", "payment_intent", "processing", providers.KindProcessing},
		{"payment_intent.payment_failed", "payment_intent", "requires_payment_method", providers.KindFailed},
		{"payment_intent.partially_funded", "payment_intent", "requires_action", providers.KindUnknown},
		{"charge.succeeded", "charge", "succeeded", providers.KindSucceeded},
		{"charge.updated", "charge", "succeeded", providers.KindSucceeded},
		{"charge.updated", "charge", "", providers.KindUnknown},
		{"charge.captured", "charge", "succeeded", providers.KindUnknown},
		{"refund.created", "refund", "pending", providers.KindProcessing},
		{"refund.updated", "refund", "succeeded", providers.KindSucceeded},
		{"charge.refund.updated", "refund", "canceled", providers.KindFailed},
		{"refund.updated", "refund", "requires_action", providers.KindUnknown},
		{"charge.dispute.created", "dispute", "needs_response", providers.KindDisputed},
		{"charge.dispute.closed", "dispute", "lost", providers.KindDisputed},
	} {
		var e event
		e.Type, e.Data.Object.Object, e.Data.Object.Status = c.typ, c.object, c.status
		require.Equal(t, c.want, e.kind(), "%s, %s", c.typ, c.status)
	}
}
