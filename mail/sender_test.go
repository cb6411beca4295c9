package mail_test

import (
	"context"
	"crypto/x509"
	"errors"
	"net"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/internal/testkit/mailserver"
	"perennial/internal/testkit/wait"
	"perennial/mail"
)

// server returns how to reach a server of the test.
func server(s *mailserver.Server, security mail.Security) mail.Server {
	return mail.Server{Host: s.Host, Port: s.Port, Security: security}
}

// send sends one message to a server.
func send(t *testing.T, sender mail.Sender, to mail.Server) error {
	t.Helper()
	raw, err := message().Bytes()
	require.NoError(t, err)
	s, err := sender.Dial(t.Context(), to)
	if err != nil {
		return err
	}
	defer s.Close()
	return s.Send(t.Context(), "billing@example.com", "ada@example.org", raw)
}

func failure(t *testing.T, err error) *mail.Failure {
	t.Helper()
	var f *mail.Failure
	require.ErrorAs(t, err, &f)
	return f
}

func TestSender_Delivers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		options  mailserver.Options
		security mail.Security
	}{
		"starttls": {mailserver.Options{User: "u", Password: "p"}, mail.StartTLS},
		"tls":      {mailserver.Options{User: "u", Password: "p", Implicit: true}, mail.ImplicitTLS},
		"none":     {mailserver.Options{User: "u", Password: "p", Plain: true}, mail.Plain},
		"no login": {mailserver.Options{}, mail.StartTLS},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := mailserver.Start(t, c.options)
			to := server(s, c.security)
			to.User, to.Password = c.options.User, c.options.Password
			require.NoError(t, send(t, mail.Sender{Roots: s.Roots}, to))
			got := s.Mails()
			require.Len(t, got, 1)
			require.Equal(t, "billing@example.com", got[0].From)
			require.Equal(t, "ada@example.org", got[0].To)
			require.Equal(t, c.options.User, got[0].User)
			require.Equal(t, c.security != mail.Plain, got[0].TLS)
			_, leaves := parts(t, got[0].Raw)
			require.Equal(t, message().Text, leaves[0].body, "a line with a dot alone stays")
			require.Equal(t, message().HTML, leaves[1].body)
		})
	}
}

// Nothing is said to a server that is not the one of the certificate, or that has no TLS.
func TestSender_InsistsOnTLS(t *testing.T) {
	t.Parallel()
	s, plain := mailserver.Start(t, mailserver.Options{}), mailserver.Start(t, mailserver.Options{Plain: true})
	other := server(s, mail.StartTLS)
	other.Host = "localhost" // reaches it, but is not in its certificate
	for name, c := range map[string]struct {
		sender mail.Sender
		to     mail.Server
	}{
		"unknown authority": {mail.Sender{Roots: x509.NewCertPool()}, server(s, mail.StartTLS)},
		"another name":      {mail.Sender{Roots: s.Roots}, other},
		"no STARTTLS":       {mail.Sender{Roots: s.Roots}, server(plain, mail.StartTLS)},
		"no TLS":            {mail.Sender{Roots: s.Roots}, server(plain, mail.ImplicitTLS)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := failure(t, send(t, c.sender, c.to))
			require.Equal(t, mail.TLSFailed, f.Class, f.Text)
			require.True(t, f.OfServer())
			require.False(t, f.Permanent())
		})
	}
	require.Empty(t, append(s.Mails(), plain.Mails()...))
}

func TestSender_ForbiddenAddress(t *testing.T) {
	t.Parallel()
	s := mailserver.Start(t, mailserver.Options{})
	refuse := func(string, string, syscall.RawConn) error { return forbidden{} }
	f := failure(t, send(t, mail.Sender{Roots: s.Roots, Control: refuse}, server(s, mail.StartTLS)))
	require.Equal(t, mail.ForbiddenAddress, f.Class)
	require.Equal(t, "forbidden address (private)", f.Text)
}

type forbidden struct{}

func (forbidden) Error() string            { return "no" }
func (forbidden) ForbiddenAddress() string { return "private" }

func TestSender_LoginRefused(t *testing.T) {
	t.Parallel()
	s := mailserver.Start(t, mailserver.Options{User: "u", Password: "p"})
	to := server(s, mail.StartTLS)
	to.User, to.Password = "u", "canary"
	f := failure(t, send(t, mail.Sender{Roots: s.Roots}, to))
	require.Equal(t, mail.LoginFailed, f.Class)
	require.Equal(t, 535, f.Code)
	require.NotContains(t, f.Text+f.Error(), "canary")

	without := mailserver.Start(t, mailserver.Options{})
	to = server(without, mail.StartTLS)
	to.User, to.Password = "u", "p"
	f = failure(t, send(t, mail.Sender{Roots: without.Roots}, to))
	require.Equal(t, mail.LoginFailed, f.Class, "a server without login gets no password")
}

