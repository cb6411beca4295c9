// Package receiver is a webhook receiver for tests: it answers as its script says, well or badly, and keeps the
// requests byte by byte. One receiver serves many endpoints, each under its own path.
package receiver

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Request is one delivery as it arrived.
type Request struct {
	At     time.Time
	Path   string
	Header http.Header
	Body   []byte
}

// Receiver listens on loopback until the test ends.
type Receiver struct {
	URL string // without a path

	server      *httptest.Server
	connections atomic.Int64
	stop        chan struct{} // closed when the test ends: what hangs, ends

	mu       sync.Mutex
	requests []Request
	scripts  map[string][]Step
	arrived  chan struct{} // closed and replaced at each request
}

// New returns a receiver without TLS, for environments that allow local receivers.
func New(t testing.TB) *Receiver {
	t.Helper()
	r := unstarted(t)
	r.server.Start()
	r.URL = r.server.URL
	return r
}

func unstarted(t testing.TB) *Receiver {
	r := &Receiver{stop: make(chan struct{}), scripts: map[string][]Step{}, arrived: make(chan struct{})}
	r.server = httptest.NewUnstartedServer(http.HandlerFunc(r.receive))
	r.server.Listener = counter{r.server.Listener, &r.connections}
	r.server.Config.ErrorLog = log.New(io.Discard, "", 0) // handshakes that fail on purpose
	t.Cleanup(func() {
		close(r.stop)
		r.server.Close()
	})
	return r
}

// Endpoint returns the URL of an endpoint that answers by the steps in their order, and then by the last one again.
// Without steps it answers 200. Calling it again replaces the script.
func (r *Receiver) Endpoint(path string, steps ...Step) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.scripts[path] = steps
	return r.URL + path
}

// Requests returns what arrived at a path so far, in the order of arrival; "" is every path.
func (r *Receiver) Requests(path string) []Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(r.requests), func(q Request) bool { return path != "" && q.Path != path })
}

// Connections counts the connections that were accepted, whether anything was sent over them or not.
func (r *Receiver) Connections() int { return int(r.connections.Load()) }

// Port returns its port.
func (r *Receiver) Port() int {
	address, ok := r.server.Listener.Addr().(*net.TCPAddr)
	if !ok {
		panic("receiver: its listener is TCP")
	}
	return address.Port
}

// CloseIdle closes the connections that wait for another request, as receivers do after some seconds.
func (r *Receiver) CloseIdle() { r.server.CloseClientConnections() }

// Wait returns what arrived at a path as soon as these are n requests or more. It fails the test after the time given.
func (r *Receiver) Wait(t testing.TB, path string, n int, atMost time.Duration) []Request {
	t.Helper()
	timeout := time.After(atMost)
	for {
		r.mu.Lock()
		arrived := r.arrived
		r.mu.Unlock()
		got := r.Requests(path)
		if len(got) >= n {
			return got
		}
		select {
		case <-arrived:
		case <-timeout:
			t.Fatalf("receiver: %d of %d requests arrived at %q within %s", len(got), n, path, atMost)
		}
	}
}

func (r *Receiver) receive(w http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(q.Body)
	if err != nil {
		body = fmt.Appendf(body, " (cut off: %v)", err)
	}
	header := q.Header.Clone()
	header.Set("Host", q.Host)
	r.mu.Lock()
	r.requests = append(r.requests, Request{At: time.Now(), Path: q.URL.Path, Header: header, Body: body})
	step := Status(http.StatusOK)
	if script := r.scripts[q.URL.Path]; len(script) > 0 {
		step = script[0]
		if len(script) > 1 {
			r.scripts[q.URL.Path] = script[1:]
		}
	}
	close(r.arrived)
	r.arrived = make(chan struct{})
	r.mu.Unlock()
	step(exchange{w, q, r.stop})
}

// counter counts accepted connections.
type counter struct {
	net.Listener
	n *atomic.Int64
}

func (c counter) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err == nil {
		c.n.Add(1)
	}
	return conn, err
}
