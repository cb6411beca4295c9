package mailing_test

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/email"
	"perennial/db"
	"perennial/internal/testkit/mailserver"
)

// A mail that cannot be drawn holds up no other, and is given up when its attempts are used.
func TestSendDue_OneThatCannotBeDrawn(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	bad := o.charge(t, o.payer)
	_, err := o.Pool.Exec(t.Context(), `update events set data = jsonb_set(data, '{currency}', '"canary"')`)
	require.NoError(t, err)
	o.charge(t, o.payer)
	out := o.send(t)
	require.Equal(t, 1, out.Sent)
	for range email.TestPolicy.Gaps {
		o.Clock.Set(out.NextAt)
		out = o.send(t)
	}
	require.Equal(t, 1, out.Failed)
	for _, m := range o.all(t) {
		if m.ObjectID == bad {
			require.Equal(t, email.AttemptsUsed, m.Reason)
			require.Len(t, m.Log, len(email.TestPolicy.Gaps)+1)
			require.Equal(t, "the mail could not be made", m.Log[0].Text)
		} else {
			require.Equal(t, email.Sent, m.Status)
		}
	}
}

// A panic of one mail is a failed attempt, and has nothing of its data in it.
func TestSendDue_Panic(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.charge(t, o.payer)
	_, err := o.Pool.Exec(t.Context(), "update email_senders set host = '127.0.0.1'") // dialed by no goroutine of its own
	require.NoError(t, err)
	o.sender.Control = func(string, string, syscall.RawConn) error { panic("canary") }
	out := o.send(t)
	require.False(t, out.NextAt.IsZero())
	m := o.one(t)
	require.Equal(t, email.Pending, m.Status)
	require.Equal(t, 1, m.Attempts)
	require.Equal(t, "the mail could not be made", m.Log[0].Text)
}

// What a server says once it knows of a mail may name its recipient: the sender, which outlives the mail, keeps the code.
func TestSendDue_SenderKeepsNoWordsAboutAMail(t *testing.T) {
	t.Parallel()
	for _, at := range []mailserver.Stage{mailserver.From, mailserver.To} {
		o := newOffice(t)
		o.refuse(at, mailserver.Reply(421, "closing, no canary@example.com"))
		o.charge(t, o.payer)
		require.Equal(t, "busy", o.send(t).Trouble)
		sender, err := o.Store.Emails.Sender(t.Context(), o.Env)
		require.NoError(t, err)
		require.Equal(t, "busy", sender.FailureClass)
		require.Equal(t, "421", sender.FailureText)
	}
}

// A customer who is erased gets no mail that is asked for.
func TestInsert_ErasedCustomer(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	_, err := o.Pool.Exec(t.Context(), `update customers set email = null, name = null, metadata = '{}', payment_method = null,
		payment_details = null, phone = null, erased_at = now() where id = $1`, o.payer.ID)
	require.NoError(t, err)
	err = o.Store.InTx(t.Context(), db.BySystem("test"), o.Clock.Now(), func(tx *db.Tx) error {
		return tx.Emails.Insert(t.Context(), o.Env, db.Email{
			ID: "mail_1", Kind: email.Refund, ObjectID: "txn_1", CustomerID: o.payer.ID, Recipient: "canary@example.com",
		})
	})
	require.ErrorIs(t, err, db.ErrCustomerNotFound)
	require.Empty(t, o.all(t))
}
