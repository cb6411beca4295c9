package webhooks_test

import (
	"context"
	"crypto/tls"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/internal/testkit"
	"perennial/internal/testkit/receiver"
	"perennial/webhooks"
	"perennial/webhooks/verify"
)

const (
	eventID = "evt_01jcz6dyqx4w9s1c2k7v5h8m3n"
	secret  = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="
)

// loopback allows the receivers of tests.
var loopback = webhooks.Allow{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}

// attempt makes one attempt of a body with a timestamp of now.
func attempt(t *testing.T, s *webhooks.Sender, url string, body string) webhooks.Result {
	t.Helper()
	header, err := webhooks.Sign(eventID, time.Now(), []byte(body), secret)
	require.NoError(t, err)
	return s.Send(t.Context(), webhooks.Request{URL: url, Header: header, Body: []byte(body)})
}

func newSender(t *testing.T, o webhooks.Options) *webhooks.Sender {
	t.Helper()
	o.Now = time.Now
	s := webhooks.NewSender(o)
	t.Cleanup(s.Close)
	return s
}

func TestSend_DeliversWhatWasSigned(t *testing.T) {
	t.Parallel()
	authority := receiver.NewAuthority(t)
	r := receiver.NewTLS(t, authority, receiver.TLS{})
	sender := newSender(t, webhooks.Options{Allow: loopback, Roots: authority.Roots})
	body := `{"name":"Zoë <zoe@example.com> & \u00e9 \ud83d\ude00"}`

	result := attempt(t, sender, r.Endpoint("/hook?token=t0ps3cret"), body)

	require.True(t, result.Delivered(), result.Detail)
	require.Equal(t, 200, result.Status)
	require.Equal(t, "answer 200", result.Excerpt)
	require.Positive(t, result.Latency)
	got := r.Requests("/hook")
	require.Len(t, got, 1)
	require.Equal(t, body, string(got[0].Body), "the very bytes")
	require.NoError(t, verify.Verify(got[0].Header, got[0].Body, []string{secret}, time.Now()))
	require.Equal(t, "application/json", got[0].Header.Get("Content-Type"))
	require.Equal(t, "Perennial-Webhooks/1", got[0].Header.Get("User-Agent"))
	require.Empty(t, got[0].Header.Get("Accept-Encoding"))
	require.Equal(t, eventID, got[0].Header.Get("webhook-id"))
}

func TestSend_RetriesUntil200(t *testing.T) {
	t.Parallel()
	r := receiver.New(t)
	sender := newSender(t, webhooks.Options{Allow: loopback})
	url := r.Endpoint("/", receiver.Status(500), receiver.Status(500), receiver.Status(500), receiver.Status(200))
	at := time.Now().Add(-3 * time.Second)
	for i, want := range []int{500, 500, 500, 200} {
		header, err := webhooks.Sign(eventID, at.Add(time.Duration(i)*time.Second), []byte("{}"), secret)
		require.NoError(t, err)

		result := sender.Send(t.Context(), webhooks.Request{URL: url, Header: header, Body: []byte("{}")})

		require.Equal(t, want, result.Status)
		require.Equal(t, want == 200, result.Delivered())
		require.False(t, result.Gone())
	}
	got := r.Requests("/")
	require.Len(t, got, 4)
	seen := map[string]bool{}
	for _, q := range got {
		require.Equal(t, got[0].Body, q.Body, "identical bytes in every attempt")
		require.Equal(t, eventID, q.Header.Get("Webhook-Id"), "one id in every attempt")
		require.NoError(t, verify.Verify(q.Header, q.Body, []string{secret}, q.At))
		seen[q.Header.Get("X-Service-Timestamp")] = true
	}
	require.Len(t, seen, 4, "a fresh timestamp in every attempt")
	require.Equal(t, 1, r.Connections(), "a connection serves several attempts")
}

// limit replaces the 10 s of production, so that the tests of it are short. `make soak` waits for the real ones.
var limit = time.Duration(testkit.Scale(1, 10)) * time.Second

