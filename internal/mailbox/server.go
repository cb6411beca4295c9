package mailbox

import (
	"io"

	"github.com/emersion/go-smtp"
)

func newServer(b *Box) *smtp.Server {
	s := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &session{box: b}, nil }))
	s.Domain, s.MaxMessageBytes, s.MaxRecipients = "localhost", mostBytes, 1
	s.ReadTimeout, s.WriteTimeout = patience, patience
	s.ErrorLog = silent{}
	return s
}

// session is one connection to the mail server. It takes every mail, and needs no login.
type session struct {
	box *Box
	to  string
}

// Mail implements smtp.Session.
func (s *session) Mail(string, *smtp.MailOptions) error { return nil }

// Rcpt implements smtp.Session.
func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.to = to
	return nil
}

// Data implements smtp.Session.
func (s *session) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err == nil {
		s.box.keep(read(raw, s.to))
	}
	return err
}

// Reset implements smtp.Session.
func (s *session) Reset() { s.to = "" }

// Logout implements smtp.Session.
func (*session) Logout() error { return nil }

// silent drops what clients do wrong.
type silent struct{}

func (silent) Printf(string, ...any) {}

func (silent) Println(...any) {}
