package serve

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"perennial/api/httpkit"
	"perennial/cmd/perennial/wire"
)

// headerTimeout keeps slow strangers from holding connections.
const headerTimeout = 10 * time.Second

// listener is an HTTP server on its port.
type listener struct {
	server *http.Server
	net    net.Listener
	failed chan error // gets what ended it, unless stop did
}

// listenOn takes the port and serves. Port 0 takes a free one. Faults name the address; the caller adds the variable
// that it came from.
func listenOn(ctx context.Context, address string, handler http.Handler) (*listener, error) {
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

// url returns the address on which it listens, for people on this machine.
func (l *listener) url() string { return "http://" + wire.Reachable(l.net.Addr().String()) }

// stop takes no new requests and finishes the open ones for at most the grace; then it cuts those that are still open.
func (l *listener) stop(ctx context.Context, grace time.Duration) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	err := l.server.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return errors.Join(errors.New("some requests were cut: they took longer than the time to drain"), l.server.Close())
	}
	return err
}

// operations serves the endpoints for machines, apart from the API: they should not be reachable from outside.
func operations(metrics http.Handler, h *httpkit.Health) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", metrics)
	mux.HandleFunc("GET /healthz", h.Live)
	mux.HandleFunc("GET /readyz", h.Ready)
	return mux
}
