package core

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// Callbacks configures the sending of signed messages.
type Callbacks struct {
	URL    string `json:"url"`
	Secret string `json:"secret"`
	// Synchronous also sends messages about changes that the caller already knows from the answer to its request, as
	// providers do. Off by default: it doubles the traffic of a load test.
	Synchronous bool          `json:"synchronous"`
	Copies      int           `json:"copies"` // how often each message is sent; default once
	Delay       time.Duration `json:"-"`
}

// CallbackAttempt is one POST of a message.
type CallbackAttempt struct {
	EventID string       `json:"event"`
	Type    string       `json:"type"`
	At      time.Time    `json:"at"`
	Status  int          `json:"status"`
	Error   string       `json:"error,omitempty"`
	Fault   CallbackKind `json:"fault,omitempty"`
}

// retries are the pauses after failed attempts: a provider's days, shortened to a test's seconds. Messages that are
// undelivered when the simulator stops are lost, as when a provider gives up; the receiver has to poll.
var retries = []time.Duration{time.Second, 5 * time.Second, 25 * time.Second}

const (
	keptAttempts = 1000
	parallel     = 16
)

// sender posts messages in the background.
type sender struct {
	client  *http.Client
	closing context.Context
	dialect Dialect
	now     func() time.Time // real time: signatures grow old by it
	running sync.WaitGroup
	slots   chan struct{}

	mu       sync.Mutex
	attempts []CallbackAttempt
	config   Callbacks
	faults   []*CallbackFault
	held     []func() // messages that wait for the one after them
}

func newSender(closing context.Context, c Callbacks, d Dialect, now func() time.Time) *sender {
	return &sender{
		client:  &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: parallel}},
		closing: closing, config: c, dialect: d, now: now, slots: make(chan struct{}, parallel),
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

// send queues the messages that the settings ask for.
func (s *sender) send(messages ...Message) {
	c := s.settings()
	for _, m := range messages {
		if c.URL == "" || (!m.Asynchronous && !c.Synchronous) {
			continue
		}
		s.sendWith(c, m, s.takeFault(m.Type))
	}
}

// after sends the messages once ready returns without error.
func (s *sender) after(ready func() error, messages ...Message) {
	s.background(func() {
		if ready() == nil {
			s.send(messages...)
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

func (s *sender) deliver(c Callbacks, m Message, f *CallbackFault) {
	if !s.sleep(c.Delay) {
		return
	}
	for attempt := 0; ; attempt++ {
		if s.post(c, m, f) || attempt == len(retries) || !s.sleep(retries[attempt]) {
			return
		}
	}
}

func (s *sender) post(c Callbacks, m Message, f *CallbackFault) (accepted bool) {
	select {
	case s.slots <- struct{}{}:
	case <-s.closing.Done():
		return false
	}
	defer func() { <-s.slots }()
	a := CallbackAttempt{EventID: m.ID, Type: m.Type, At: s.now().UTC(), Fault: f.kind()}
	req, err := s.request(c, m, f, a.At)
	if err == nil {
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

// request signs the message as it is sent now.
func (s *sender) request(c Callbacks, m Message, f *CallbackFault, at time.Time) (*http.Request, error) {
	to, err := url.Parse(c.URL)
	if err != nil {
		return nil, err
	}
	body := m.Body
	switch f.kind() {
	case CallbackWrongAmount, CallbackUnknownReference:
		if body, err = s.dialect.Falsify(bytes.Clone(body), Lie(f.Kind)); err != nil {
			return nil, err
		}
	case CallbackStale:
		at = at.Add(-stale)
	default: // it is genuine, or Forged below
	}
	signed := s.dialect.Sign(Outgoing{
		URL: to, Body: body, Secret: c.Secret, At: at, Forged: f.kind() == CallbackForged,
	})
	req, err := http.NewRequestWithContext(s.closing, http.MethodPost, c.URL, bytes.NewReader(signed.Body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	for name, values := range signed.Header {
		req.Header[http.CanonicalHeaderKey(name)] = values
	}
	return req, nil
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
