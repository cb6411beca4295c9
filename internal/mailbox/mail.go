package mailbox

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/emersion/go-message/mail"
)

// Mail is one mail as it came.
type Mail struct {
	Number                     int // in the order in which they came
	At                         time.Time
	From, To, Subject, Message string // Message is the Message-ID
	Text, HTML                 string // empty: it has none
	Files                      []File
	Raw                        []byte
	Trouble                    string // why it could not be read whole; empty: it could
}

// File is an attachment.
type File struct {
	Name, Type string
	Content    []byte
}

// Size is that of the file in kB, rounded up.
func (f File) Size() int { return (len(f.Content) + 999) / 1000 }

// read reads a mail. What cannot be read is left out, and said so: its raw form is there.
func read(raw []byte, to string) Mail {
	m := Mail{To: to, Raw: raw}
	r, err := mail.CreateReader(bytes.NewReader(raw))
	if err != nil {
		m.Trouble = err.Error()
		return m
	}
	m.From, m.Subject, m.Message = people(r.Header, "From"), decoded(r.Header.Subject()), r.Header.Get("Message-Id")
	if shown := people(r.Header, "To"); shown != "" {
		m.To = shown
	}
	for {
		part, err := r.NextPart()
		if errors.Is(err, io.EOF) {
			return m
		}
		if err == nil {
			err = m.take(part)
		}
		if err != nil {
			m.Trouble = err.Error()
			return m
		}
	}
}

// people returns the addresses of a header, with the names that they have.
func people(h mail.Header, name string) string {
	found, err := h.AddressList(name)
	if err != nil {
		return decoded(h.Text(name))
	}
	var all []string
	for _, a := range found {
		all = append(all, strings.TrimSpace(a.Name+" <"+a.Address+">"))
	}
	return strings.Join(all, ", ")
}

// decoded returns a header as far as it could be decoded.
func decoded(text string, _ error) string { return text }

func (m *Mail) take(part *mail.Part) error {
	content, err := io.ReadAll(part.Body)
	if err != nil {
		return err
	}
	switch h := part.Header.(type) {
	case *mail.AttachmentHeader:
		kind, _, _ := h.ContentType() // one that is malformed is shown as none
		name, _ := h.Filename()       // as above
		m.Files = append(m.Files, File{Name: name, Type: kind, Content: content})
	case *mail.InlineHeader:
		text := strings.ReplaceAll(string(content), "\r\n", "\n")
		if kind, _, _ := h.ContentType(); kind == "text/html" {
			m.HTML = text
		} else {
			m.Text = text
		}
	}
	return nil
}
