package story

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// client speaks to the API and to the simulator's admin side.
type client struct {
	http *http.Client
	api  string
	key  string
	run  string // makes the idempotency keys of this run its own
	sent int
	rest func(context.Context, time.Duration) error // waits
}

// newClient has separate connections: shared ones may be closed by others, and net/http then sends a request with an
// idempotency key a second time.
func newClient(c Config) *client {
	return &client{
		http: &http.Client{Timeout: time.Minute, Transport: &http.Transport{}}, api: c.API, key: c.Key, run: rand.Text(),
		rest: c.rest,
	}
}

func (c *client) close() { c.http.CloseIdleConnections() }

// get reads a resource.
func (c *client) get(ctx context.Context, path string, out any) error {
	return c.send(ctx, http.MethodGet, c.api+path, nil, nil, out)
}

// change sends a command under an idempotency key of its own, so that repeating it on trouble is safe.
func (c *client) change(ctx context.Context, method, path string, in, out any) error {
	c.sent++
	return c.send(ctx, method, c.api+path, http.Header{
		"Idempotency-Key": {"story-" + c.run + "-" + strconv.Itoa(c.sent)},
		"Prefer":          {"wait=30"},
	}, in, out)
}

// tries is the number of times that a 503 leads to another try.
const tries = 5

func (c *client) send(ctx context.Context, method, url string, header http.Header, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	for try := 1; ; try++ {
		after, err := c.once(ctx, method, url, header, body, out)
		if err == nil || after == 0 || try == tries {
			return err
		}
		if err := c.rest(ctx, after); err != nil {
			return err
		}
	}
}

// once returns when to try again, or zero where that helps nothing.
func (c *client) once(
	ctx context.Context, method, url string, header http.Header, body []byte, out any,
) (after time.Duration, err error) {
	r, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	if method == http.MethodGet || method == http.MethodDelete {
		r.Body, r.ContentLength = nil, 0
	}
	for name, values := range header {
		r.Header[name] = values
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+c.key)
	answer, err := c.http.Do(r)
	if err != nil {
		return 0, err
	}
	defer func() { _ = answer.Body.Close() }() // it has been read
	text, err := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	if err != nil {
		return 0, err
	}
	if answer.StatusCode >= http.StatusBadRequest {
		if answer.StatusCode == http.StatusServiceUnavailable {
			seconds, _ := strconv.Atoi(answer.Header.Get("Retry-After")) // absent: come again soon
			after = max(time.Duration(seconds)*time.Second, time.Second)
		}
		return after, problem(method, url, answer.StatusCode, text)
	}
	if out == nil {
		return 0, nil
	}
	if err := json.Unmarshal(text, out); err != nil {
		return 0, fmt.Errorf("%s %s answers what is not the JSON we expect: %w", method, url, err)
	}
	return 0, nil
}

// problem returns the API's problem as an error.
func problem(method, url string, status int, text []byte) error {
	var p struct {
		Code      string `json:"code"`
		Detail    string `json:"detail"`
		Param     string `json:"param"`
		RequestID string `json:"requestId"`
	}
	if json.Unmarshal(text, &p) != nil || p.Code == "" {
		return fmt.Errorf("%s %s answers %d: %s", method, url, status, text)
	}
	return fmt.Errorf("%s %s answers %d %s: %s (%s %s)", method, url, status, p.Code, p.Detail, p.Param, p.RequestID)
}

// script makes the simulated bank treat one customer's card in some way; empty makes it work again.
func (c *client) script(ctx context.Context, simulator, customer, card, behaviour string) error {
	return c.plain(ctx, http.MethodPut, simulator+"/_simulator/cards/"+card,
		map[string]string{"customer": customer, "behaviour": behaviour}, nil)
}

// plain asks the simulator, which must not see the API key.
func (c *client) plain(ctx context.Context, method, url string, in, out any) error {
	stranger := *c
	stranger.key = "none"
	return stranger.send(ctx, method, url, nil, in, out)
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
