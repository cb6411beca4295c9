package mailing_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/email"
	"perennial/billing/event"
	"perennial/db"
	"perennial/internal/testkit/mailserver"
)

func TestSendDue_SendsWhatFollowsFromAnEvent(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	txn := o.charge(t, o.payer)
	before := o.one(t)
	require.Equal(t, email.Pending, before.Status)
	require.Empty(t, before.Subject, "nothing is drawn in the transaction of the event")

	out := o.send(t)
	require.Equal(t, 1, out.Sent)
	require.True(t, out.NextAt.IsZero())
	m := o.one(t)
	require.Equal(t, email.Sent, m.Status)
	require.Equal(t, txn, m.ObjectID)
	require.Equal(t, "canary@example.com", m.Recipient)
	require.Equal(t, "Your payment to Acme did not succeed", m.Subject)
	require.Contains(t, m.Text, "$19.00")
	require.Len(t, m.Log, 1)
	require.Equal(t, email.OutcomeSent, m.Log[0].Outcome)
	require.Equal(t, map[string]int{"<" + m.ID + "@seller.example>": 1}, o.messageIDs(t))
	require.Equal(t, "billing@seller.example", o.server.Mails()[0].From)

	o.send(t)
	require.Len(t, o.server.Mails(), 1, "once")
}

// An event that is written again, after a restore, is no second mail.
func TestOwe_OnceForEachObjectKindAndRecipient(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for _, at := range []int64{1, 1, 2} {
		paid := event.Payment{ID: fmt.Sprint("txn_", at), CustomerID: o.payer.ID, Amount: 1, Currency: "USD"}
		o.emit(t, event.PaymentFailed{Payment: paid})
	}
	require.Len(t, o.all(t), 2)
}

func TestOwe_OnlyKindsThatAreSwitchedOnAndCustomersWithAnAddress(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	_, err := o.Pool.Exec(t.Context(), "update email_senders set kinds = '{refund}'")
	require.NoError(t, err)
	o.charge(t, o.payer)
	require.Empty(t, o.all(t))
	_, err = o.Pool.Exec(t.Context(), "update email_senders set kinds = '{payment_failed}'")
	require.NoError(t, err)
	silent := o.Customer(t, "")
	_, err = o.Pool.Exec(t.Context(), "update customers set email = null, phone = '+237600000000' where id = $1", silent.ID)
	require.NoError(t, err)
	o.charge(t, silent)
	require.Empty(t, o.all(t))
	o.charge(t, o.payer)
	require.Len(t, o.all(t), 1)
}

// A test environment sends to nobody that it was not told of, and shows what it would have sent.
func TestSendDue_SuppressesRecipientsThatAreNotAllowed(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	_, err := o.Pool.Exec(t.Context(), "update email_senders set allowed_recipients = '{other@example.com}'")
	require.NoError(t, err)
	o.charge(t, o.payer)
	o.send(t)
	m := o.one(t)
	require.Equal(t, email.Suppressed, m.Status)
	require.Equal(t, email.RecipientNotAllowed, m.Reason)
	require.NotEmpty(t, m.Text)
	require.Empty(t, o.server.Mails())
}

func TestSendDue_PermanentRefusal(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.refuse(mailserver.To, mailserver.Reply(550, "no such user canary@example.com"))
	o.charge(t, o.payer)
	require.Equal(t, 1, o.send(t).Failed)
	m := o.one(t)
	require.Equal(t, email.Failed, m.Status)
	require.Equal(t, email.ServerRefused, m.Reason)
	require.Equal(t, "no such user canary@example.com", m.Log[0].Text)
	require.Equal(t, 550, m.Log[0].Code)
	found := o.announced(t)
	require.Len(t, found, 1)
	require.Equal(t, m.ID, found[0].ObjectID)
	require.NotContains(t, string(found[0].Data), "canary", "events have no words of servers")
}

func TestSendDue_RetriesUntilTheAttemptsAreUsed(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.refuse(mailserver.Taken, mailserver.Reply(451, "later"))
	o.charge(t, o.payer)
	gaps := email.TestPolicy.Gaps
	for n := range gaps {
		out := o.send(t)
		require.Equal(t, o.Clock.Now().Add(gaps[n]), out.NextAt)
		require.Zero(t, o.send(t).Sent, "it is not due")
		o.Clock.Set(out.NextAt)
	}
	o.send(t)
	m := o.one(t)
	require.Equal(t, email.AttemptsUsed, m.Reason)
	require.Len(t, m.Log, len(gaps)+1)
	require.Len(t, o.announced(t), 1)
}

// A server that fails for all mails alike is asked by few of them, and uses up no attempt.
func TestSendDue_ServerAway(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	port := o.server.Port
	_, err := o.Pool.Exec(t.Context(), "update email_senders set port = 1")
	require.NoError(t, err)
	for range 20 {
		o.charge(t, o.payer)
	}
	out := o.send(t)
	require.Equal(t, "unreachable", out.Trouble)
	require.Equal(t, 20, out.Waiting)
	require.Equal(t, o.Clock.Now().Add(email.TestPolicy.Pause()), out.NextAt)
	tried := 0
	for _, m := range o.all(t) {
		require.Equal(t, email.Pending, m.Status)
		require.Zero(t, m.Attempts)
		tried += len(m.Log)
	}
	require.LessOrEqual(t, tried, 4, "one on each connection")
	sender, err := o.Store.Emails.Sender(t.Context(), o.Env)
	require.NoError(t, err)
	require.Equal(t, "unreachable", sender.FailureClass)

	_, err = o.Pool.Exec(t.Context(), "update email_senders set port = $1", port)
	require.NoError(t, err)
	o.Clock.Set(o.Clock.Now().Add(time.Hour))
	require.Equal(t, 20, o.send(t).Sent)
	sender, err = o.Store.Emails.Sender(t.Context(), o.Env)
	require.NoError(t, err)
	require.True(t, sender.FailingSince.IsZero())
}

