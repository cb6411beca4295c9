// Package mailserver has a server of SMTP for tests: it keeps the mails that it takes, and refuses, hangs and breaks off
// as a test tells it.
package mailserver

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
	"github.com/stretchr/testify/require"
)

// Mail is one that the server took.
type Mail struct {
	From, To string // of the envelope
	Raw      []byte
	User     string // who was logged in; empty: no login
	TLS      bool
}

// Stage is a moment at which the server decides.
type Stage string

// The stages.
const (
	From  Stage = "MAIL FROM"
	To    Stage = "RCPT TO"
	Data  Stage = "DATA"
	Taken Stage = "the end of the data"
)

// ErrDrop as the decision closes the connection without a reply. At Taken the mail is kept all the same.
var ErrDrop = errors.New("the connection is closed")

// Options of a server.
type Options struct {
	Implicit, Plain bool // TLS from the first byte, or none; neither: STARTTLS
	User, Password  string
	// Decide says what becomes of a mail at a stage; nil: all are taken. It may block.
	Decide func(at Stage, m Mail) error
}

// Server is a running server.
type Server struct {
	Host  string
	Port  int
	Roots *x509.CertPool // of its certificate

	options Options
	mu      sync.Mutex
	mails   []Mail
	logins  int
}

// Reply is a decision with the server's own words.
func Reply(code int, words string) error {
	return &smtp.SMTPError{Code: code, EnhancedCode: smtp.NoEnhancedCode, Message: words}
}

// Start starts a server on loopback, until the test ends.
func Start(t testing.TB, o Options) *Server {
	t.Helper()
	lent := httptest.NewTLSServer(nil) // for its certificate, which is of 127.0.0.1
	lent.Close()
	s := &Server{Host: "127.0.0.1", Roots: x509.NewCertPool(), options: o}
	s.Roots.AddCert(lent.Certificate())
	config := &tls.Config{Certificates: lent.TLS.Certificates, MinVersion: tls.VersionTLS12}
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it ends with the test
	require.NoError(t, err)
	s.Port = listener.Addr().(*net.TCPAddr).Port
	server := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) {
		return &session{server: s, conn: c}, nil
	}))
	server.Domain, server.AllowInsecureAuth = "mail.example", o.Plain
	server.ErrorLog = silent{}
	server.ReadTimeout, server.WriteTimeout = time.Minute, time.Minute
	switch {
	case o.Implicit:
		listener = tls.NewListener(listener, config)
	case !o.Plain:
		server.TLSConfig = config
	}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(listener) // ends with Close
	}()
	t.Cleanup(func() {
		_ = server.Close()
		_ = listener.Close() // the server may not have begun to serve
		<-served
	})
	return s
}

// Mails returns those that were taken so far.
func (s *Server) Mails() []Mail {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Mail(nil), s.mails...)
}

// Logins returns how often a client has logged in.
func (s *Server) Logins() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.logins
}

// session is one connection.
type session struct {
	server *Server
	conn   *smtp.Conn
	mail   Mail
	user   string
}

func (s *session) decide(at Stage) error {
	if s.server.options.Decide == nil {
		return nil
	}
	err := s.server.options.Decide(at, s.mail)
	if errors.Is(err, ErrDrop) {
		_ = s.conn.Conn().Close()
	}
	return err
}

// Mail implements smtp.Session.
func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	if s.server.options.User != "" && s.user == "" {
		return smtp.ErrAuthRequired
	}
	_, secured := s.conn.TLSConnectionState()
	s.mail = Mail{From: from, User: s.user, TLS: secured}
	return s.decide(From)
}

// Rcpt implements smtp.Session.
func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.mail.To = to
	return s.decide(To)
}

// Data implements smtp.Session.
func (s *session) Data(r io.Reader) error {
	if err := s.decide(Data); err != nil {
		return err
	}
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	s.mail.Raw = raw
	err = s.decide(Taken)
	if err == nil || errors.Is(err, ErrDrop) {
		s.server.mu.Lock()
		s.server.mails = append(s.server.mails, s.mail)
		s.server.mu.Unlock()
	}
	return err
}

// Reset implements smtp.Session.
func (s *session) Reset() { s.mail = Mail{} }

// Logout implements smtp.Session.
func (s *session) Logout() error { return nil }

// AuthMechanisms implements smtp.AuthSession.
func (s *session) AuthMechanisms() []string {
	if s.server.options.User == "" {
		return nil
	}
	return []string{sasl.Plain}
}

// Auth implements smtp.AuthSession.
func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != s.server.options.User || password != s.server.options.Password {
			return smtp.ErrAuthFailed
		}
		s.user = user
		s.server.mu.Lock()
		s.server.logins++
		s.server.mu.Unlock()
		return nil
	}), nil
}

type silent struct{}

func (silent) Printf(string, ...any) {}

func (silent) Println(...any) {}
