package mail

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/wneessen/go-mail/smtp"
)

// Limits of a conversation, unless the sender has its own.
const (
	dialLimit = 30 * time.Second // connection, TLS and login
	sendLimit = 60 * time.Second // one mail
)

// Sender connects to mail servers.
type Sender struct {
	// Control decides about an address at the moment of connecting, after all resolving; nil: all may be reached.
	Control func(network, address string, c syscall.RawConn) error
	Roots   *x509.CertPool // nil: those of the machine
	Name    string         // of this machine, as the server is told; empty: localhost
	// DialLimit and SendLimit bound a connection and one mail; zero: 30 s and 60 s.
	DialLimit, SendLimit time.Duration
}

// Session is a connection to a server that takes mail. It is used by one goroutine.
type Session struct {
	client *smtp.Client
	conn   net.Conn
	limit  time.Duration
	broken bool
}

// Dial connects and logs in. Fault: *Failure.
func (s Sender) Dial(ctx context.Context, to Server) (*Session, error) {
	limit := s.DialLimit
	if limit == 0 {
		limit = dialLimit
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	dialer := &net.Dialer{Control: s.Control}
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(to.Host, strconv.Itoa(to.Port)))
	if err != nil {
		return nil, ofServer(failed(err, Unreachable, Unreachable, Unreachable))
	}
	if to.Security == Plain && !conn.RemoteAddr().(*net.TCPAddr).IP.IsLoopback() {
		_ = conn.Close()
		return nil, &Failure{Class: TLSFailed, Text: "without TLS only this machine is spoken to"}
	}
	out := &Session{conn: conn, limit: s.SendLimit}
	if out.limit == 0 {
		out.limit = sendLimit
	}
	err = out.within(ctx, limit, func() error { return s.begin(ctx, out, to) })
	if err != nil {
		_ = conn.Close() // the failure is the news
		return nil, ofServer(failed(err, Unreachable, Unreachable, Unreachable))
	}
	return out, nil
}

// ofServer returns a failure before any mail: it is the server's, whatever it was.
func ofServer(f *Failure) *Failure {
	if !f.OfServer() {
		f.Class = Unreachable
	}
	return f
}

// begin greets the server, turns to TLS and logs in.
func (s Sender) begin(ctx context.Context, out *Session, to Server) (err error) {
	config := &tls.Config{ServerName: to.Host, RootCAs: s.Roots, MinVersion: tls.VersionTLS12}
	if to.Security == ImplicitTLS {
		secured := tls.Client(out.conn, config)
		if err := secured.HandshakeContext(ctx); err != nil {
			return failed(err, TLSFailed, TLSFailed, TLSFailed)
		}
		out.conn = secured
	}
	if out.client, err = smtp.NewClient(out.conn, to.Host); err != nil {
		return failed(err, Busy, Busy, Unreachable)
	}
	name := s.Name
	if name == "" {
		name = "localhost"
	}
	if err = out.client.Hello(name); err != nil {
		return failed(err, Busy, Busy, Unreachable)
	}
	if to.Security == StartTLS {
		if offers, _ := out.client.Extension("STARTTLS"); !offers {
			return &Failure{Class: TLSFailed, Text: "the server does not offer STARTTLS"}
		}
		if err = out.client.StartTLS(config); err != nil {
			return failed(err, TLSFailed, TLSFailed, TLSFailed)
		}
	}
	if to.User == "" {
		return nil
	}
	way, err := login(out.client, to)
	if err != nil {
		return err
	}
	if err = out.client.Auth(way); err != nil {
		return failed(err, LoginFailed, LoginFailed, LoginFailed)
	}
	return nil
}

// login chooses how to log in, of what the server offers.
func login(c *smtp.Client, to Server) (smtp.Auth, error) {
	_, offered := c.Extension("AUTH")
	ways := strings.Fields(strings.ToUpper(offered))
	plain := to.Security == Plain // the password goes over loopback
	switch {
	case slices.Contains(ways, "SCRAM-SHA-256"):
		return smtp.ScramSHA256Auth(to.User, to.Password), nil
	case slices.Contains(ways, "PLAIN"):
		return smtp.PlainAuth("", to.User, to.Password, to.Host, plain), nil
	case slices.Contains(ways, "LOGIN"):
		return smtp.LoginAuth(to.User, to.Password, to.Host, plain), nil
	case slices.Contains(ways, "CRAM-MD5"):
		return smtp.CRAMMD5Auth(to.User, to.Password), nil
	default:
		return nil, &Failure{Class: LoginFailed, Text: clean("the server offers no login that we know: " + offered)}
	}
}

// Send hands one message over, and returns the server's reply. Faults: *Failure. After one of ConnectionLost or
// TimedOut the server may have taken the message all the same.
func (s *Session) Send(ctx context.Context, from, to string, message []byte) error {
	if s.broken {
		return &Failure{Class: ConnectionLost, Text: "the connection had ended"}
	}
	return s.within(ctx, s.limit, func() error {
		if err := s.client.Mail("<" + from + ">"); err != nil {
			return s.over(failed(err, SenderRefused, Deferred, ConnectionLost))
		}
		if err := s.client.Rcpt("<" + to + ">"); err != nil {
			return s.over(failed(err, Refused, Deferred, ConnectionLost))
		}
		body, err := s.client.Data()
		if err != nil {
			return s.over(failed(err, Refused, Deferred, ConnectionLost))
		}
		if _, err = body.Write(message); err != nil {
			return s.over(failed(err, ConnectionLost, ConnectionLost, ConnectionLost))
		}
		if err = body.Close(); err != nil {
			return s.over(failed(err, Refused, Deferred, ConnectionLost))
		}
		return nil
	})
}

// Usable reports whether another message can be sent.
func (s *Session) Usable() bool { return !s.broken }

// Close says goodbye, for a moment at most.
func (s *Session) Close() {
	if !s.broken {
		_ = s.conn.SetDeadline(time.Now().Add(time.Second)) //nolint:forbidigo // a deadline of the network is in real time
		_ = s.client.Quit()                                 // the mails are sent
	}
	_ = s.conn.Close()
}

// over ends a mail that was not sent. After a reply the connection serves the next one.
func (s *Session) over(f *Failure) error {
	f.OfMail = true
	if f.Code == 0 || f.Class == Busy || s.client.Reset() != nil {
		s.broken = true
	}
	return f
}

// within bounds what is said by a time, and by the context.
func (s *Session) within(ctx context.Context, limit time.Duration, talk func() error) error {
	deadline := time.Now().Add(limit) //nolint:forbidigo // a deadline of the network is in real time
	if err := s.conn.SetDeadline(deadline); err != nil {
		s.broken = true
		return failed(err, ConnectionLost, ConnectionLost, ConnectionLost)
	}
	conn := s.conn
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	err := talk()
	if !stop() && err == nil {
		s.broken = true // its deadline is past
	}
	var f *Failure
	if errors.As(err, &f) && f.Code == 0 {
		s.broken = true
	}
	return err
}