// The reply to the data is lost: the mail is sent again, recognisable.
func TestSendDue_LostReply(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.refuse(mailserver.Taken, mailserver.ErrDrop)
	o.charge(t, o.payer)
	out := o.send(t)
	require.Len(t, o.server.Mails(), 1)
	require.Equal(t, "connection_lost", o.one(t).Log[0].Class)
	o.decide.Store(nil)
	o.Clock.Set(out.NextAt)
	o.send(t)
	require.Equal(t, map[string]int{"<" + o.one(t).ID + "@seller.example>": 2}, o.messageIDs(t))
}

// A worker is killed at any moment of a mail: each mail arrives, as one by its Message-ID.
func TestSendDue_KilledWorkers(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	const mails = 24
	for range mails {
		o.charge(t, o.payer)
	}
	for n := range 8 { // workers that die: what they do ends with their context, and nothing is recorded
		ctx, kill := context.WithCancel(t.Context())
		stages := []mailserver.Stage{mailserver.From, mailserver.To, mailserver.Data, mailserver.Taken}
		decide := func(now mailserver.Stage, _ mailserver.Mail) error {
			if now == stages[n%len(stages)] {
				kill()
			}
			return nil
		}
		o.decide.Store(&decide)
		_, _ = o.mails.SendDue(ctx, o.ref)
		kill()
		// As if it had died before it wrote how its attempts ended.
		_, err := o.Pool.Exec(t.Context(), `update emails set log = jsonb_set(log, '{-1}', (log -> -1) - 'outcome' - 'class' - 'text'),
			next_attempt_at = $1 where status = 'pending' and jsonb_array_length(log) > 0`, o.Clock.Now())
		require.NoError(t, err)
		_, err = o.Pool.Exec(t.Context(), "update emails set attempts = 0") // so that none is given up in this test
		require.NoError(t, err)
	}
	o.decide.Store(nil)
	for range 50 {
		if o.send(t).Waiting == 0 {
			break
		}
		o.Clock.Set(o.Clock.Now().Add(time.Hour / 60))
	}
	want := map[string]bool{}
	for _, m := range o.all(t) {
		require.Equal(t, email.Sent, m.Status, m.Log)
		want["<"+m.ID+"@seller.example>"] = true
	}
	require.Len(t, want, mails)
	got := o.messageIDs(t)
	require.Len(t, got, mails, "none is missing, and none has two ids")
	for messageID := range got {
		require.True(t, want[messageID], messageID)
	}
}

// A mail that crashes each worker ends.
func TestSendDue_LostAttemptsUseUpTheirs(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.charge(t, o.payer)
	o.refuse(mailserver.Taken, mailserver.ErrDrop)
	for range 20 {
		_, err := o.Pool.Exec(t.Context(), `update emails set next_attempt_at = $1,
			log = log || '[{"number": 1, "startedAt": "2026-01-01T00:00:00Z"}]' where status = 'pending'`, o.Clock.Now())
		require.NoError(t, err)
		o.send(t)
	}
	require.Equal(t, email.Failed, o.one(t).Status)
}

func TestSendDue_DeletedSender(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.charge(t, o.payer)
	_, err := o.Pool.Exec(t.Context(), "update email_senders set deleted_at = now()")
	require.NoError(t, err)
	require.True(t, o.send(t).Gone)
	m := o.one(t)
	require.Equal(t, email.Canceled, m.Status)
	require.Equal(t, email.SenderRemoved, m.Reason)
	o.charge(t, o.payer)
	require.Len(t, o.all(t), 1)
	require.Empty(t, o.server.Mails())
}

// What a mail tells of may be deleted before it is drawn.
func TestSendDue_ObjectGone(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.emit(t, event.MethodExpiring{ID: o.payer.ID, PaymentMethodID: "pm_gone", Expiry: "2028-08"})
	o.send(t)
	require.Equal(t, email.ObjectGone, o.one(t).Reason)
	require.Len(t, o.announced(t), 1)
}

// An erasure leaves nothing of a mail but its codes, also where it is under way.
func TestSendDue_ErasedCustomer(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.charge(t, o.payer)
	erase := func() {
		o.InTx(t, func(tx *db.Tx) error {
			_, err := tx.Customers.EraseEvents(t.Context(), o.Env, erasing(o.payer.ID, o.Clock.Now()), 100)
			return err
		})
	}
	decide := func(at mailserver.Stage, _ mailserver.Mail) error {
		if at == mailserver.To {
			erase()
			return mailserver.Reply(550, "no canary@example.com")
		}
		return nil
	}
	o.decide.Store(&decide)
	o.send(t)
	m := o.one(t)
	require.Equal(t, email.Canceled, m.Status)
	require.Equal(t, email.CustomerErased, m.Reason)
	require.Empty(t, m.Recipient+m.Subject+m.Text+m.HTML+m.Log[0].Text)
	var row string
	require.NoError(t, o.Pool.QueryRow(t.Context(), "select m::text from emails m").Scan(&row))
	require.NotContains(t, row, "canary")
}
