package api

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/api/httpkit"
	"perennial/internal/testkit/mailserver"
	"perennial/internal/vault"
)

// mailForm are settings for a mail server of the test, without TLS on this machine.
func mailForm(s *mailserver.Server, more string) string {
	return fmt.Sprintf(`{"from":{"email":"billing@example.com","name":"Acme"},"host":%q,"port":%d,"security":"none"%s}`,
		s.Host, s.Port, more)
}

func TestEmailSettings_SecretsAreSealedAndNeverShown(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	s := mailserver.Start(t, mailserver.Options{Plain: true, User: "u", Password: "canary-1"})
	problem(t, 404, "email_settings_not_found", "", b.ask(t, b.test, "GET", "/api/email-settings", nil))
	login := `,"user":"u","password":"canary-1","allowedRecipients":["@example.com"]`
	put := b.ask(t, b.test, "PUT", "/api/email-settings", mailForm(s, login))
	made := as[EmailSettings](t, 200, put)
	require.Len(t, made.Kinds, 10, "all kinds are on, unless the form says which")
	require.NotContains(t, string(put.Body), "canary")
	require.Zero(t, b.rowsWith(t, "canary-1"))
	row, err := b.store.Emails.Sender(t.Context(), b.test.environmentID)
	require.NoError(t, err)
	plain, err := b.keys.Open(row.Keyset, vault.MailPassword(row.AppID, row.ID), row.PasswordSealed)
	require.NoError(t, err)
	require.Equal(t, "canary-1", string(plain))

	require.True(t, as[EmailTest](t, 200, b.ask(t, b.test, "POST", "/api/email-settings/test", nil)).Passed)
	require.Equal(t, 1, s.Logins())
	require.Empty(t, s.Mails())

	// The stored password goes to no other server.
	other := mailserver.Start(t, mailserver.Options{Plain: true, User: "u", Password: "canary-1"})
	for _, elsewhere := range []string{
		mailForm(other, `,"user":"u"`), mailForm(s, `,"user":"someone"`),
	} {
		refused := b.ask(t, b.test, "PUT", "/api/email-settings", elsewhere)
		problem(t, 422, "smtp_password_missing", "password", refused)
	}
	kept := as[EmailSettings](t, 200, b.ask(t, b.test, "PUT", "/api/email-settings", mailForm(s, `,"user":"u","kinds":["refund"]`)))
	require.Equal(t, made.ID, kept.ID)
	require.Len(t, kept.Kinds, 1)
	require.True(t, as[EmailTest](t, 200, b.ask(t, b.test, "POST", "/api/email-settings/test", nil)).Passed)

	wrong := b.ask(t, b.test, "PUT", "/api/email-settings", mailForm(s, `,"user":"u","password":"wrong"`))
	require.Equal(t, 200, wrong.Status)
	failed := as[EmailTest](t, 200, b.ask(t, b.test, "POST", "/api/email-settings/test", nil))
	require.False(t, failed.Passed)
	require.Equal(t, "login_failed", failed.Class)
	shown := as[EmailSettings](t, 200, b.ask(t, b.test, "GET", "/api/email-settings", nil))
	require.Equal(t, "login_failed", shown.Failing.Class)

	require.Equal(t, 200, b.ask(t, b.test, "DELETE", "/api/email-settings", nil).Status)
	require.Zero(t, b.count(t, "select count(*) from email_senders where password_sealed is not null"))
	require.Equal(t, 404, b.ask(t, b.test, "DELETE", "/api/email-settings", nil).Status)
}

