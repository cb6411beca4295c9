package story

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// headerEventID is the same in every attempt of a delivery.
const headerEventID = "Webhook-Id"

// receiver takes webhooks on loopback, as an app does: it verifies, keeps each event once, and answers.
type receiver struct {
	url    string
	config Config
	server *http.Server

	mu      sync.Mutex
	secret  string
	known   map[string]bool // ids of events
	waiting []event
	refused []string // why deliveries were not accepted
}

func listen(ctx context.Context, c Config) (*receiver, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &receiver{url: "http://" + l.Addr().String() + "/webhooks", config: c, known: map[string]bool{}}
	r.server = &http.Server{Handler: r, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = r.server.Serve(l) }() // ends with close
	return r, nil
}

func (r *receiver) close() { _ = r.server.Close() } // nothing is lost: the story is over

// accept sets the secret with which deliveries are verified from now on.
func (r *receiver) accept(secret string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.secret = secret
}

// ServeHTTP implements http.Handler.
func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, q.Body, 1<<20))
	if err != nil {
		http.Error(w, "unreadable", http.StatusBadRequest)
		return
	}
	if err := r.take(q.Header, body); err != nil {
		http.Error(w, "not accepted", http.StatusUnauthorized)
	}
}

func (r *receiver) take(header http.Header, body []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := event{id: header.Get(headerEventID)}
	err := r.config.Verify(header, body, []string{r.secret}, r.config.Now())
	if err == nil {
		err = json.Unmarshal(body, &e)
	}
	if err != nil {
		r.refused = append(r.refused, "the receiver refused a delivery: "+err.Error())
		return err
	}
	if !r.known[e.id] { // an attempt whose answer was lost is made again
		r.known[e.id] = true
		r.waiting = append(r.waiting, e)
	}
	return nil
}

// drain returns what has arrived since the last time.
func (r *receiver) drain() (events []event, refused []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	events, refused = r.waiting, r.refused
	r.waiting, r.refused = nil, nil
	return events, refused
}