// Each bad receiver gives a class, a status as far as one arrived, words for people, and an end within the limit.
func TestSend_BadReceivers(t *testing.T) {
	t.Parallel()
	elsewhere := receiver.New(t)
	for name, c := range map[string]struct {
		step    receiver.Step
		status  int
		failure webhooks.Failure
		detail  string
		excerpt string
		wait    time.Duration
		slow    bool
	}{
		"status 500": {step: receiver.Status(500), status: 500, failure: "status", detail: "answered 500",
			excerpt: "answer 500"},
		"status 201": {step: receiver.Status(201), status: 201, failure: "status", detail: "Only 200",
			excerpt: "answer 201"},
		"status 204": {step: receiver.Answer(204, nil, ""), status: 204, failure: "status", detail: "Only 200"},
		"status 410": {step: receiver.Status(410), status: 410, failure: "status", detail: "answered 410",
			excerpt: "answer 410"},
		"asks to wait": {step: receiver.Answer(503, http.Header{"Retry-After": {"90"}}, ""), status: 503,
			failure: "status", detail: "503", wait: 90 * time.Second},
		"redirect": {step: receiver.Redirect(elsewhere.URL + "/"), status: 307, failure: "redirect",
			detail: "not followed"},
		"redirect to itself": {step: receiver.Redirect("/again"), status: 307, failure: "redirect", detail: "not followed"},
		"hang": {step: receiver.Hang(11 * limit / 10), slow: true, failure: "timeout",
			detail: "within " + limit.String()},
		"reset":   {step: receiver.Reset(), failure: "reset", detail: "closed the connection"},
		"nothing": {step: receiver.Raw(""), failure: "reset", detail: "closed the connection"},
		"half a header": {step: receiver.Raw("HTTP/1.1 200 OK\r\nContent-"), failure: "reset",
			detail: "closed the connection"},
		"half a body": {step: receiver.Raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), status: 200, failure: "reset",
			detail: "did not end", excerpt: "half"},
		"a status that there is not": {
			step: receiver.Raw("HTTP/1.1 099 No\r\nContent-Length: 0\r\n\r\n"), failure: "protocol", detail: "not HTTP",
		},
		"not HTTP": {step: receiver.Raw("SSH-2.0-OpenSSH_9.2\r\n\r\n"), failure: "protocol", detail: "not HTTP"},
		"huge headers": {
			step: receiver.Raw("HTTP/1.1 200 OK\r\nX-Big: " + strings.Repeat("x", 1<<20)), failure: "protocol", detail: "64 KiB",
		},
		"slow headers": {
			step: receiver.DripHeaders(limit / 10), slow: true, failure: "timeout", detail: "within " + limit.String(),
		},
		"slow body": {step: receiver.DripBody(limit * 2 / 3), slow: true, status: 200, failure: "timeout",
			detail: "did not end", excerpt: "z"},
		"huge body": {step: receiver.Huge(50 << 20), status: 200, excerpt: strings.Repeat("x", 64<<10)},
		"huge body that is no text": {
			step: receiver.Answer(200, nil, strings.Repeat("\x00", 64<<10)), status: 200,
			excerpt: strings.Repeat("\uFFFD", (64<<10)/3),
		},
		"body that is no text": {step: receiver.Answer(200, nil, "a\x00b\xffc"), status: 200, excerpt: "a\uFFFDb\uFFFDc"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := receiver.New(t)
			o := webhooks.Options{Allow: loopback}
			if c.slow && limit < 10*time.Second {
				o.Limit = limit // else the default
			}
			sender := newSender(t, o)
			began := time.Now()

			got := attempt(t, sender, r.Endpoint("/hook", c.step)+"?token=t0ps3cret", `{"a":1}`)

			if c.slow {
				require.GreaterOrEqual(t, got.Latency, limit)
				require.Less(t, time.Since(began), limit+2*time.Second)
			}
			require.Equal(t, c.status, got.Status)
			require.Equal(t, c.failure, got.Failure, got.Detail)
			require.Contains(t, got.Detail, c.detail)
			require.Equal(t, c.excerpt, got.Excerpt)
			require.Equal(t, c.wait, got.RetryAfter)
			require.NotContains(t, got.Detail, "t0ps3cret")
			require.NotContains(t, got.Detail, "127.0.0.1", "a detail names no address")
			require.Len(t, r.Requests(""), 1, "one attempt is one request")
		})
	}
	t.Cleanup(func() { require.Zero(t, elsewhere.Connections(), "nobody followed a redirect") })
}