func TestEmailSettings_Refusals(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for form, want := range map[string][2]string{
		`{"from":{"email":"x"},"host":"smtp.example.com"}`:                                                     {"email_malformed", "from.email"},
		`{"from":{"email":"a@example.com"},"host":"smtp.example.com","replyTo":"x"}`:                           {"email_malformed", "replyTo"},
		`{"from":{"email":"a@example.com","name":"x\r\nBcc: a@b.de"},"host":"smtp.example.com"}`:               {"text_invalid", "from.name"},
		`{"from":{"email":"a@example.com"},"host":"smtp example"}`:                                             {"host_malformed", "host"},
		`{"from":{"email":"a@example.com"},"host":"smtp.example.com","security":"none"}`:                       {"smtp_security_required", "security"},
		`{"from":{"email":"a@example.com"},"host":"smtp.example.com","password":"x"}`:                          {"smtp_login_incomplete", "password"},
		`{"from":{"email":"a@example.com"},"host":"smtp.example.com","user":"x"}`:                              {"smtp_password_missing", "password"},
		`{"from":{"email":"a@example.com"},"host":"smtp.example.com","allowedRecipients":["x"]}`:               {"allowed_recipient_malformed", "allowedRecipients"},
		`{"from":{"email":"a@example.com"},"host":"smtp.example.com","dkim":{"domain":"a.de","selector":"s"}}`: {"dkim_key_missing", "dkim.privateKey"},
		`{"from":{"email":"a@example.com"},"host":"smtp.example.com","dkim":{"domain":"a.de","selector":"s","privateKey":"x"}}`: {
			"dkim_key_invalid", "dkim.privateKey"},
	} {
		got := b.ask(t, b.test, "PUT", "/api/email-settings", form)
		problem(t, 422, want[0], want[1], got)
	}
	live := b.ask(t, b.live, "PUT", "/api/email-settings",
		`{"from":{"email":"a@example.com"},"host":"smtp.example.com","allowedRecipients":["@example.com"]}`)
	problem(t, 422, "test_mode_only", "allowedRecipients", live)

	// A live environment reaches nothing on this machine, unless the operator allows it.
	s := mailserver.Start(t, mailserver.Options{Plain: true})
	require.Equal(t, 200, b.ask(t, b.live, "PUT", "/api/email-settings", mailForm(s, "")).Status)
	test := as[EmailTest](t, 200, b.ask(t, b.live, "POST", "/api/email-settings/test", nil))
	require.Equal(t, "forbidden_address", test.Class)
}

func TestEmails_SendAndSendAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.newSubscription(t, b.test)
	inv := b.newInvoice(t, b.test, sub.ID)
	send := func() response { return b.ask(t, b.test, "POST", "/api/invoices/"+inv+"/send", nil) }
	problem(t, 409, "email_sender_missing", "", send())
	s := mailserver.Start(t, mailserver.Options{Plain: true})
	require.Equal(t, 200, b.ask(t, b.test, "PUT", "/api/email-settings", mailForm(s, `,"kinds":[]`)).Status)

	first, second := as[Email](t, 201, send()), as[Email](t, 201, send())
	require.NotEqual(t, first.ID, second.ID, "each request sends another one")
	require.Equal(t, "pending", first.Status)
	require.Equal(t, inv, first.ObjectID)
	pending := b.ask(t, b.test, "POST", "/api/emails/"+first.ID+"/resend", nil)
	problem(t, 409, "email_pending", "", pending)

	_, err := b.pool.Exec(t.Context(), `update emails set status = 'sent', next_attempt_at = null, sent_at = now(), language = 'en',
		subject = 'Invoice', body_text = 'whole', body_html = '<p>whole</p>' where id = $1`, first.ID)
	require.NoError(t, err)
	again := as[Email](t, 201, b.ask(t, b.test, "POST", "/api/emails/"+first.ID+"/resend", nil))
	require.Empty(t, again.Subject, "it is drawn anew")
	listed := as[httpkit.List[Email]](t, 200, b.ask(t, b.test, "GET", "/api/emails?status=pending&objectId="+inv, nil))
	require.Len(t, listed.Data, 2)
	require.Empty(t, listed.Data[0].Text, "lists have no bodies")

	require.Equal(t, 200, b.ask(t, b.test, "DELETE", "/api/customers/"+sub.CustomerID, nil).Status)
	_, err = b.pool.Exec(t.Context(), "update emails set erased_at = now(), status = 'canceled', reason = 'customer_erased', next_attempt_at = null")
	require.NoError(t, err)
	erased := b.ask(t, b.test, "POST", "/api/emails/"+first.ID+"/resend", nil)
	problem(t, 409, "email_erased", "", erased)
	problem(t, 409, "customer_email_missing", "", send())
}
