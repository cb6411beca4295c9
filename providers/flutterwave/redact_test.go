package flutterwave

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/providers/wire"
)

func TestRedact_KeepsOnlyWhatIsKnown(t *testing.T) {
	t.Parallel()
	f := against(t, nil)
	f.tokens.keep(wire.Seal("tok-1"), "600")
	out := string(f.redact(exchange{body: []byte(`{"status":"success","message":"for +233 24 123 4567 by ama@example.com",
		"data":{"id":"chg_1","amount":1234.560,"currency":"GHS","reference":"` + ourRef + `","customer_id":"cus_9",
		"customer":{"email":"ama@example.com","name":{"first":"Ama"}},"billing_details":{"name":{"first":"Ama"}},
		"payment_method":{"type":"mobile_money","mobile_money":{"phone_number":"241234567"}},
		"payment_method_details":{"card":{"last4":"4242","first6":"424242"}},
		"next_action":{"type":"redirect_url","redirect_url":{"url":"https://x?token=tok-1"}},
		"meta":{"txn_id":"txn_42","name":"Ama","description":"d"},"reason":{"name":"Ama"},
		"processor_response":{"type":"approved","code":"00"}}}`)}))
	require.JSONEq(t, `{"status":"success","message":"for [redacted] by [redacted]","data":{"id":"chg_1",
		"amount":1234.560,"currency":"GHS","reference":"`+ourRef+`","next_action":{"type":"redirect_url"},
		"meta":{"txn_id":"txn_42"},"processor_response":{"type":"approved","code":"00"}}}`, out)
	require.Contains(t, out, "1234.560", "amounts stay as written")
	for _, body := range []string{``, `<html>`, `[]`, `"tok-1"`, `null`} {
		require.Nil(t, f.redact(exchange{body: []byte(body)}), body)
	}
}

func TestScrub(t *testing.T) {
	t.Parallel()
	f := against(t, nil)
	f.tokens.keep(wire.Seal("tok-1"), "600")
	for in, want := range map[string]string{
		"call 0241234567 now":       "call [redacted] now",
		"+233 24 123 4567":          "[redacted]",
		"4242 4242 4242 4242":       "[redacted]",
		"ama@example.com is wrong":  "[redacted] is wrong",
		"code 10400 of 2 fields":    "code 10400 of 2 fields",
		"Bearer tok-1, " + canary:   "Bearer [redacted], [redacted]",
		"the amount 99.50 is small": "the amount 99.50 is small",
	} {
		require.Equal(t, want, f.scrub(in))
	}
}
