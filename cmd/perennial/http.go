package main

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"slices"
	"sync/atomic"
	"time"
)

// headerTimeout keeps slow strangers from holding connections.
const headerTimeout = 10 * time.Second

// listener is an HTTP server on its port.
type listener struct {
	server *http.Server
	net    net.Listener
	failed chan error // gets what ended it, unless stop did
}

// listen takes the port and serves. Port 0 takes a free one.
func listen(ctx context.Context, address string, handler http.Handler) (*listener, error) {
	inner, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return serveOn(inner, handler), nil
}

func serveOn(inner net.Listener, handler http.Handler) *listener {
	l := &listener{
		server: &http.Server{Handler: handler, ReadHeaderTimeout: headerTimeout, IdleTimeout: 2 * time.Minute},
		net:    inner, failed: make(chan error, 1),
	}
	go func() {
		if err := l.server.Serve(inner); !errors.Is(err, http.ErrServerClosed) {
			l.failed <- err
		}
	}()
	return l
}

// url is where it listens, for people on this machine.
func (l *listener) url() string { return "http://" + reachable(l.net.Addr().String()) }

// stop takes no new requests and finishes the open ones, for at most the grace; what is open then is cut.
func (l *listener) stop(ctx context.Context, grace time.Duration) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	err := l.server.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return errors.Join(errors.New("some requests were cut: they took longer than the time to drain"), l.server.Close())
	}
	return err
}

// reachable turns an address to listen on into one to connect to.
func reachable(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return address
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}

// health answers whether the process is alive, and whether it wants work.
type health struct {
	draining atomic.Bool
	checks   map[string]func(context.Context) error
}

// readyBudget is how long all checks together may take: shorter than the patience of whoever asks.
const readyBudget = 2 * time.Second

// healthz says that the process runs, and nothing about others: restarting us mends no database.
func (h *health) healthz(w http.ResponseWriter, _ *http.Request) {
	writeStatus(w, http.StatusOK, "ok", nil)
}

// readyz tells what is missing, by name only.
func (h *health) readyz(w http.ResponseWriter, r *http.Request) {
	if h.draining.Load() {
		writeStatus(w, http.StatusServiceUnavailable, "draining", nil)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), readyBudget)
	defer cancel()
	var missing []string
	for name, check := range h.checks {
		if check(ctx) != nil {
			missing = append(missing, name)
		}
	}
	slices.Sort(missing)
	if len(missing) > 0 {
		writeStatus(w, http.StatusServiceUnavailable, "not ready", missing)
		return
	}
	writeStatus(w, http.StatusOK, "ready", nil)
}

func writeStatus(w http.ResponseWriter, code int, status string, missing []string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(struct { // whoever asked has gone
		Status  string   `json:"status"`
		Missing []string `json:"missing,omitempty"`
	}{status, missing})
}

// operations is what machines ask a process, apart from the API: nobody outside should reach it.
func operations(metrics http.Handler, h *health) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", metrics)
	mux.HandleFunc("GET /healthz", h.healthz)
	mux.HandleFunc("GET /readyz", h.readyz)
	return mux
}
