package flutterwave

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"time"

	"perennial/providers/wire"
)

// maxAnswer bounds the memory of one answer.
const maxAnswer = 1 << 20

// exchange is everything one HTTP exchange tells. err is set when no complete answer came back; status may be set
// even then, if the headers arrived.
type exchange struct {
	connected  bool // a connection existed, so bytes may have left; false proves that none did
	cached     bool // the answer is the one of an earlier request with the same key
	status     int
	retryAfter time.Duration
	body       []byte
	err        error
}

func (f *Flutterwave) get(ctx context.Context, path string, query url.Values) exchange {
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return f.exchange(ctx, http.MethodGet, path, nil, "")
}

// post sends a body that always encodes: structs of strings, booleans and checked numbers.
func (f *Flutterwave) post(ctx context.Context, path string, body any, key string) exchange {
	encoded, err := json.Marshal(body)
	if err != nil {
		return exchange{err: err}
	}
	return f.exchange(ctx, http.MethodPost, path, encoded, key)
}

// exchange gets a token and makes one attempt. A token that the API refuses is replaced once: a 401 says that the
// request was not taken. Any other repeat is the caller's decision, because only it knows the replay window.
func (f *Flutterwave) exchange(ctx context.Context, method, path string, body []byte, key string) exchange {
	ctx, cancel := context.WithTimeout(ctx, f.timeout)
	defer cancel()
	for attempt := 1; ; attempt++ {
		token, err := f.tokens.get(ctx)
		if err != nil {
			failed := asTokenError(err)
			return exchange{status: failed.status, retryAfter: failed.retryAfter, err: failed}
		}
		x := f.send(ctx, method, path, body, key, token)
		if x.status != http.StatusUnauthorized || x.err != nil {
			return x
		}
		f.tokens.drop(token.Reveal())
		if attempt == 2 {
			return x
		}
	}
}

func (f *Flutterwave) send(
	ctx context.Context, method, path string, body []byte, key string, token wire.Secret,
) (x exchange) {
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) {
		x.connected = true
	}})
	req, err := http.NewRequestWithContext(ctx, method, f.addresses.api+path, bytes.NewReader(body))
	if err != nil {
		return exchange{err: err}
	}
	// Without GetBody net/http cannot repeat a POST after a kept connection died, as it otherwise does for requests
	// with an X-Idempotency-Key.
	req.GetBody = nil
	if body == nil {
		req.Body = http.NoBody
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Authorization", "Bearer "+token.Reveal())
	req.Header.Set("User-Agent", "perennial")
	req.Header.Set("X-Trace-Id", traceID())
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		req.Header.Set("X-Idempotency-Key", key)
	}
	res, err := f.client.Do(req)
	if err != nil {
		x.err = err
		return x
	}
	defer func() { _ = res.Body.Close() }()
	x.status, x.retryAfter = res.StatusCode, retryAfter(res.Header)
	x.cached = res.Header.Get("X-Idempotency-Cache-Hit") == "true"
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

// object decodes the data of a 2xx into *T; named reports whether it is the requested object. Anything else, such as a
// captive portal's page, proves nothing.
func object[T any](x exchange, named func(*T) bool) (*T, bool) {
	e, ok := x.success()
	if !ok {
		return nil, false
	}
	v := new(T)
	if err := json.Unmarshal(e.Data, v); err != nil || !named(v) {
		return nil, false
	}
	return v, true
}

func (x exchange) charge() (*charge, bool) {
	return object(x, func(c *charge) bool { return c.ID != "" && c.Status != "" })
}

func (x exchange) refund() (*refund, bool) {
	return object(x, func(r *refund) bool { return r.ID != "" && r.Status != "" })
}

// success is the envelope of a request that Flutterwave performed.
func (x exchange) success() (envelope, bool) {
	var e envelope
	if x.err != nil || (x.status != http.StatusOK && x.status != http.StatusCreated) {
		return e, false
	}
	if json.Unmarshal(x.body, &e) != nil || (e.Status != "" && e.Status != "success") || len(e.Data) == 0 {
		return e, false
	}
	return e, true
}

// failure is Flutterwave's own error object, nil where the answer has none.
func (x exchange) failure() *apiError {
	if x.err != nil || x.status < 400 {
		return nil
	}
	var e envelope
	if json.Unmarshal(x.body, &e) != nil || e.Error == nil || (e.Error.Type == "" && e.Error.Code == "") {
		return nil
	}
	return e.Error
}
