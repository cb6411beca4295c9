package webhooks_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"perennial/billing/event"
	"perennial/internal/testkit"
	"perennial/internal/testkit/receiver"
	"perennial/webhooks"
	"perennial/webhooks/verify"
)

const (
	oldSecret = secret
	newSecret = "whsec_bmV3NDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTI="
)

// checked is a delivery as it arrived, the secret that a receiver knows, and whether the two fit.
type checked struct {
	Headers map[string]string `json:"headers"`
	Body    []byte            `json:"body"`
	Secret  string            `json:"secret"`
	Valid   bool              `json:"valid"`
}

// deliver sends n deliveries over HTTP, with a rotation in the middle. Receivers with the old secret must accept all of
// them, those with the new one the second half; a changed one must not be accepted.
func deliver(t *testing.T, n int) []checked {
	t.Helper()
	r := receiver.New(t)
	sender := newSender(t, webhooks.Options{Allow: loopback})
	url := r.Endpoint("/")
	var group errgroup.Group
	group.SetLimit(8)
	for i := range n {
		group.Go(func() error {
			secrets := []string{oldSecret}
			if i >= n/2 {
				secrets = []string{newSecret, oldSecret}
			}
			shape := []event.Shape{event.ShapeA, event.ShapeB}[i%2]
			id := fmt.Sprintf("evt_%06d", i)
			body, err := webhooks.Body(shape, webhooks.Message{
				ID: id, Type: "payment.success", Timestamp: int64(i),
				Data: json.RawMessage(`{"id":"txn_1","note":"Zoë <b>&</b> \u2028 😀"}`),
			})
			if err != nil {
				return err
			}
			header, err := webhooks.Sign(id, time.Now(), body, secrets...)
			if err != nil {
				return err
			}
			if got := sender.Send(t.Context(), webhooks.Request{URL: url, Header: header, Body: body}); !got.Delivered() {
				return fmt.Errorf("%s: %s", id, got.Detail)
			}
			return nil
		})
	}
	require.NoError(t, group.Wait())

	var all []checked
	for i, q := range r.Requests("/") {
		headers := map[string]string{}
		for name := range q.Header {
			headers[name] = q.Header.Get(name)
		}
		rotated := q.Header.Get("X-Service-Signature-Previous") != ""
		all = append(all, checked{headers, q.Body, oldSecret, true}, checked{headers, q.Body, newSecret, rotated})
		if i%10 == 0 {
			all = append(all, checked{headers, append(bytes.Clone(q.Body), ' '), oldSecret, false})
		}
	}
	return all
}

// The libraries of Standard Webhooks accept our deliveries as they are. The one for Go is a dependency of this test.
func TestStockLibraries_Go(t *testing.T) {
	t.Parallel()
	all := deliver(t, testkit.Scale(200, 10_000))
	for _, c := range all {
		library, err := standardwebhooks.NewWebhook(c.Secret)
		require.NoError(t, err)
		header := http.Header{}
		for name, value := range c.Headers {
			header.Set(name, value)
		}
		require.Equal(t, c.Valid, library.Verify(c.Body, header) == nil, c.Headers)
		require.Equal(t, c.Valid, verify.Verify(header, c.Body, []string{c.Secret}, time.Now()) == nil, c.Headers)
	}
	t.Logf("Go: %d checks of %d deliveries", len(all), testkit.Scale(200, 10_000))
}

// A secret that is no base64 works with the libraries in their raw mode.
func TestStockLibraries_RawSecret(t *testing.T) {
	t.Parallel()
	const own = "whsec_my_own_webhook_secret"
	now := time.Now()
	header, err := webhooks.Sign(eventID, now, []byte("{}"), own)
	require.NoError(t, err)
	library, err := standardwebhooks.NewWebhookRaw([]byte(own))
	require.NoError(t, err)
	require.NoError(t, library.Verify([]byte("{}"), header))
}

// stockLibraries switches on what needs the package registries: `make stock-check` and `make soak` set one of them.
const stockLibraries = "STOCK_LIBRARIES"

// The libraries of npm and PyPI are installed from their registries into a directory of the test.
func TestStockLibraries_NodeAndPython(t *testing.T) {
	t.Parallel()
	if os.Getenv(stockLibraries) == "" && os.Getenv(testkit.EnvSoak) == "" {
		t.Logf("NOT RUN: the libraries of npm and PyPI, which are installed over the network; `make stock-check` runs them")
		return
	}
	var lines bytes.Buffer
	encoder := json.NewEncoder(&lines)
	all := deliver(t, testkit.Scale(200, 10_000))
	for _, c := range all {
		require.NoError(t, encoder.Encode(c))
	}
	for _, c := range []struct {
		name, script string
		install, run []string
	}{
		{
			"npm", "verify.mjs", []string{"npm", "install", "--no-audit", "--no-fund", "--silent", "standardwebhooks@1.1.1"},
			[]string{"node", "verify.mjs"},
		},
		{"PyPI", "verify.py", []string{
			"python3", "-m", "pip", "install", "--quiet", "--target", ".", "standardwebhooks==1.1.0",
		},
			[]string{"python3", "verify.py"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			code, err := os.ReadFile(filepath.Join("testdata", "stock", c.script))
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(filepath.Join(dir, c.script), code, 0o600))
			if said, err := in(t, dir, nil, c.install...); err != nil {
				t.Logf("NOT RUN: standardwebhooks of %s cannot be installed here: %v\n%s", c.name, err, said)
				return
			}
			said, err := in(t, dir, lines.Bytes(), c.run...)
			require.NoError(t, err, said)
			require.Equal(t, fmt.Sprintf("%d checked\n", len(all)), said)
			t.Logf("%s: %d checks of %d deliveries", c.name, len(all), testkit.Scale(200, 10_000))
		})
	}
}

// in runs a program in a directory and returns what it prints.
func in(t *testing.T, dir string, input []byte, words ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, words[0], words[1:]...)
	command.Dir, command.Stdin = dir, bytes.NewReader(input)
	said, err := command.CombinedOutput()
	return string(said), err
}
