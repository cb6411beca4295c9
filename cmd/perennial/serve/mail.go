package serve

import (
	"perennial/activities/mailing"
	"perennial/cmd/perennial/cli"
	"perennial/db"
	"perennial/mail"
	"perennial/service/gateway"
	"perennial/webhooks"
)

// mails wires the sending of mails, on the pool of activities.
func (s *Server) mails(p *cli.Process, store *db.Store) *mailing.Mails {
	c := s.config
	return &mailing.Mails{
		Store: s.dispatching(p, store), Clock: p.Now,
		Accounts: gateway.MailAccounts{
			Vault: s.vault, Sender: mail.Sender{}, Relays: webhooks.Allow(c.Mail.Relays),
			Local: webhooks.Allow(c.Webhooks.LocalReceivers),
		},
	}
}
