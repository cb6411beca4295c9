package mailing_test

import (
	"bytes"
	netmail "net/mail"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/activities/mailing"
	"perennial/billing/customer"
	"perennial/billing/email"
	"perennial/billing/erasure"
	"perennial/billing/event"
	"perennial/contract"
	"perennial/db"
	"perennial/documents/drawing"
	"perennial/documents/paper"
	"perennial/internal/id"
	"perennial/internal/testkit/mailserver"
	"perennial/mail"
	"perennial/test/scene"
)

// office is a scene whose environment sends mail to a server of the test.
type office struct {
	*scene.Scene
	server *mailserver.Server
	sender mail.Sender
	mails  *mailing.Mails
	ref    contract.Ref
	payer  customer.Customer
	// decide is what the server decides; nil: it takes all.
	decide atomic.Pointer[func(mailserver.Stage, mailserver.Mail) error]
}

// MailAccount implements mailing.Accounts.
func (o *office) MailAccount(s db.EmailSender) (mail.Account, error) {
	return mail.Account{Sender: o.sender, Server: mail.Server{Host: s.Host, Port: s.Port, Security: mail.StartTLS}}, nil
}

func newOffice(t *testing.T) *office {
	t.Helper()
	o := &office{Scene: scene.New(t)}
	o.server = mailserver.Start(t, mailserver.Options{Decide: func(at mailserver.Stage, m mailserver.Mail) error {
		if decide := o.decide.Load(); decide != nil {
			return (*decide)(at, m)
		}
		return nil
	}})
	o.sender = mail.Sender{Roots: o.server.Roots}
	o.mails = &mailing.Mails{
		Drawer: drawing.New(db.NewDrawings(o.Worker, o.Clock.Now), paper.Fonts{}),
		Store:  o.Worker, Clock: o.Clock.Now, Accounts: o, PublicURL: publicURL,
	}
	o.ref = contract.Ref{EnvironmentID: o.Env, ID: id.New(id.EmailSender, o.Clock.Now())}
	o.InTx(t, func(tx *db.Tx) error {
		return tx.Emails.InsertSender(t.Context(), o.Env, db.EmailSender{
			ID: o.ref.ID, FromEmail: "billing@seller.example", FromName: "Acme", Host: o.server.Host, Port: o.server.Port,
			Security: "starttls", Kinds: email.Kinds(), Allowed: email.Allowed{"@example.com"},
		})
	})
	o.payer = o.Customer(t, "")
	return o
}

// refuse has the server decide so at a stage.
func (o *office) refuse(at mailserver.Stage, err error) {
	decide := func(now mailserver.Stage, _ mailserver.Mail) error {
		if now == at {
			return err
		}
		return nil
	}
	o.decide.Store(&decide)
}

// charge announces a payment of a customer, and returns its id.
func (o *office) charge(t *testing.T, payer customer.Customer) string {
	t.Helper()
	paid := event.Payment{ID: id.New(id.Transaction, o.Clock.Now()), CustomerID: payer.ID, Amount: 1900, Currency: "USD"}
	o.emit(t, event.PaymentFailed{Payment: paid, FailureCode: "INSUFFICIENT_FUNDS"})
	return paid.ID
}

func (o *office) emit(t *testing.T, data event.Data) {
	t.Helper()
	o.InTx(t, func(tx *db.Tx) error { return tx.Emit(t.Context(), o.Env, event.New(data, tx.Now)) })
}

// send runs the activity once.
func (o *office) send(t *testing.T) contract.SendOutput {
	t.Helper()
	out, err := o.mails.SendDue(t.Context(), o.ref)
	require.NoError(t, err)
	return out
}

// all are the environment's mails with their content, oldest first.
func (o *office) all(t *testing.T) (mails []db.Email) {
	t.Helper()
	found, _, err := o.Store.Emails.List(t.Context(), o.Env, db.EmailFilter{}, db.Page{Limit: 100, Unsettled: true})
	require.NoError(t, err)
	for _, m := range found {
		whole, err := o.Store.Emails.Email(t.Context(), o.Env, m.ID)
		require.NoError(t, err)
		mails = append([]db.Email{whole}, mails...)
	}
	return mails
}

// one is the only mail.
func (o *office) one(t *testing.T) db.Email {
	t.Helper()
	all := o.all(t)
	require.Len(t, all, 1)
	return all[0]
}

// announced are the events about mails that failed.
func (o *office) announced(t *testing.T) []db.Event {
	t.Helper()
	found, _, err := o.Store.Webhooks.Events(t.Context(), o.Env,
		db.EventFilter{Types: []event.Pattern{"email.failed"}}, db.Page{Limit: 100, Unsettled: true})
	require.NoError(t, err)
	return found
}

// messageIDs counts what the server took, by Message-ID.
func (o *office) messageIDs(t *testing.T) map[string]int {
	t.Helper()
	taken := map[string]int{}
	for _, m := range o.server.Mails() {
		read, err := netmail.ReadMessage(bytes.NewReader(m.Raw))
		require.NoError(t, err)
		taken[read.Header.Get("Message-Id")]++
	}
	return taken
}

func erasing(customerID string, at time.Time) erasure.Erasure {
	e := erasure.OfCustomer(id.New(id.Erasure, at), customerID, at)
	e.Stage = erasure.Events
	return e
}
