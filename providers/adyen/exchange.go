package adyen

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"strings"
	"time"
)

// maxAnswer bounds the memory of one answer.
const maxAnswer = 1 << 20

// exchange is everything one HTTP exchange tells. err is set when no complete answer came back; status may be set
// even then, if the headers arrived.
type exchange struct {
	connected  bool // a connection existed, so bytes may have left; false proves that none did
	status     int
	transient  bool // Adyen says that the same key may be sent again
	retryAfter time.Duration
	body       []byte
	err        error
}

func (a *Adyen) post(ctx context.Context, path string, request any, key string) exchange {
	body, err := json.Marshal(request)
	if err != nil {
		return exchange{err: err}
	}
	return a.exchange(ctx, http.MethodPost, path, bytes.NewReader(body), key)
}

// exchange makes exactly one attempt. The caller decides about repeats, because only it knows the replay window.
func (a *Adyen) exchange(ctx context.Context, method, path string, body io.Reader, key string) (x exchange) {
	ctx, cancel := context.WithTimeout(ctx, a.timeout)
	defer cancel()
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) {
		x.connected = true
	}})
	req, err := http.NewRequestWithContext(ctx, method, a.baseURL+path, body)
	if err != nil {
		return exchange{err: err}
	}
	// Without GetBody net/http cannot repeat a POST with an Idempotency-Key after a kept connection died.
	req.GetBody = nil
	req.Header.Set("X-API-Key", a.apiKey.Reveal())
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("User-Agent", "perennial")
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	res, err := a.client.Do(req)
	if err != nil {
		x.err = err
		return x
	}
	defer func() { _ = res.Body.Close() }()
	x.status, x.retryAfter = res.StatusCode, retryAfter(res.Header)
	x.transient = strings.EqualFold(res.Header.Get("Transient-Error"), "true")
	x.body, x.err = io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	return x
}

// retryAfter reads the delay in seconds.
func retryAfter(h http.Header) time.Duration {
	n, err := strconv.Atoi(h.Get("Retry-After"))
	if err != nil || n < 0 || n > 86400 {
		return 0
	}
	return time.Duration(n) * time.Second
}

// decoded reads the answer where its status is one of those expected. Anything else under such a status, such as a
// captive portal's page, proves nothing: the caller checks that the object is whole.
func decoded[T any](x exchange, statuses ...int) (v T, ok bool) {
	for _, s := range statuses {
		if x.err == nil && x.status == s {
			err := json.Unmarshal(x.body, &v)
			return v, err == nil
		}
	}
	return v, false
}

func (x exchange) payment() (payment, bool) {
	p, ok := decoded[payment](x, http.StatusOK)
	return p, ok && p.ResultCode != ""
}

func (x exchange) modification() (modification, bool) {
	m, ok := decoded[modification](x, http.StatusCreated, http.StatusOK)
	return m, ok && m.Status == "received" && m.PSPReference != ""
}

// failure is Adyen's own error object; nil where the answer has none.
func (x exchange) failure() *apiError {
	if x.err != nil || x.status < 400 {
		return nil
	}
	var e apiError
	if json.Unmarshal(x.body, &e) != nil || e.ErrorCode == "" {
		return nil
	}
	return &e
}
