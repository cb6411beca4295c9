package serve

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"time"

	"go.uber.org/zap"

	"perennial/api"
	"perennial/api/httpkit"
	"perennial/cmd/perennial/cli"
	"perennial/cmd/perennial/wire"
	"perennial/documents/paper"
	"perennial/internal/certfile"
	"perennial/internal/quota"
	"perennial/service"
)

// apiPart is the API inside a process.
type apiPart struct {
	server *api.Server
	url    string
	done   chan struct{}
}

func (s *Server) startAPI(ctx context.Context, p *cli.Process) (*apiPart, error) {
	c := s.config
	store, err := s.openStore(ctx, p, "api", c.Database.PoolAPI)
	if err != nil {
		return nil, err
	}
	dispatching := s.dispatching(p, store)
	// The port is opened here rather than in Serve: a port in use fails the start, and port 0 has its number before the
	// address is printed.
	inner, err := new(net.ListenConfig).Listen(ctx, "tcp", c.HTTP.ListenAddress)
	if err != nil {
		return nil, fmt.Errorf("LISTEN_ADDRESS: %w", err)
	}
	scheme, encrypted, err := s.certificate(p)
	if err != nil {
		return nil, err
	}
	fonts, err := paper.WithFallback(c.Documents.Font)
	if err != nil {
		return nil, fmt.Errorf("PERENNIAL_DOCUMENT_FONT: %w", err)
	}
	use := service.New(dispatching, p.Now).WithWebhooks(service.Webhooks{
		Vault: s.vault, Local: c.Webhooks.LocalReceivers, Relays: c.Mail.Relays,
	}).WithProviders(s.gateway)
	server := api.NewServer(api.Deps{
		// Reads go past the dispatcher: only transactions of the service have effects.
		Store: store, ProviderOf: s.gateway.Provider,
		Service:   use,
		Telemetry: s.telemetry, Now: p.Now,
	}, api.Config{
		PublicURL: c.HTTP.PublicURL, Version: c.BuildID, TrustedProxies: c.HTTP.TrustedProxies, DrainDelay: c.HTTP.DrainDelay,
		KeyRate:        quota.Limit{PerSecond: c.HTTP.KeyRate, Burst: c.HTTP.KeyBurst},
		RequestsAtOnce: c.HTTP.RequestsAtOnce, TLS: encrypted, Fonts: fonts,
	})
	part := &apiPart{server: server, url: scheme + "://" + wire.Reachable(inner.Addr().String()), done: make(chan struct{})}
	go func() {
		defer close(part.done)
		if err := server.Serve(inner); err != nil {
			s.Failed <- fmt.Errorf("the API ended: %w", err)
		}
	}()
	s.needs = append(s.needs, httpkit.Requirement{Check: store.Ping, Absent: httpkit.ErrDatabaseAway})
	if err := s.watchBacklog(store, p.Now); err != nil {
		return part, err
	}
	if err := s.watchCharging(store); err != nil {
		return part, err
	}
	if err := s.watchBreakers(store, p.Now); err != nil {
		return part, err
	}
	if err := s.watchWaiting(store, p.Now); err != nil {
		return part, err
	}
	watching, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.closers = append(s.closers, stop) // before its pool, which was opened earlier
	go s.alarm(watching, store, p.Now)
	go s.testProviders(watching, use)
	go noteKeyUse(watching, server)
	go s.rollUpUsage(watching, use.Usage)
	go s.askReached(watching, use.Usage)
	go s.sealAudit(watching, use.Tenancy)
	go s.shareKeyRequests(watching, server)
	return part, nil
}

// certificate returns the TLS configuration of the API; nil: connections are not encrypted.
func (s *Server) certificate(p *cli.Process) (scheme string, encrypted *tls.Config, err error) {
	c := s.config.HTTP
	if c.TLSCert == "" {
		return "http", nil, nil
	}
	pair, err := certfile.Open(c.TLSCert, c.TLSKey, p.Now, func(err error) {
		s.telemetry.Logger.Error("the certificate cannot be read again; the one of before is shown", zap.Error(err))
	})
	if err != nil {
		return "", nil, fmt.Errorf("API_TLS_CERT: %w", err)
	}
	return "https", pair.Config(), nil
}

// stop drains; the delay for load balancers comes on top of the time that requests get.
func (a *apiPart) stop(ctx context.Context, grace time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, grace)
	defer cancel()
	err := a.server.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return errors.New("some requests were cut: they took longer than API_DRAIN_TIMEOUT")
	}
	<-a.done
	return err
}
