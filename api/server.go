package api

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"time"

	"go.uber.org/zap"

	"perennial/api/httpkit"
	"perennial/api/payments"
	"perennial/api/usecase"
	"perennial/db"
	"perennial/documents/paper"
	"perennial/internal/quota"
	"perennial/internal/telemetry"
	"perennial/service"
)

// Limits of a connection.
const (
	maxHeader         = 16 << 10
	readHeaderTimeout = 5 * time.Second
	readTimeout       = 20 * time.Second
	idleTimeout       = 2 * time.Minute
)

// writeTimeout outlasts a slow body, the bounds of an answer and the longest Prefer: wait.
var writeTimeout = readTimeout + httpkit.LongestAnswer + 15*time.Second

// Deps are the dependencies of a Server. The caller closes them after Shutdown.
type Deps struct {
	Store      *db.Store // for reading
	Service    *service.Service
	ProviderOf payments.ProviderOf
	Telemetry  *telemetry.Telemetry
	Now        func() time.Time // the real clock
}

// Config has the settings of operators.
type Config struct {
	// PublicURL is the address of the API from outside; it is in the OpenAPI document. Empty: relative.
	PublicURL string
	// Version of the software, in the OpenAPI document.
	Version string
	// TrustedProxies may say in X-Forwarded-For for whom they ask.
	TrustedProxies []netip.Prefix
	// Bounds of every answer; zero: the usual ones.
	Bounds httpkit.Bounds
	// KeyRate bounds the requests of each API key, all processes together; zero: any number.
	KeyRate quota.Limit
	// RequestsAtOnce bounds the operations that are worked on at one time; 0: any number.
	RequestsAtOnce int
	// TLS is the encryption of connections; nil: none, behind a proxy that does it.
	TLS *tls.Config
	// Fonts are for PDFs.
	Fonts paper.Fonts
	// DrainDelay is the time for which /readyz fails before the listener closes, so that load balancers stop sending.
	DrainDelay time.Duration
}

// Server is the HTTP side of Perennial.
type Server struct {
	store      *db.Store
	service    *service.Service
	providerOf payments.ProviderOf
	telemetry  *telemetry.Telemetry
	now        func() time.Time
	drainDelay time.Duration

	gate     usecase.Gate
	quota    *quota.Quota // of keys; nil: no limit
	visitors *quota.Quota // of publishable keys and addresses, in this process
	kit      *httpkit.Kit
	health   *httpkit.Health
	http     *http.Server
}

// NewServer builds the routes.
func NewServer(d Deps, c Config) *Server {
	s := &Server{
		store: d.Store, service: d.Service, providerOf: d.ProviderOf, telemetry: d.Telemetry, now: d.Now,
		drainDelay: c.DrainDelay,
	}
	if c.KeyRate.PerSecond > 0 {
		s.quota, s.visitors = quota.New(c.KeyRate), quota.New(c.KeyRate)
	}
	s.route(c)
	s.http = &http.Server{
		Handler: s.Handler(), TLSConfig: c.TLS, MaxHeaderBytes: maxHeader, ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout: readTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout,
		ErrorLog: zap.NewStdLog(d.Telemetry.Logger),
	}
	return s
}

// Handler serves requests without a listener, for tests and benchmarks.
func (s *Server) Handler() http.Handler {
	return s.kit.Handler()
}

// Serve serves requests on l until Shutdown.
func (s *Server) Serve(l net.Listener) error {
	serve := s.http.Serve
	if s.http.TLSConfig != nil {
		serve = func(l net.Listener) error { return s.http.ServeTLS(l, "", "") }
	}
	if err := serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// ShareKeyRequests sends the numbers of requests of keys since its last call to the other processes, and receives the
// rests of their quotas.
func (s *Server) ShareKeyRequests(ctx context.Context) error {
	if s.quota == nil {
		return nil
	}
	s.visitors.Prune(s.now())
	return s.quota.Share(ctx, s.now, func(ctx context.Context, spent map[string]quota.Spent) (map[string]float64, error) {
		return s.service.Tenancy.SpendKeyRequests(ctx, spent, s.quota.Limit())
	})
}

// NoteKeyUse writes down when the keys of the requests since the last time were used.
func (s *Server) NoteKeyUse(ctx context.Context) error {
	return s.service.Tenancy.NoteKeyUse(ctx, s.kit.KeysUsed())
}

// Shutdown drains: /readyz says no, then nothing new is accepted, who waits for a final state is answered with the
// present one, and running requests end within ctx.
func (s *Server) Shutdown(ctx context.Context) error {
	s.health.Drain()
	select {
	case <-time.After(s.drainDelay):
	case <-ctx.Done():
	}
	s.kit.EndWaits()
	return s.http.Shutdown(ctx)
}
