package workflows_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/email"
	"perennial/billing/event"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/id"
	"perennial/internal/testkit/mailserver"
	"perennial/mail"
)

// plainMail sends mails to the server of the settings, without TLS.
type plainMail struct{}

// MailAccount implements mailing.Accounts.
func (plainMail) MailAccount(s db.EmailSender) (mail.Account, error) {
	return mail.Account{Server: mail.Server{Host: s.Host, Port: s.Port, Security: mail.Plain}}, nil
}

// mailSender inserts a sender of mails to a server.
func (r *liveScene) mailSender(t *testing.T, server *mailserver.Server) contract.Ref {
	t.Helper()
	ref := contract.Ref{EnvironmentID: r.Env, ID: id.New(id.EmailSender, time.Now())}
	r.InTx(t, func(tx *db.Tx) error {
		return tx.Emails.InsertSender(t.Context(), r.Env, db.EmailSender{
			ID: ref.ID, FromEmail: "billing@seller.example", Host: server.Host, Port: server.Port, Security: "none",
			Kinds: email.Kinds(), Allowed: email.Allowed{"@example.com"},
		})
	})
	return ref
}

// announceFailure writes a mail with the event that it follows from.
func (r *liveScene) announceFailure(t *testing.T, customerID string) {
	t.Helper()
	r.InTx(t, func(tx *db.Tx) error {
		failed := event.Payment{ID: id.New(id.Transaction, time.Now()), CustomerID: customerID, Amount: 1900, Currency: "USD"}
		return tx.Emit(t.Context(), r.Env, event.New(event.PaymentFailed{Payment: failed}, time.Now()))
	})
}

// Two mails, the second of which is deferred once, until the sender is deleted.
func recordEmailSender(t *testing.T, r *liveScene) (string, string) {
	var deferred atomic.Bool
	server := mailserver.Start(t, mailserver.Options{Plain: true, Decide: func(at mailserver.Stage, _ mailserver.Mail) error {
		if at == mailserver.To && deferred.CompareAndSwap(true, false) {
			return mailserver.Reply(451, "later")
		}
		return nil
	}})
	ref, payer := r.mailSender(t, server), r.Customer(t, "")
	r.announceFailure(t, payer.ID)
	r.eventually(t, func() bool { return len(server.Mails()) == 1 })
	r.eventually(t, func() bool { return asleep(r.history(t, ref.ID, "")) })
	deferred.Store(true)
	r.announceFailure(t, payer.ID)
	r.eventually(t, func() bool { return len(server.Mails()) == 2 })
	r.eventually(t, func() bool { return asleep(r.history(t, ref.ID, "")) })
	r.InTx(t, func(tx *db.Tx) error {
		s, err := tx.Emails.Sender(t.Context(), r.Env)
		require.NoError(t, err)
		s.DeletedAt = time.Now()
		return tx.Emails.SaveSender(t.Context(), r.Env, s)
	})
	r.completed(t, ref.ID)
	return ref.ID, ""
}
