package stripe

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// maxAnswer bounds the memory of one answer; a page of 100 intents is a tenth of it.
const maxAnswer = 4 << 20

// exchange is everything one HTTP exchange tells. err is set when no complete answer came back; status may be set
// even then, if the headers arrived.
type exchange struct {
	connected  bool // a connection existed, so bytes may have left; false proves that none did
	status     int
	retryAfter time.Duration
	body       []byte
	err        error
}

func (s *Stripe) get(ctx context.Context, path string, query url.Values) exchange {
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return s.exchange(ctx, http.MethodGet, path, nil, "")
}

func (s *Stripe) post(ctx context.Context, path string, form url.Values, key string) exchange {
	return s.exchange(ctx, http.MethodPost, path, strings.NewReader(form.Encode()), key)
}

// exchange makes exactly one attempt. The caller decides about repeats, because only it knows the replay window.
func (s *Stripe) exchange(ctx context.Context, method, path string, body io.Reader, key string) (x exchange) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) {
		x.connected = true
	}})
	req, err := http.NewRequestWithContext(ctx, method, s.baseURL+path, body)
	if err != nil {
		return exchange{err: err}
	}
	// Without GetBody net/http cannot repeat a POST after a kept connection died, as it otherwise does for requests
	// with an Idempotency-Key.
	req.GetBody = nil
	req.Header.Set("Authorization", "Bearer "+s.secretKey.Reveal())
	req.Header.Set("Stripe-Version", apiVersion)
	req.Header.Set("User-Agent", "perennial")
	if body != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	res, err := s.client.Do(req)
	if err != nil {
		x.err = err
		return x
	}
	defer func() { _ = res.Body.Close() }()
	x.status, x.retryAfter = res.StatusCode, retryAfter(res.Header)
	x.body, x.err = io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	return x
}

// retryAfter reads the delay in seconds; Stripe sends no dates.
func retryAfter(h http.Header) time.Duration {
	n, err := strconv.Atoi(h.Get("Retry-After"))
	if err != nil || n < 0 || n > 86400 {
		return 0
	}
	return time.Duration(n) * time.Second
}

// object decodes the body of a 200 into *T and tells whether it is the kind of object asked for. Anything else
// under a 200, such as a captive portal's page, proves nothing.
func object[T any](x exchange, kind func(*T) string, want string) (*T, bool) {
	if x.err != nil || x.status != http.StatusOK {
		return nil, false
	}
	v := new(T)
	if err := json.Unmarshal(x.body, v); err != nil || kind(v) != want {
		return nil, false
	}
	return v, true
}

func (x exchange) intent() (*intent, bool) {
	return object(x, func(v *intent) string { return v.Object }, "payment_intent")
}

func (x exchange) refund() (*refund, bool) {
	return object(x, func(v *refund) string { return v.Object }, "refund")
}

// failure is Stripe's own error object, nil where the answer has none.
func (x exchange) failure() *apiError {
	if x.err != nil || x.status < 400 {
		return nil
	}
	var e errorEnvelope
	if json.Unmarshal(x.body, &e) != nil || e.Error == nil || e.Error.Type == "" {
		return nil
	}
	return e.Error
}
