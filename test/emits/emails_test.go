package emits

import (
	"time"

	"perennial/activities/mailing"
	"perennial/billing/email"
	"perennial/billing/terms"
	"perennial/contract"
	"perennial/db"
	"perennial/documents/drawing"
	"perennial/documents/paper"
	"perennial/internal/id"
	"perennial/internal/testkit/mailserver"
	"perennial/mail"
	"perennial/service/emails"
	"perennial/service/usecase"
)

// mails are the operations of mail, each with a function that prepares it.
var mails = map[string]func(*stage) func() error{
	"putEmailSettings": func(s *stage) func() error { return s.putEmailSettings },
	"deleteEmailSettings": func(s *stage) func() error {
		s.must(s.putEmailSettings())
		return func() error { return s.service.Emails.Delete(s.ctx, s.by, usecase.Around[db.EmailSender]{}) }
	},
	"testEmailSettings": func(s *stage) func() error {
		s.must(s.putEmailSettings())
		return func() error { return s.service.Emails.Test(s.ctx, s.by, usecase.Around[emails.Tested]{}) }
	},
	"resendEmail": func(s *stage) func() error {
		s.must(s.putEmailSettings())
		m := s.mailTo(s.Customer(s.t, "").ID)
		_, err := s.Pool.Exec(s.ctx, "update emails set status = 'sent', next_attempt_at = null where id = $1", m.ID)
		s.must(err)
		return func() error { return s.service.Emails.Resend(s.ctx, s.by, m.ID, usecase.Around[db.Email]{}) }
	},
	"sendInvoice": func(s *stage) func() error {
		draft := s.drafted(true, terms.Terms{})
		s.must(s.finalize(draft)())
		s.must(s.putEmailSettings())
		return func() error { return s.service.Emails.MailInvoice(s.ctx, s.by, draft.ID, usecase.Around[db.Email]{}) }
	},
}

// sendings are the attempts to send a mail.
var sendings = map[string]func(*stage) func() error{
	"an attempt fails and another one is possible": func(s *stage) func() error { return s.mailing(451) },
	"an attempt fails the mail server refuses the mail for good": func(s *stage) func() error {
		return s.mailing(550)
	},
}

func (s *stage) putEmailSettings() error {
	return s.service.Emails.Put(s.ctx, s.by, emails.Settings{
		FromEmail: "billing@example.com", Host: "localhost", Port: 1, Security: mail.StartTLS,
		Allowed: email.Allowed{"@example.com"}, // no kinds: the other operations write no mails
	}, usecase.Around[db.EmailSender]{})
}

// mailTo writes a mail to a customer, of an event.
func (s *stage) mailTo(customerID string) db.Email {
	s.t.Helper()
	var m db.Email
	s.InTx(s.t, func(tx *db.Tx) error {
		payer, err := tx.Customers.Get(s.ctx, s.Env, customerID)
		if err != nil {
			return err
		}
		m = db.Email{
			ID: id.New(id.Email, s.Clock.Now().Add(time.Millisecond)), Kind: email.Refund, ObjectID: id.New(id.Transaction, s.Clock.Now()), CustomerID: customerID,
			Recipient: payer.Email,
		}
		return tx.Emails.Insert(s.ctx, s.Env, m)
	})
	_, err := s.Pool.Exec(s.ctx, // drawn already: its payment does not exist
		"update emails set language = 'en', subject = 'x', body_text = 'x', body_html = 'x' where id = $1", m.ID)
	s.must(err)
	return m
}

// wire is a mail server of the test, whatever the settings say.
type wire struct{ server *mailserver.Server }

// MailAccount implements mailing.Accounts.
func (w wire) MailAccount(db.EmailSender) (mail.Account, error) {
	return mail.Account{
		Sender: mail.Sender{Roots: w.server.Roots},
		Server: mail.Server{Host: w.server.Host, Port: w.server.Port, Security: mail.StartTLS},
	}, nil
}

// mailing makes an attempt to which the mail server replies so.
func (s *stage) mailing(code int) func() error {
	s.must(s.putEmailSettings())
	_, err := s.Pool.Exec(s.ctx, // of other operations
		"update emails set status = 'sent', next_attempt_at = null where status = 'pending'")
	s.must(err)
	s.mailTo(s.Customer(s.t, "").ID)
	sender, err := s.Store.Emails.Sender(s.ctx, s.Env)
	s.must(err)
	server := mailserver.Start(s.t, mailserver.Options{Decide: func(at mailserver.Stage, _ mailserver.Mail) error {
		if at == mailserver.To {
			return mailserver.Reply(code, "no")
		}
		return nil
	}})
	steps := &mailing.Mails{
		Drawer: drawing.New(db.NewDrawings(s.Worker, s.Clock.Now), paper.Fonts{}),
		Store:  s.Worker, Clock: s.Clock.Now, Accounts: wire{server},
	}
	return func() error {
		_, err := steps.SendDue(s.ctx, contract.Ref{EnvironmentID: s.Env, ID: sender.ID})
		return err
	}
}
