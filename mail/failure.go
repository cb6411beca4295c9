package mail

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/textproto"
	"os"
	"strings"
)

// Class says why a mail was not sent.
type Class string

// The classes.
const (
	AddressMalformed Class = "address_malformed" // of the recipient or the sender
	ForbiddenAddress Class = "forbidden_address" // the server's name leads into a network that must not be reached
	Unreachable      Class = "unreachable"       // no connection
	TLSFailed        Class = "tls_failed"        // the server has no TLS, or its certificate is not good for its name
	LoginFailed      Class = "login_failed"      // the server refused user name and password, or takes none
	Busy             Class = "busy"              // the server takes no mail now, whoever it is for
	SenderRefused    Class = "sender_refused"    // the server does not take mail of this sender
	Refused          Class = "refused"           // the server refused this mail for good: 5xx
	Deferred         Class = "deferred"          // the server refused this mail for now: 4xx
	TimedOut         Class = "timed_out"         // the server did not answer in time
	ConnectionLost   Class = "connection_lost"   // before the server said what became of the mail
)

// Failure is an attempt that did not succeed.
type Failure struct {
	Class Class
	Code  int    // of the server's reply; 0: it gave none
	Text  string // the server's words, or ours where it gave none; may have the recipient's address in it
	// OfMail reports that the server was told of a mail: its words may be about the people of that mail.
	OfMail bool
}

// Error implements error. It has no words of a server, since they may have an address in them.
func (f *Failure) Error() string {
	if f.Code != 0 {
		return fmt.Sprintf("mail: %s (%d)", f.Class, f.Code)
	}
	return "mail: " + string(f.Class)
}

// Permanent reports whether a repeat would fail in the same way.
func (f *Failure) Permanent() bool { return f.Class == Refused || f.Class == AddressMalformed }

// OfServer reports whether other mails by the same server would fail in the same way.
func (f *Failure) OfServer() bool {
	switch f.Class {
	case ForbiddenAddress, Unreachable, TLSFailed, LoginFailed, Busy, SenderRefused:
		return true
	default:
		return false
	}
}

// textLimit bounds a server's words, in bytes.
const textLimit = 500

// failed makes a Failure of an error in a stage of the conversation. refused and deferred are the classes of replies
// 5xx and 4xx there.
func failed(err error, refused, deferred, broken Class) *Failure {
	var known *Failure
	if errors.As(err, &known) {
		return known
	}
	f := &Failure{Class: broken, Text: clean(err.Error())}
	var reply *textproto.Error
	var certificate *tls.CertificateVerificationError
	var unknown x509.UnknownAuthorityError
	var guarded interface{ ForbiddenAddress() string }
	var timeout net.Error
	switch {
	case errors.As(err, &reply):
		f.Code, f.Text = reply.Code, clean(reply.Msg)
		switch {
		case reply.Code == 421: // it closes the connection, whatever was asked of it
			f.Class = Busy
		case reply.Code >= 500:
			f.Class = refused
		default:
			f.Class = deferred
		}
	case errors.As(err, &guarded):
		f.Class, f.Text = ForbiddenAddress, "forbidden address ("+guarded.ForbiddenAddress()+")"
	case errors.As(err, &certificate), errors.As(err, &unknown), errors.As(err, &tls.RecordHeaderError{}):
		f.Class = TLSFailed
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded),
		errors.As(err, &timeout) && timeout.Timeout():
		f.Class, f.Text = TimedOut, "the server did not answer in time"
	}
	return f
}

// clean makes a server's words safe to keep and to show.
func clean(s string) string {
	if s = line(strings.Join(strings.Fields(s), " ")); len(s) > textLimit {
		s = s[:textLimit]
	}
	return strings.ToValidUTF8(s, "")
}
