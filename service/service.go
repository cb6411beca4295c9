package service

import (
	"time"

	"perennial/db"
	"perennial/internal/vault"
	"perennial/mail"
	"perennial/service/catalog"
	"perennial/service/clocks"
	"perennial/service/customers"
	"perennial/service/emails"
	"perennial/service/gateway"
	"perennial/service/hosted"
	"perennial/service/invoices"
	"perennial/service/moving"
	"perennial/service/payments"
	"perennial/service/subscriptions"
	"perennial/service/templates"
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
	Emails        *emails.Service
	Templates     *templates.Service
	Usage         *usage.Service
	Catalog       *catalog.Service
	Customers     *customers.Service
	Payments      *payments.Service
	Invoices      *invoices.Service
	Hosted        *hosted.Service
	Subscriptions *subscriptions.Service
	Moving        *moving.Service

	parts parts
}

// parts are the dependencies of the columns.
type parts struct {
	base      usecase.Base
	vault     *vault.Vault // nil: nothing can be sealed
	receivers webhooks.Allow
	mail      gateway.MailAccounts
	gateway   *gateway.Gateway
	usage     *usage.Service // the same for all copies: it holds the records that requests wait to have written
}

// New assembles the columns. The store's dispatcher (db.Store.With) gets the effects of each commit; now is the real
// clock.
func New(store *db.Store, now func() time.Time) *Service {
	base := usecase.Base{Store: store, Now: now}
	return assemble(parts{base: base, gateway: gateway.New(gateway.Config{}), usage: usage.New(base)})
}

func assemble(p parts) *Service {
	payers, billed := customers.New(p.base, p.gateway), invoices.New(p.base)
	endpoints := servicewebhooks.New(p.base, p.vault, p.receivers)
	return &Service{
		Tenancy:       tenancy.New(p.base, p.gateway),
		Clocks:        clocks.New(p.base),
		Webhooks:      endpoints,
		Emails:        emails.New(p.base, p.mail),
		Templates:     templates.New(p.base),
		Usage:         p.usage,
		Catalog:       catalog.New(p.base),
		Customers:     payers,
		Payments:      payments.New(p.base, p.vault, p.gateway),
		Invoices:      billed,
		Hosted:        hosted.New(p.base, payers, billed),
		Subscriptions: subscriptions.New(p.base, payers),
		Moving:        moving.New(p.base, endpoints),
		parts:         p,
	}
}

// WithProviders returns the same service, which opens accounts as the operator set them up.
func (s *Service) WithProviders(g *gateway.Gateway) *Service {
	p := s.parts
	p.gateway = g
	return assemble(p)
}

// Webhooks are the parts of the process that webhook endpoints need.
type Webhooks struct {
	Vault *vault.Vault   // seals signing secrets
	Local webhooks.Allow // networks of local receivers of test environments
	// Relays are networks in which mail servers may be although they are not on the internet; Mail connects to them.
	Relays webhooks.Allow
	Mail   mail.Sender
}

// WithWebhooks returns the same service, able to register webhook endpoints and senders of mail.
func (s *Service) WithWebhooks(w Webhooks) *Service {
	p := s.parts
	p.vault, p.receivers = w.Vault, w.Local
	p.mail = gateway.MailAccounts{Vault: w.Vault, Sender: w.Mail, Relays: w.Relays, Local: w.Local}
	return assemble(p)
}
