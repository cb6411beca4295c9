package pawapay

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"time"
)

// maxAnswer bounds the memory of one answer; the whole configuration of an account is a tenth of it.
const maxAnswer = 1 << 20

// exchange is everything one HTTP exchange tells. err is set when no complete answer came back; status may be set
// even then, if the headers arrived.
type exchange struct {
	connected  bool // a connection existed, so bytes may have left; false proves that none did
	status     int
	retryAfter time.Duration
	body       []byte
	err        error
}

func (p *PawaPay) get(ctx context.Context, path string) exchange {
	return p.exchange(ctx, http.MethodGet, path, nil)
}

func (p *PawaPay) post(ctx context.Context, path string, v any) exchange {
	body, err := json.Marshal(v)
	if err != nil {
		return exchange{err: err}
	}
	return p.exchange(ctx, http.MethodPost, path, bytes.NewReader(body))
}

// exchange makes exactly one attempt. The caller decides about repeats, because only it knows the replay window.
func (p *PawaPay) exchange(ctx context.Context, method, path string, body io.Reader) (x exchange) {
	ctx, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) {
		x.connected = true
	}})
	req, err := http.NewRequestWithContext(ctx, method, p.baseURL+path, body)
	if err != nil {
		return exchange{err: err}
	}
	req.GetBody = nil // without it net/http cannot repeat a POST
	req.Header.Set("Authorization", "Bearer "+p.apiToken.Reveal())
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "perennial")
	if body != nil {
		req.Header.Set("Content-Type", "application/json; charset=UTF-8")
	}
	res, err := p.client.Do(req)
	if err != nil {
		x.err = err
		return x
	}
	defer func() { _ = res.Body.Close() }()
	x.status, x.retryAfter = res.StatusCode, retryAfter(res.Header)
	x.body, x.err = io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	return x
}

// retryAfter reads a delay in seconds.
func retryAfter(h http.Header) time.Duration {
	n, err := strconv.Atoi(h.Get("Retry-After"))
	if err != nil || n < 0 || n > 86400 {
		return 0
	}
	return time.Duration(n) * time.Second
}

// decode reads a whole answer of pawaPay's own; ok is false for anything that is not JSON of that shape.
func decode[T any](x exchange) (v T, ok bool) {
	if x.err != nil {
		return v, false
	}
	return v, json.Unmarshal(x.body, &v) == nil
}
