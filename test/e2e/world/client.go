package world

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Client is an app that uses the API as its documentation says: each change has an Idempotency-Key and is repeated with
// it until there is an answer that counts.
type Client struct {
	url  string
	key  string
	http *http.Client

	mu      sync.Mutex
	acked   []Answer // every change that was answered with 2xx
	answers []Answer // everything that was answered at all
}

// Object is a JSON object.
type Object = map[string]any

// Answer is a response, with its request.
type Answer struct {
	Method, Path, Key string
	Status            int
	Header            http.Header
	Body              []byte
	Sent              time.Time
	Took              time.Duration
}

// ID of the resource in the answer.
func (a Answer) ID() string {
	var out struct {
		ID string `json:"id"`
	}
	_ = json.Unmarshal(a.Body, &out) // no id is an answer, too
	return out.ID
}

// Code of a refusal.
func (a Answer) Code() string {
	var out struct {
		Code string `json:"code"`
	}
	_ = json.Unmarshal(a.Body, &out) // as above
	return out.Code
}

// Decode reads the answer.
func (a Answer) Decode(out any) error { return json.Unmarshal(a.Body, out) }

// String is for messages.
func (a Answer) String() string {
	return fmt.Sprintf("%s %s -> %d after %s: %s",
		a.Method, a.Path, a.Status, a.Took.Round(time.Millisecond), bytes.TrimSpace(a.Body))
}

// Refused is an answer that no repeat will change.
type Refused struct{ Answer }

func (r *Refused) Error() string { return r.String() }

func newClient(url, key string) *Client {
	return &Client{url: url, key: key, http: &http.Client{
		Timeout: requestBudget, Transport: &http.Transport{MaxIdleConnsPerHost: 64},
	}}
}

// requestBudget is longer than the API ever takes.
const requestBudget = 40 * time.Second

// repeatAfter is the wait between two repeats of the client.
const repeatAfter = 200 * time.Millisecond

// Key makes a new Idempotency-Key.
func Key() string { return rand.Text() }

// Try sends one request; an error means that there was no answer. key "" sends no Idempotency-Key.
func (c *Client) Try(ctx context.Context, method, path, key string, body any) (Answer, error) {
	var payload io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return Answer{}, err
		}
		payload = bytes.NewReader(raw)
	}
	r, err := http.NewRequestWithContext(ctx, method, c.url+path, payload)
	if err != nil {
		return Answer{}, err
	}
	r.Header.Set("Authorization", "Bearer "+c.key)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	a := Answer{Method: method, Path: path, Key: key, Sent: time.Now()}
	res, err := c.http.Do(r)
	if err != nil {
		return a, err
	}
	defer func() { _ = res.Body.Close() }() // read to its end below, or the answer counts as lost
	if a.Body, err = io.ReadAll(res.Body); err != nil {
		return a, err
	}
	a.Status, a.Header, a.Took = res.StatusCode, res.Header, time.Since(a.Sent)
	c.note(a)
	return a, nil
}

func (c *Client) note(a Answer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answers = append(c.answers, a)
	if a.Method != http.MethodGet && a.Status < http.StatusMultipleChoices {
		c.acked = append(c.acked, a)
	}
}

// Acknowledged are the changes that were answered with 2xx.
func (c *Client) Acknowledged() []Answer {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Answer(nil), c.acked...)
}

// Answers are all answers.
func (c *Client) Answers() []Answer {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Answer(nil), c.answers...)
}

// Change makes a change and repeats it with the same key until the answer counts: 2xx, or a refusal that stays.
func (c *Client) Change(ctx context.Context, method, path string, body any) (Answer, error) {
	return c.ChangeUnder(ctx, Key(), method, path, body)
}

// ChangeUnder is Change with a key of the caller's.
func (c *Client) ChangeUnder(ctx context.Context, key, method, path string, body any) (Answer, error) {
	if body == nil {
		body = Object{}
	}
	for {
		a, err := c.Try(ctx, method, path, key, body)
		if err == nil && !worthRepeating(a) {
			if a.Status >= http.StatusBadRequest {
				return a, &Refused{a}
			}
			return a, nil
		}
		select {
		case <-ctx.Done():
			return a, fmt.Errorf("%s %s: %w (last: %w %s)", method, path, ctx.Err(), lastOf(err), a)
		case <-time.After(repeatAfter):
		}
	}
}

var errAnswered = errors.New("an answer")

// lastOf returns the reason why the last try did not count.
func lastOf(err error) error {
	if err == nil {
		return errAnswered
	}
	return err
}

func worthRepeating(a Answer) bool {
	return a.Status >= http.StatusInternalServerError || a.Status == http.StatusTooManyRequests ||
		a.Code() == "idempotency_in_flight"
}

// Create is Change by POST that answers the new resource's id.
func (c *Client) Create(ctx context.Context, path string, body any) (string, error) {
	a, err := c.Change(ctx, http.MethodPost, path, body)
	return a.ID(), err
}

// Get reads, and repeats until there is an answer.
func (c *Client) Get(ctx context.Context, path string, out any) error {
	for {
		a, err := c.Try(ctx, http.MethodGet, path, "", nil)
		switch {
		case err == nil && a.Status == http.StatusOK:
			return a.Decode(out)
		case err == nil && a.Status < http.StatusInternalServerError:
			return &Refused{a}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("GET %s: %w (last: %w %s)", path, ctx.Err(), lastOf(err), a)
		case <-time.After(repeatAfter):
		}
	}
}

// Page is one page of a list.
type Page struct {
	Data    []Object `json:"data"`
	HasMore bool     `json:"hasMore"`
}

// All reads a whole list.
func (c *Client) All(ctx context.Context, path string) ([]Object, error) {
	var all []Object
	separator := "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	for after := ""; ; {
		var page Page
		if err := c.Get(ctx, path+separator+"limit=100"+after, &page); err != nil {
			return nil, err
		}
		all = append(all, page.Data...)
		if !page.HasMore || len(page.Data) == 0 {
			return all, nil
		}
		last, _ := page.Data[len(page.Data)-1]["id"].(string)
		after = "&startingAfter=" + last
	}
}
