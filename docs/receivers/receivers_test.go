// Package receivers tests the receivers that docs/webhooks.md shows: each runs as its reader would run it, and gets
// real deliveries.
package receivers

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/event"
	"perennial/internal/testkit/wait"
	"perennial/webhooks"
)

const (
	secret  = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="
	rotated = "whsec_AAAAMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="
)

// receiver is one file of this folder and the program that runs it.
type receiver struct {
	file, language, program string
	args                    func(port string) []string
}

var receivers = []receiver{
	{"receiver.go", "go", "go", func(string) []string { return []string{"run", "receiver.go"} }},
	{"receiver.mjs", "js", "node", func(string) []string { return []string{"receiver.mjs"} }},
	{"receiver.py", "python", "python3", func(string) []string { return []string{"receiver.py"} }},
	{"receiver.php", "php", "php", func(port string) []string { return []string{"-S", "127.0.0.1:" + port, "receiver.php"} }},
}

// People copy from the page, so the page holds the very files that are run here.
func TestPage_ShowsTheFiles(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../webhooks.md")
	require.NoError(t, err)
	for _, r := range receivers {
		code, err := os.ReadFile(r.file)
		require.NoError(t, err)
		text := strings.TrimPrefix(string(code), "//go:build ignore\n\n")
		require.Contains(t, string(page), "```"+r.language+"\n"+text+"```\n", "copy %s into docs/webhooks.md", r.file)
	}
}

func TestPage_ExplainsEachFailure(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../webhooks.md")
	require.NoError(t, err)
	for _, failure := range webhooks.Failures() {
		require.Contains(t, string(page), "| `"+string(failure)+"` |")
	}
}

func TestReceivers_AcceptGenuineDeliveriesOnly(t *testing.T) {
	t.Parallel()
	for _, r := range receivers {
		t.Run(r.language, func(t *testing.T) {
			t.Parallel()
			program, err := exec.LookPath(r.program)
			if err != nil {
				t.Logf("NOT RUN: the receiver in %s, because %s is not installed here", r.language, r.program)
				return
			}
			url, said := r.start(t, program)
			check(t, url, said)
		})
	}
}

// start runs the receiver until the test ends and returns its URL and what it prints.
func (r receiver) start(t *testing.T, program string) (url string, said func() string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	_, port, err := net.SplitHostPort(listener.Addr().String())
	require.NoError(t, err)
	require.NoError(t, listener.Close())

	var out output
	args := r.args(port)
	if r.program == "go" { // `go run` would leave its child behind when it is killed
		binary := filepath.Join(t.TempDir(), "receiver")
		built, err := exec.CommandContext(t.Context(), program, "build", "-o", binary, r.file).CombinedOutput()
		require.NoError(t, err, "%s", built)
		program, args = binary, nil
	}
	ctx, stop := context.WithCancel(context.Background())
	command := exec.CommandContext(ctx, program, args...)
	command.Env = append(os.Environ(), "PORT="+port, "INBOX="+t.TempDir(), "WEBHOOK_SECRET="+secret)
	command.Stdout, command.Stderr = &out, &out
	require.NoError(t, command.Start())
	t.Cleanup(func() {
		stop()
		command.Wait()
	})
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err != nil {
			return false
		}
		conn.Close()
		return true
	}, time.Minute, 50*time.Millisecond, "%s does not listen", r.file)
	return "http://127.0.0.1:" + port + "/webhooks", out.String
}

// check sends what is genuine and what is not. A receiver answers at once and processes each event once.
func check(t *testing.T, url string, said func() string) {
	t.Helper()
	sender := webhooks.NewSender(webhooks.Options{Now: time.Now, Allow: webhooks.Allow{netip.MustParsePrefix("127.0.0.0/8")}})
	defer sender.Close()
	status := func(header http.Header, body []byte) int {
		t.Helper()
		got := sender.Send(t.Context(), webhooks.Request{URL: url, Header: header, Body: body})
		require.Contains(t, []webhooks.Failure{"", webhooks.FailedStatus}, got.Failure, got.Detail)
		return got.Status
	}
	sign := func(id string, at time.Time, body []byte, secrets ...string) http.Header {
		t.Helper()
		header, err := webhooks.Sign(id, at, body, secrets...)
		require.NoError(t, err)
		return header
	}
	now := time.Now()
	for i, shape := range []event.Shape{event.ShapeA, event.ShapeB} {
		body, err := webhooks.Body(shape, webhooks.Message{
			ID: "evt_1", Type: "subscription.canceled", Timestamp: now.Unix(),
			Data: []byte(`{"id":"sub_1","cancelReason":"Zoë's \"plan\" <b>&</b> \u00e9 😀 / \\"}`),
		})
		require.NoError(t, err)
		id := fmt.Sprintf("evt_%d", i)
		require.Equal(t, 200, status(sign(id, now, body, secret), body))
		require.Equal(t, 200, status(sign(id, now, body, secret), body), "a repeat is accepted, and not processed again")
		require.Equal(t, 200, status(sign(id+"_rotated", now, body, rotated, secret), body), "during a rotation the old secret still verifies")

		require.Equal(t, 401, status(sign("evt_forged", now, body, rotated), body), "another secret")
		require.Equal(t, 401, status(sign("evt_forged", now, body, secret), append(bytes.Clone(body), ' ')), "another body")
		require.Equal(t, 401, status(sign("evt_forged", now.Add(-6*time.Minute), body, secret), body), "a replay")
		require.Equal(t, 401, status(sign("evt_forged", now.Add(2*time.Minute), body, secret), body), "from the future")
		require.Equal(t, 401, status(http.Header{}, body), "no headers")
		for _, bad := range []string{"", "soon", "1e9", "-1", "٣"} {
			header := sign("evt_forged", now, body, secret)
			header.Set("X-Service-Timestamp", bad)
			require.Equal(t, 401, status(header, body), "timestamp %q", bad)
		}
		for _, bad := range []string{"", "00", "zz", strings.Repeat("0", 64)} {
			header := sign("evt_forged", now, body, secret)
			header.Set("X-Service-Signature", bad)
			require.Equal(t, 401, status(header, body), "signature %q", bad)
		}
	}
	require.Eventually(t, func() bool { return strings.Count(said(), "received subscription.canceled") >= 4 }, wait.Patience, 10*time.Millisecond, "%s", said())
	require.Equal(t, 4, strings.Count(said(), "received "), "each event once:\n%s", said())
}

// output collects what a program prints.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}
