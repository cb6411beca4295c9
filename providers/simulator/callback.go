package simulator

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// Callbacks says where signed events go.
type Callbacks struct {
	URL    string `json:"url"`
	Secret string `json:"secret"`
	// Synchronous also sends events for what the caller already knows from the answer to its request, as Stripe
	// does. Off by default: it doubles the traffic of a load test.
	Synchronous bool          `json:"synchronous"`
	Copies      int           `json:"copies"` // how often each event is sent; default once
	Delay       time.Duration `json:"-"`
}

// event is one message; asynchronous tells that nobody learned of it from an answer.
type event struct {
	id, name     string
	asynchronous bool
	body         []byte
}

// CallbackAttempt is one POST of an event.
type CallbackAttempt struct {
	EventID string    `json:"event"`
	Type    string    `json:"type"`
	At      time.Time `json:"at"`
	Status  int       `json:"status"`
	Error   string    `json:"error,omitempty"`
}

// event freezes the object as it is now. The caller holds the lock.
func (s *Server) event(name string, live bool, object map[string]any, asynchronous bool) event {
	id := newID("evt_")
	body, _ := json.Marshal(map[string]any{ // maps of plain values always marshal
		"id": id, "object": "event", "api_version": "2026-03-25.dahlia", "created": s.config.Now().Unix(),
		"data": map[string]any{"object": object}, "livemode": live, "pending_webhooks": 1,
		"request": map[string]any{"id": nil, "idempotency_key": nil}, "type": name,
	})
	return event{id: id, name: name, asynchronous: asynchronous, body: body}
}

// retries are the pauses after failed attempts: Stripe's three days, shortened to what a test waits for. What is still
// undelivered when the simulator stops is lost, as it is when Stripe gives up; the receiver has to poll.
var retries = []time.Duration{time.Second, 5 * time.Second, 25 * time.Second}

const (
	keptAttempts = 1000
	parallel     = 16
)

// sender posts events in the background.
type sender struct {
	client  *http.Client
	closing context.Context
	now     func() time.Time
	running sync.WaitGroup
	slots   chan struct{}

	mu       sync.Mutex
	attempts []CallbackAttempt
	config   Callbacks
}

func newSender(closing context.Context, c Callbacks, now func() time.Time) *sender {
	return &sender{
		client:  &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: parallel}},
		closing: closing, config: c, now: now, slots: make(chan struct{}, parallel),
	}
}

func (s *sender) configure(c Callbacks) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.config = c
}

func (s *sender) settings() Callbacks {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.config
}

// send queues the events that the settings ask for.
func (s *sender) send(events ...event) {
	c := s.settings()
	for _, e := range events {
		if c.URL == "" || (!e.asynchronous && !c.Synchronous) {
			continue
		}
		for range max(c.Copies, 1) {
			s.background(func() { s.deliver(c, e) })
		}
	}
}

// after sends the events once ready returns without error.
func (s *sender) after(ready func() error, events ...event) {
	s.background(func() {
		if ready() == nil {
			s.send(events...)
		}
	})
}

// background must be called before Close returns from taking the lock, or from another background job.
func (s *sender) background(job func()) {
	s.running.Add(1)
	go func() {
		defer s.running.Done()
		job()
	}()
}

func (s *sender) deliver(c Callbacks, e event) {
	if !s.sleep(c.Delay) {
		return
	}
	for attempt := 0; ; attempt++ {
		if s.post(c, e) || attempt == len(retries) || !s.sleep(retries[attempt]) {
			return
		}
	}
}

func (s *sender) post(c Callbacks, e event) (accepted bool) {
	select {
	case s.slots <- struct{}{}:
	case <-s.closing.Done():
		return false
	}
	defer func() { <-s.slots }()
	a := CallbackAttempt{EventID: e.id, Type: e.name, At: s.now().UTC()}
	req, err := http.NewRequestWithContext(s.closing, http.MethodPost, c.URL, bytes.NewReader(e.body))
	if err == nil {
		req.Header.Set("Content-Type", "application/json; charset=utf-8")
		req.Header.Set("Stripe-Signature", Sign(e.body, c.Secret, a.At))
		var res *http.Response
		if res, err = s.client.Do(req); err == nil {
			a.Status = res.StatusCode
			_ = res.Body.Close()
		}
	}
	if err != nil {
		a.Error = err.Error()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.attempts = append(s.attempts, a)
	s.attempts = s.attempts[max(0, len(s.attempts)-keptAttempts):]
	return a.Status >= 200 && a.Status < 300
}

func (s *sender) sleep(d time.Duration) (awake bool) {
	if d <= 0 {
		return s.closing.Err() == nil
	}
	select {
	case <-time.After(d):
		return true
	case <-s.closing.Done():
		return false
	}
}

func (s *sender) log() []CallbackAttempt {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]CallbackAttempt{}, s.attempts...)
}

func (s *sender) wait() { s.running.Wait() }

// Sign makes the Stripe-Signature header of a body.
func Sign(body []byte, secret string, at time.Time) string {
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = fmt.Fprintf(mac, "%d.%s", at.Unix(), body) // a MAC takes everything
	return fmt.Sprintf("t=%d,v1=%s", at.Unix(), hex.EncodeToString(mac.Sum(nil)))
}
