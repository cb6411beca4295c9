package service

import (
	"time"

	"perennial/db"
	"perennial/internal/vault"
	"perennial/service/catalog"
	"perennial/service/clocks"
	"perennial/service/customers"
	"perennial/service/gateway"
	"perennial/service/invoices"
	"perennial/service/payments"
	"perennial/service/subscriptions"
	"perennial/service/tenancy"
	"perennial/service/usage"
	"perennial/service/usecase"
	servicewebhooks "perennial/service/webhooks"
	"perennial/webhooks"
)

// Service assembles the columns.
type Service struct {
	Tenancy       *tenancy.Service
	Clocks        *clocks.Service
	Webhooks      *servicewebhooks.Service
	Usage         *usage.Service
	Catalog       *catalog.Service
	Customers     *customers.Service
	Payments      *payments.Service
	Invoices      *invoices.Service
	Subscriptions *subscriptions.Service

	parts
}

// parts are what the columns work with.
type parts struct {
	usecase.Base
	vault     *vault.Vault // nil: nothing can be sealed
	receivers webhooks.Allow
	gateway   *gateway.Gateway
	recording *usage.Service // one for all copies: it has what single requests bring
}

// New makes a service. The store's dispatcher (db.Store.With) gets what follows each commit; now is the real clock.
func New(store *db.Store, now func() time.Time) *Service {
	base := usecase.Base{Store: store, Now: now}
	return assemble(parts{Base: base, gateway: gateway.New(gateway.Config{}), recording: usage.New(base)})
}

func assemble(p parts) *Service {
	payers := customers.New(p.Base, p.gateway)
	return &Service{
		Tenancy:       tenancy.New(p.Base, p.gateway),
		Clocks:        clocks.New(p.Base),
		Webhooks:      servicewebhooks.New(p.Base, p.vault, p.receivers),
		Usage:         p.recording,
		Catalog:       catalog.New(p.Base),
		Customers:     payers,
		Payments:      payments.New(p.Base, p.vault, p.gateway),
		Invoices:      invoices.New(p.Base),
		Subscriptions: subscriptions.New(p.Base, payers),
		parts:         p,
	}
}

// WithProviders returns the same service, which opens accounts as the operator set them up.
func (s *Service) WithProviders(g *gateway.Gateway) *Service {
	p := s.parts
	p.gateway = g
	return assemble(p)
}

// Webhooks is what registrations of webhook endpoints need of the process.
type Webhooks struct {
	Vault *vault.Vault   // seals signing secrets
	Local webhooks.Allow // networks of local receivers of test environments
}

// WithWebhooks returns the same service, able to register webhook endpoints.
func (s *Service) WithWebhooks(w Webhooks) *Service {
	p := s.parts
	p.vault, p.receivers = w.Vault, w.Local
	return assemble(p)
}
