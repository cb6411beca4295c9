package scenario

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"perennial/bench/internal/rig"
	"perennial/webhooks/verify"
)

// sink is a webhook receiver that answers 200 at once and records the time of each event.
type sink struct {
	url    string
	server *http.Server

	mu      sync.Mutex
	n       int
	first   map[string]time.Time // first arrival of each event, at any endpoint
	sample  captured
	arrived chan struct{} // closed and replaced with each request
}

// captured is one received request.
type captured struct {
	header http.Header
	body   []byte
}

// startSink serves until the rig stops.
func startSink(ctx context.Context, r *rig.Rig) (*sink, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &sink{url: "http://" + listener.Addr().String(), first: map[string]time.Time{}, arrived: make(chan struct{})}
	s.server = &http.Server{Handler: http.HandlerFunc(s.receive), ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = s.server.Serve(listener) }() // it ends when the rig does
	r.AtEnd(func(context.Context) error { return s.server.Close() })
	return s, nil
}

func (s *sink) receive(_ http.ResponseWriter, q *http.Request) {
	at := time.Now()
	body, err := io.ReadAll(q.Body)
	if err != nil {
		return // a disconnected sender does not count
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n++
	if id := q.Header.Get(verify.HeaderStandardID); s.first[id].IsZero() {
		s.first[id] = at
	}
	s.sample = captured{q.Header, body}
	close(s.arrived)
	s.arrived = make(chan struct{})
}

// count returns the number of received requests.
func (s *sink) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n
}

// wait waits until n requests have arrived since the start of the sink.
func (s *sink) wait(ctx context.Context, n int) error {
	for {
		s.mu.Lock()
		have, next := s.n, s.arrived
		s.mu.Unlock()
		if have >= n {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-next:
		}
	}
}

// post sends the sampled request to the sink, as its sender did.
func (s *sink) post(ctx context.Context, client *http.Client, q captured) (status int, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(q.body))
	if err != nil {
		return 0, err
	}
	request.Header = q.header.Clone()
	answer, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	defer func() { _ = answer.Body.Close() }() // it was read to its end
	_, err = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode, err
}