func TestSession_Refusals(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		at    mailserver.Stage
		reply error
		want  mail.Failure
	}{
		"unknown recipient": {mailserver.To, mailserver.Reply(550, "no <ada@example.org> here"),
			mail.Failure{Class: mail.Refused, Code: 550, Text: "no <ada@example.org> here"}},
		"greylisted": {mailserver.To, mailserver.Reply(450, "later"),
			mail.Failure{Class: mail.Deferred, Code: 450, Text: "later"}},
		"content": {mailserver.Taken, mailserver.Reply(554, "spam"), mail.Failure{Class: mail.Refused, Code: 554, Text: "spam"}},
		"full":    {mailserver.Taken, mailserver.Reply(452, "full"), mail.Failure{Class: mail.Deferred, Code: 452, Text: "full"}},
		"sender":  {mailserver.From, mailserver.Reply(553, "not you"), mail.Failure{Class: mail.SenderRefused, Code: 553, Text: "not you"}},
		"closing": {mailserver.To, mailserver.Reply(421, "closing"), mail.Failure{Class: mail.Busy, Code: 421, Text: "closing"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refuse := true
			s := mailserver.Start(t, mailserver.Options{Decide: func(at mailserver.Stage, _ mailserver.Mail) error {
				if at == c.at && refuse {
					refuse = false
					return c.reply
				}
				return nil
			}})
			session, err := mail.Sender{Roots: s.Roots}.Dial(t.Context(), server(s, mail.StartTLS))
			require.NoError(t, err)
			defer session.Close()
			raw, err := message().Bytes()
			require.NoError(t, err)
			f := failure(t, session.Send(t.Context(), "billing@example.com", "ada@example.org", raw))
			c.want.OfMail = true
			require.Equal(t, c.want, *f)
			require.Empty(t, s.Mails())
			require.NotContains(t, f.Error(), "ada@example.org", "errors reach logs and histories")
			if session.Usable() {
				require.NoError(t, session.Send(t.Context(), "billing@example.com", "ada@example.org", raw))
				require.Len(t, s.Mails(), 1)
			} else {
				require.Equal(t, mail.Busy, c.want.Class)
			}
		})
	}
}

func TestSession_SilenceAndLostConnections(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	hang := func(at mailserver.Stage) func(mailserver.Stage, mailserver.Mail) error {
		return func(now mailserver.Stage, _ mailserver.Mail) error {
			if now == at {
				<-release
				return errors.New("the test has ended")
			}
			return nil
		}
	}
	drop := func(at mailserver.Stage) func(mailserver.Stage, mailserver.Mail) error {
		return func(now mailserver.Stage, _ mailserver.Mail) error {
			if now == at {
				return mailserver.ErrDrop
			}
			return nil
		}
	}
	for name, c := range map[string]struct {
		decide func(mailserver.Stage, mailserver.Mail) error
		limit  time.Duration
		class  mail.Class
		taken  int
	}{
		"hangs at the recipient": {hang(mailserver.To), 200 * time.Millisecond, mail.TimedOut, 0},
		"hangs after the data":   {hang(mailserver.Taken), 200 * time.Millisecond, mail.TimedOut, 0},
		"drops at the recipient": {drop(mailserver.To), wait.Patience, mail.ConnectionLost, 0},
		"drops after the data":   {drop(mailserver.Taken), wait.Patience, mail.ConnectionLost, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := mailserver.Start(t, mailserver.Options{Decide: c.decide})
			sender := mail.Sender{Roots: s.Roots, SendLimit: c.limit}
			f := failure(t, send(t, sender, server(s, mail.StartTLS)))
			require.Equal(t, c.class, f.Class, f.Text)
			require.False(t, f.Permanent())
			require.False(t, f.OfServer())
			require.Eventually(t, func() bool { return len(s.Mails()) == c.taken }, wait.Patience, time.Millisecond,
				"the server notes it on its own")
		})
	}
}

func TestSender_SilentServer(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	to := mail.Server{Host: "127.0.0.1", Port: l.Addr().(*net.TCPAddr).Port, Security: mail.StartTLS}
	f := failure(t, send(t, mail.Sender{DialLimit: 200 * time.Millisecond}, to))
	require.Equal(t, mail.Unreachable, f.Class)
	require.Equal(t, "the server did not answer in time", f.Text)

	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err = mail.Sender{}.Dial(ctx, to)
	require.Equal(t, "the server did not answer in time", failure(t, err).Text, "a caller that waits no longer ends it")

	require.NoError(t, l.Close())
	f = failure(t, send(t, mail.Sender{}, to))
	require.Equal(t, mail.Unreachable, f.Class, f.Text)
	require.True(t, f.OfServer())
}

func TestServer_Check(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		server mail.Server
		code   string
	}{
		{mail.Server{Host: "localhost", Security: mail.Plain}, ""},
		{mail.Server{Host: "127.0.0.9", Security: mail.Plain}, ""},
		{mail.Server{Host: "::1", Security: mail.Plain}, ""},
		{mail.Server{Host: "mail.example.com", Security: mail.Plain}, "smtp_security_required"},
		{mail.Server{Host: "10.0.0.1", Security: mail.Plain}, "smtp_security_required"},
		{mail.Server{Host: "mail.example.com", Security: mail.StartTLS}, ""},
		{mail.Server{Host: "mail.example.com", Security: mail.StartTLS, User: "u"}, "smtp_login_incomplete"},
		{mail.Server{Host: "mail.example.com", Security: mail.StartTLS, Password: "p"}, "smtp_login_incomplete"},
	} {
		err := c.server.Check()
		if c.code == "" {
			require.NoError(t, err)
			continue
		}
		require.Equal(t, c.code, fault.From(err).Code)
	}
}
