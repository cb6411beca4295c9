package webhooks

import (
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"strings"
	"time"
)

// defaultLimit bounds an attempt: connecting, the answer's headers and its body together.
const defaultLimit = 10 * time.Second

// Options of a Sender. The zero value is for production, except for Now.
type Options struct {
	Now      func() time.Time // required
	Limit    time.Duration    // of one attempt in all; 0: 10 s
	Allow    Allow            // local receivers of test environments; empty: none
	Resolver *net.Resolver    // nil: the system's
	Roots    *x509.CertPool   // certificates that receivers' must descend from; nil: the system's
}

// Sender makes attempts. It is safe for concurrent use and keeps connections for reuse until Close.
type Sender struct {
	now   func() time.Time
	limit time.Duration
	allow Allow
	live  *http.Transport // https to public addresses
	test  *http.Transport // https to public and allowed addresses
	plain *http.Transport // http to allowed addresses only
}

// NewSender returns a Sender.
func NewSender(o Options) *Sender {
	if o.Limit <= 0 {
		o.Limit = defaultLimit
	}
	return &Sender{
		now: o.Now, limit: o.Limit, allow: o.Allow,
		live:  o.transport(guard{public: true}),
		test:  o.transport(guard{public: true, allow: o.Allow}),
		plain: o.transport(guard{allow: o.Allow}),
	}
}

// Close closes the connections that are kept. Attempts under way are not interrupted.
func (s *Sender) Close() {
	for _, transport := range []*http.Transport{s.live, s.test, s.plain} {
		transport.CloseIdleConnections()
	}
}

// Request is one attempt.
type Request struct {
	URL    string
	Live   bool        // of a live environment: no local receiver
	Header http.Header // what Sign returned
	Body   []byte
}

// Send makes one attempt and returns what became of it within the limit. It never retries, never follows a redirect and
// uses no proxy. The address is checked when the connection is made, so a name that resolves to a private network is
// refused whatever it resolved to before.
func (s *Sender) Send(ctx context.Context, r Request) Result {
	began := s.now()
	result := s.send(ctx, r)
	result.Latency = s.now().Sub(began)
	return result
}

func (s *Sender) send(ctx context.Context, r Request) Result {
	if err := CheckURL(r.URL, r.Live, s.allow); err != nil {
		return refused(err)
	}
	limited, cancel := context.WithTimeout(ctx, s.limit)
	defer cancel()
	request, err := http.NewRequestWithContext(limited, http.MethodPost, r.URL, bytes.NewReader(r.Body))
	if err != nil {
		return Result{Failure: FailedURL, Detail: "The URL cannot be sent to."}
	}
	maps.Copy(request.Header, r.Header)
	response, err := s.transport(request, r.Live).RoundTrip(request)
	if err != nil {
		return s.failure(ctx, limited, err)
	}
	defer response.Body.Close()                    //nolint:errcheck // an excerpt that was read stays read
	if response.StatusCode < http.StatusContinue { // net/http accepts any three digits
		return notHTTP
	}

	raw, err := io.ReadAll(io.LimitReader(response.Body, maxExcerpt+1))
	result := Result{Status: response.StatusCode, RetryAfter: retryAfter(response.Header.Get("Retry-After"), s.now())}
	result.Excerpt = excerpt(raw)
	switch {
	case err != nil:
		broken := s.failure(ctx, limited, err)
		result.Failure = broken.Failure
		result.Detail = fmt.Sprintf("The receiver answered %d, but its answer did not end. %s", result.Status, broken.Detail)
	case response.StatusCode == http.StatusOK:
	case response.StatusCode >= 300 && response.StatusCode < 400:
		result.Failure = FailedRedirect
		result.Detail = fmt.Sprintf(
			"The receiver answered %d. Redirects are not followed: register the URL that answers.", result.Status)
	case result.Gone():
		result.Failure = FailedStatus
		result.Detail = "The receiver answered 410: it wants no more deliveries."
	default:
		result.Failure = FailedStatus
		result.Detail = fmt.Sprintf("The receiver answered %d. Only 200 counts as received.", result.Status)
	}
	return result
}

// excerpt returns the kept part of an answer.
func excerpt(raw []byte) string {
	text := strings.ReplaceAll(strings.ToValidUTF8(string(raw), "\uFFFD"), "\x00", "\uFFFD")
	if len(text) <= maxExcerpt { // a replacement is longer than the byte that it replaces
		return text
	}
	return strings.ToValidUTF8(text[:maxExcerpt], "")
}

// transport chooses the connections that the request may use. They are kept apart, because a connection to a local
// receiver of a test environment must not serve a live one.
func (s *Sender) transport(request *http.Request, live bool) *http.Transport {
	switch {
	case request.URL.Scheme == "http":
		return s.plain
	case live:
		return s.live
	default:
		return s.test
	}
}

// refused returns why nothing was sent.
func refused(err error) Result {
	class := FailedURL
	if errors.Is(err, codeForbidden) {
		class = FailedAddress
	}
	return Result{Failure: class, Detail: detailOf(err)}
}
