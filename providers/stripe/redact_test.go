package stripe

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRedaction(t *testing.T) {
	t.Parallel()
	s, err := New(Config{SecretKey: "sk_test_canary"})
	require.NoError(t, err)
	for name, tc := range map[string]struct{ body, want string }{
		"an intent": {
			`{"id":"pi_1","object":"payment_intent","amount":9007199254740993,"client_secret":"c","receipt_email":"e","shipping":{"name":"n"},
			  "latest_charge":{"id":"ch_1","billing_details":{"name":"n"}},"metadata":{"txn_id":"txn_1","note":"private"},
			  "last_payment_error":{"code":"card_declined","decline_code":"lost_card","message":"m","type":"card_error","payment_method":{"id":"pm_1","card":{"last4":"4242"}}}}`,
			`{"id":"pi_1","object":"payment_intent","amount":9007199254740993,"metadata":{"txn_id":"txn_1"},
			  "last_payment_error":{"code":"card_declined","decline_code":"lost_card","message":"m","type":"card_error"}}`,
		},
		"a list": {`{"object":"list","data":[{"id":"re_1","email":"e"},{"id":"re_2"}],"has_more":false}`,
			`{"object":"list","data":[{"id":"re_1"},{"id":"re_2"}],"has_more":false}`},
		"a reference, expanded": {`{"id":{"name":"n"},"status":{"holder":"n"}}`, `{}`},
		"our key in a message": {`{"error":{"message":"Invalid API Key provided: sk_test_canary"}}`,
			`{"error":{"message":"Invalid API Key provided: [redacted]"}}`},
	} {
		require.JSONEq(t, tc.want, string(s.redact(exchange{body: []byte(tc.body)})), name)
	}
	for _, body := range []string{"", "<html>sk_test_canary</html>", "[1]", `"text"`, "null"} {
		require.Nil(t, s.redact(exchange{body: []byte(body)}), body)
	}
}