func TestSend_BadCertificates(t *testing.T) {
	t.Parallel()
	authority := receiver.NewAuthority(t)
	for name, c := range map[string]struct {
		tls    receiver.TLS
		detail string
	}{
		"self-signed": {receiver.TLS{SelfSigned: true}, "self-signed or of an unknown authority"},
		"expired":     {receiver.TLS{Expired: true}, "expired"},
		"wrong host":  {receiver.TLS{Host: "other.example.com"}, "another host name"},
		"TLS 1.1":     {receiver.TLS{MaxVersion: tls.VersionTLS11}, "TLS 1.2 or later"},
		"TLS 1.0":     {receiver.TLS{MaxVersion: tls.VersionTLS10}, "TLS 1.2 or later"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := receiver.NewTLS(t, authority, c.tls)
			sender := newSender(t, webhooks.Options{Allow: loopback, Roots: authority.Roots})

			got := attempt(t, sender, r.Endpoint("/"), "{}")

			require.Equal(t, webhooks.FailedTLS, got.Failure, got.Detail)
			require.Contains(t, got.Detail, c.detail)
			require.Equal(t, c.tls.MaxVersion == 0, strings.Contains(got.Detail, "Nothing was sent."), got.Detail)
			require.Zero(t, got.Status)
			require.Empty(t, r.Requests(""))
		})
	}
	t.Run("TLS 1.2", func(t *testing.T) {
		t.Parallel()
		r := receiver.NewTLS(t, authority, receiver.TLS{MaxVersion: tls.VersionTLS12})
		sender := newSender(t, webhooks.Options{Allow: loopback, Roots: authority.Roots})
		require.True(t, attempt(t, sender, r.Endpoint("/"), "{}").Delivered())
	})
	t.Run("no TLS at all", func(t *testing.T) {
		t.Parallel()
		r := receiver.New(t)
		sender := newSender(t, webhooks.Options{Allow: loopback})
		got := attempt(t, sender, strings.Replace(r.Endpoint("/"), "http:", "https:", 1), "{}")
		require.Equal(t, webhooks.FailedTLS, got.Failure, got.Detail)
		require.Contains(t, got.Detail, "does not speak TLS")
	})
}

func TestSend_NobodyListens(t *testing.T) {
	t.Parallel()
	sender := newSender(t, webhooks.Options{Allow: loopback})
	got := attempt(t, sender, "http://127.0.0.1:1/", "{}")
	require.Equal(t, webhooks.FailedConnect, got.Failure, got.Detail)
	require.Equal(t, "The receiver's host refused the connection. Nothing was sent.", got.Detail)
}

// A worker that stops does not blame the receiver.
func TestSend_StoppedByCaller(t *testing.T) {
	t.Parallel()
	r := receiver.New(t)
	sender := newSender(t, webhooks.Options{Allow: loopback})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		r.Wait(t, "/", 1, 10*time.Second)
		cancel()
	}()
	header, err := webhooks.Sign(eventID, time.Now(), []byte("{}"), secret)
	require.NoError(t, err)
	got := sender.Send(ctx, webhooks.Request{
		URL: r.Endpoint("/", receiver.Hang(time.Minute)), Header: header, Body: []byte("{}"),
	})
	require.Equal(t, webhooks.FailedCanceled, got.Failure, got.Detail)
}

// A connection that the receiver has closed meanwhile costs no attempt.
func TestSend_IdleConnectionClosedByReceiver(t *testing.T) {
	t.Parallel()
	r := receiver.New(t)
	sender := newSender(t, webhooks.Options{Allow: loopback})
	for range 3 {
		require.True(t, attempt(t, sender, r.Endpoint("/"), "{}").Delivered())
		r.CloseIdle()
		time.Sleep(20 * time.Millisecond) // the close arrives
	}
	require.Equal(t, 3, r.Connections())
	require.Len(t, r.Requests("/"), 3)
}
