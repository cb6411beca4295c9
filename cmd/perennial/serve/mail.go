package serve

import (
	"fmt"

	"perennial/activities/mailing"
	"perennial/cmd/perennial/cli"
	"perennial/db"
	"perennial/documents/drawing"
	"perennial/documents/paper"
	"perennial/mail"
	"perennial/service/gateway"
	"perennial/webhooks"
)

// mails wires the sending of mails, on the pool of activities.
func (s *Server) mails(p *cli.Process, store *db.Store) (*mailing.Mails, error) {
	c := s.config
	fonts, err := paper.WithFallback(c.Documents.Font)
	if err != nil {
		return nil, fmt.Errorf("PERENNIAL_DOCUMENT_FONT: %w", err)
	}
	return &mailing.Mails{
		Store: s.dispatching(p, store), Clock: p.Now, PublicURL: c.HTTP.PublicURL,
		Drawer: drawing.New(db.NewDrawings(store, p.Now), fonts),
		Accounts: gateway.MailAccounts{
			Vault: s.vault, Sender: mail.Sender{}, Relays: webhooks.Allow(c.Mail.Relays),
			Local: webhooks.Allow(c.Webhooks.LocalReceivers),
		},
	}, nil
}
