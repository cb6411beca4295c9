package scenario

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"

	"github.com/emersion/go-smtp"

	"perennial/bench/internal/rig"
)

// mailSink is a mail server without TLS that takes every mail.
type mailSink struct {
	port   int
	server *smtp.Server

	mu     sync.Mutex
	n      int
	sample []byte // the last one
}

// startMailSink serves until the rig stops.
func startMailSink(ctx context.Context, r *rig.Rig) (*mailSink, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &mailSink{port: listener.Addr().(*net.TCPAddr).Port}
	s.server = smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return mailSession{s}, nil }))
	s.server.Domain = "localhost"
	go func() { _ = s.server.Serve(listener) }() // it ends when the rig does
	r.AtEnd(func(context.Context) error { return s.server.Close() })
	return s, nil
}

// mailSession is one connection to the sink.
type mailSession struct{ sink *mailSink }

func (mailSession) Mail(string, *smtp.MailOptions) error { return nil }
func (mailSession) Rcpt(string, *smtp.RcptOptions) error { return nil }
func (mailSession) Reset()                               {}
func (mailSession) Logout() error                        { return nil }

// Data implements smtp.Session.
func (m mailSession) Data(body io.Reader) error {
	raw, err := io.ReadAll(body)
	if err == nil {
		m.sink.mu.Lock()
		defer m.sink.mu.Unlock()
		m.sink.n, m.sink.sample = m.sink.n+1, raw
	}
	return err
}

// count returns the number of mails so far.
func (s *mailSink) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n
}

// settings has the environment send mails of kinds, a JSON list, to the sink.
func (s *mailSink) settings(ctx context.Context, r *rig.Rig, kinds string) error {
	_, err := r.Ask(ctx, http.MethodPut, r.Ours.URL+"/api/email-settings", fmt.Sprintf(
		`{"from":{"email":"billing@example.com"},"host":"127.0.0.1","port":%d,"security":"none","kinds":%s,
		"allowedRecipients":["@example.com"]}`, s.port, kinds), http.StatusOK)
	return err
}

// noMails removes the settings, so that later scenarios send none.
func noMails(ctx context.Context, r *rig.Rig) error {
	_, err := r.Ask(ctx, http.MethodDelete, r.Ours.URL+"/api/email-settings", "", http.StatusOK)
	return err
}

// mailed waits until no mail is pending. One that was not sent is an error: it measures nothing.
func mailed(ctx context.Context, r *rig.Rig) error {
	failed, err := settled(ctx, r, "emails", "status <> 'sent'")
	if err == nil && failed > 0 {
		err = errors.New("mails were not sent")
	}
	return err
}
