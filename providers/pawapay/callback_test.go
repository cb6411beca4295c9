package pawapay

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/providers"
)

func unsigned(path, body string) providers.CallbackRequest {
	return providers.CallbackRequest{
		Method: http.MethodPost, Host: "billing.test", Path: path, Header: http.Header{}, Body: []byte(body),
	}
}

func TestParseCallback_UnsignedNeedsSecretOfPath(t *testing.T) {
	t.Parallel()
	p, _ := answering(t, nil)
	body := `{"depositId":"` + depositID + `","status":"FAILED"}`
	for path, good := range map[string]bool{
		"/callbacks/pawapay/pp_1/" + pathTail: true, "/callbacks/pawapay/pp_1": false, "/callbacks/pawapay/pp_1/": false,
		"/callbacks/pawapay/pp_1/" + pathTail + "/": false, "/callbacks/pawapay/pp_1/" + pathTail + "x": false,
		"/callbacks/pawapay/pp_1/x" + pathTail: false, "/callbacks/pawapay/" + pathTail + "/pp_1": false, "": false,
	} {
		_, _, err := p.ParseCallback(t.Context(), unsigned(path, body), time.Unix(0, 0))
		require.Equal(t, good, err == nil, path)
		if err != nil {
			require.Equal(t, [2]any{fault.Unauthorized, "callback_signature_invalid"},
				[2]any{fault.From(err).Kind, fault.From(err).Code}, path)
			require.NotContains(t, err.Error(), pathTail)
		}
	}
	without, err := New(Config{APIToken: token})
	require.NoError(t, err)
	for _, path := range []string{"", "/", "/callbacks/pawapay/pp_1", "/callbacks/pawapay/pp_1/"} {
		_, _, err := without.ParseCallback(t.Context(), unsigned(path, body), time.Unix(0, 0))
		require.Equal(t, fault.Unauthorized, fault.From(err).Kind, path)
	}
}

func TestReadCallback(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]providers.Callback{
		`{"depositId":"` + depositID + `","status":"COMPLETED","amount":"100.00","metadata":{"txnId":"txn_42"}}`: {
			EventID: "deposit:" + depositID + ":COMPLETED", Type: "deposit.completed", Kind: providers.KindSucceeded,
			TransactionID: "txn_42", Key: key, Ref: depositID,
		},
		`{"depositId":"` + depositID + `","status":"PROCESSING","metadata":[{"txnId":"txn_42"},{"n":7}]}`: {
			EventID: "deposit:" + depositID + ":PROCESSING", Type: "deposit.processing", Kind: providers.KindProcessing,
			TransactionID: "txn_42", Key: key, Ref: depositID,
		},
		`{"depositId":"` + depositID + `","status":"FAILED","clientReferenceId":"txn_42","metadata":"odd"}`: {
			EventID: "deposit:" + depositID + ":FAILED", Type: "deposit.failed", Kind: providers.KindFailed,
			TransactionID: "txn_42", Key: key, Ref: depositID,
		},
		`{"refundId":"` + refundID + `","depositId":"` + depositID + `","status":"COMPLETED",` +
			`"metadata":{"txnId":"txn_43"}}`: {
			EventID: "refund:" + refundID + ":COMPLETED", Type: "refund.completed", Kind: providers.KindSucceeded,
			TransactionID: "txn_43", Key: refundKey, Ref: refundID,
		},
		`{"depositId":"made-at-the-dashboard","status":"SOMETHING"}`: {
			EventID: "deposit:made-at-the-dashboard:SOMETHING", Type: "deposit.something", Ref: "made-at-the-dashboard",
		},
	} {
		got, err := readCallback([]byte(body))
		require.NoError(t, err, body)
		require.Equal(t, want, got)
	}
	for _, body := range []string{
		"", "null", "[]", "{}", `"x"`, `{"depositId":"x"}`, `{"status":"COMPLETED"}`, `{"depositId":7,"status":"COMPLETED"}`,
		`{"payoutId":"x","status":"COMPLETED"}`, `{"depositId":"x","status":"COMPLETED"`,
	} {
		_, err := readCallback([]byte(body))
		require.Equal(t, fault.Invalid, fault.From(err).Kind, body)
		require.Equal(t, "callback_malformed", fault.From(err).Code, body)
	}
}

// No header and no body that are not signed by pawaPay are ever accepted, and none breaks the parser.
func FuzzParseCallback(f *testing.F) {
	in, now := vector()
	f.Add(in.Header.Get("Content-Digest"), in.Header.Get("Signature-Input"), in.Header.Get("Signature"), in.Path, in.Body)
	f.Add("", "", "", "/callbacks/pawapay/pp_1/"+pathTail, []byte(`{"depositId":"x","status":"FAILED"}`))
	f.Add("sha-256=:AA==:", `sig-pp=();alg=""`, "sig-pp=:AA==:", "", []byte("{}"))
	f.Add("sha-256", "sig-pp", "sig-pp", "/", []byte(nil))
	f.Fuzz(func(t *testing.T, digest, input, signature, path string, body []byte) {
		p, err := New(Config{APIToken: token, WebhookSecret: pathTail})
		require.NoError(t, err)
		p.client.Transport = transport(func(*http.Request) *http.Response {
			return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}
		})
		forgery := unsigned(path, string(body))
		forgery.Header.Set("Content-Digest", digest)
		forgery.Header.Set("Signature-Input", input)
		forgery.Header.Set("Signature", signature)
		said, _, err := p.ParseCallback(t.Context(), forgery, now)
		if err == nil {
			require.Empty(t, input+signature, "nobody's key signed this")
			require.Regexp(t, "/"+pathTail+"$", path)
			require.NotEmpty(t, said[0].EventID)
			require.Nil(t, said[0].Evidence)
		}
	})
}
