package stripe_test

import (
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/internal/devstack"
	"perennial/providers"
	"perennial/providers/stripe"
)

// stripeMock is the version whose OpenAPI description judges the form of our requests.
const stripeMock = "github.com/stripe/stripe-mock@v0.203.0"

// The official mock validates every parameter against Stripe's OpenAPI description but has no memory, so this proves
// that Stripe would read our requests as we mean them, and that we can read its objects; not what becomes of a charge.
func TestStripeMock(t *testing.T) {
	t.Parallel()
	base := startStripeMock(t)
	t.Run("takes every request of the adapter", func(t *testing.T) {
		t.Parallel()
		mockTakesEveryRequest(t, base)
	})
	t.Run("refuses what Stripe would refuse", func(t *testing.T) {
		t.Parallel()
		mockRefusesNonsense(t, base)
	})
}

func mockTakesEveryRequest(t *testing.T, base string) {
	s, err := stripe.New(stripe.Config{SecretKey: "sk_test_123", BaseURL: base})
	require.NoError(t, err)
	ctx := t.Context()
	require.NoError(t, s.TestConnection(ctx))

	charge := providers.ChargeRequest{
		TransactionID: "txn_42", Key: "key-42", Amount: 1999, Currency: "USD", Description: "Invoice in_7",
		Method: providers.Method{Type: "card", CustomerToken: "cus_9", PaymentMethodToken: "pm_card_visa"},
	}
	for name, call := range map[string]func() (providers.Result, error){
		"charge": func() (providers.Result, error) { return s.Charge(ctx, charge) },
		"look-up": func() (providers.Result, error) {
			return s.LookupCharge(ctx, providers.LookupRequest{TransactionID: "txn_42", Ref: "pi_1"})
		},
		"cancel": func() (providers.Result, error) {
			return s.CancelCharge(ctx, providers.LookupRequest{TransactionID: "txn_42", Ref: "pi_1"})
		},
		"refund": func() (providers.Result, error) {
			return s.Refund(ctx, providers.RefundRequest{
				TransactionID: "txn_43", Key: "key-43", ChargeRef: "pi_1", Amount: 500, Currency: "USD",
			})
		},
		"refund look-up": func() (providers.Result, error) {
			return s.LookupRefund(ctx, providers.LookupRequest{TransactionID: "txn_43", Ref: "re_1"})
		},
	} {
		res, err := call()
		require.NoError(t, err, name)
		require.Equal(t, http.StatusOK, res.HTTPStatus, "%s: %s", name, res.Response)
		require.NotEmpty(t, res.Ref, name)
		require.Contains(t, string(res.Response), res.Ref, name)
		require.NotContains(t, []providers.Outcome{providers.Unknown, providers.NotSent, providers.NotFound}, res.Outcome,
			name)
	}
	for name, look := range map[string]func() (providers.Result, error){
		"search": func() (providers.Result, error) {
			return s.LookupCharge(ctx, providers.LookupRequest{TransactionID: "txn_42"})
		},
		"refund list": func() (providers.Result, error) {
			return s.LookupRefund(ctx, providers.LookupRequest{TransactionID: "txn_43", ChargeRef: "pi_1"})
		},
	} {
		res, err := look()
		require.NoError(t, err, name)
		require.Equal(t, http.StatusOK, res.HTTPStatus, name)
		require.Equal(t, providers.NotFound, res.Outcome, "%s: the mock's samples do not carry our transaction ID", name)
	}
}

// Without this the test above could pass because the mock takes anything.
func mockRefusesNonsense(t *testing.T, base string) {
	for name, tc := range map[string]struct {
		key    string
		form   url.Values
		status int
	}{
		"the control": {"sk_test_123", url.Values{"amount": {"1999"}, "currency": {"usd"}}, http.StatusOK},
		"unknown parameter": {
			"sk_test_123", url.Values{"amount": {"1999"}, "currency": {"usd"}, "colour": {"red"}}, http.StatusBadRequest,
		},
		"not an integer": {"sk_test_123", url.Values{"amount": {"19.99"}, "currency": {"usd"}}, http.StatusBadRequest},
		"no such key":    {"hunter2", url.Values{"amount": {"1999"}, "currency": {"usd"}}, http.StatusUnauthorized},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/v1/payment_intents",
			strings.NewReader(tc.form.Encode()))
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer "+tc.key)
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		res, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		body, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		require.Equal(t, tc.status, res.StatusCode, "%s: %s", name, body)
	}
}

// startStripeMock installs the mock if need be, starts it on free ports of the loopback address and stops it with the
// test.
func startStripeMock(t *testing.T) (base string) {
	t.Helper()
	program, err := devstack.EnsureTool(t.Context(), "stripe-mock", stripeMock, os.Stderr)
	require.NoError(t, err)
	http1, err := devstack.FreePort(0)
	require.NoError(t, err)
	https, err := devstack.FreePort(0)
	require.NoError(t, err)
	address := "127.0.0.1:" + strconv.Itoa(http1)
	process, err := devstack.StartProcess(devstack.ProcessConfig{
		Name: "stripe-mock", Path: program, LogFile: filepath.Join(t.TempDir(), "stripe-mock.log"),
		// Without an HTTPS address the mock listens on every interface.
		Args: []string{"-http-addr", address, "-https-addr", "127.0.0.1:" + strconv.Itoa(https)},
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, process.Kill()) })
	ready := func() bool {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+"/v1/balance", nil)
		if err != nil {
			return false
		}
		res, err := http.DefaultClient.Do(req)
		return err == nil && res.Body.Close() == nil
	}
	require.Eventually(t, func() bool { return !process.Running() || ready() }, 2*time.Minute, 20*time.Millisecond)
	require.True(t, process.Running(), process.Tail(20))
	return "http://" + address
}
