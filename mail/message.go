// Package mail owns what crosses the wire to a mail server: messages in MIME, their signatures by DKIM, and the
// conversation in SMTP, over TLS. It does not own what a mail says (documents/letters), to whom and when it is sent
// (billing/email), nor how often it is tried (activities/mailing).
package mail

import (
	"bytes"
	netmail "net/mail"
	"strings"
	"time"
	"unicode"

	gomail "github.com/wneessen/go-mail"
)

// Address is a person's or a sender's.
type Address struct {
	Name  string // empty: the address alone is shown
	Email string
}

// Attachment is a file that goes with a message.
type Attachment struct {
	Name    string
	Type    string // a media type, such as application/pdf
	Content []byte
}

// Message is one mail to one recipient.
type Message struct {
	ID          string // with an @; without angle brackets. The same for each attempt: a repeat is recognised by it
	Date        time.Time
	From, To    Address
	ReplyTo     string // empty: the sender
	Subject     string
	Language    string // BCP 47
	Text, HTML  string // the same content twice
	Attachments []Attachment
}

// Bytes returns the message in MIME: text and HTML as alternatives, then the attachments. Names and subjects cannot add
// a header: control characters are taken out of them. Fault: an address is malformed.
func (m Message) Bytes() ([]byte, error) {
	from, err := m.From.parsed()
	if err != nil {
		return nil, err
	}
	to, err := m.To.parsed()
	if err != nil {
		return nil, err
	}
	msg := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	msg.FromMailAddress(from)
	msg.ToMailAddress(to)
	if m.ReplyTo != "" {
		reply, err := Address{Email: m.ReplyTo}.parsed()
		if err != nil {
			return nil, err
		}
		msg.ReplyToMailAddress(reply)
	}
	msg.SetMessageIDWithValue(m.ID)
	msg.SetDateWithValue(m.Date)
	msg.Subject(line(m.Subject))
	msg.SetGenHeader(gomail.HeaderContentLang, line(m.Language))
	// Replies of machines, such as absence notes, are not wanted (RFC 3834).
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	msg.SetBodyString(gomail.TypeTextPlain, m.Text)
	msg.AddAlternativeString(gomail.TypeTextHTML, m.HTML)
	for _, a := range m.Attachments {
		err := msg.AttachReader(line(a.Name), bytes.NewReader(a.Content),
			gomail.WithFileContentType(gomail.ContentType(a.Type)))
		if err != nil {
			return nil, err
		}
	}
	var out bytes.Buffer
	_, err = msg.WriteTo(&out)
	return out.Bytes(), err
}

// parsed returns the address with its name made safe for a header.
func (a Address) parsed() (*netmail.Address, error) {
	out, err := netmail.ParseAddress("<" + a.Email + ">")
	if err != nil || out.Address != a.Email {
		return nil, &Failure{Class: AddressMalformed, Text: "the address is malformed"}
	}
	out.Name = line(a.Name)
	return out, nil
}

// line takes line breaks and other control characters out of a text of a header.
func line(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "")))
}
