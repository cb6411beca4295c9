package mail_test

import (
	"bytes"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	netmail "net/mail"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/mail"
)

var at = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func message() mail.Message {
	return mail.Message{
		ID: "em_1@example.com", Date: at, Language: "de",
		From: mail.Address{Name: "Müller & Söhne", Email: "billing@example.com"},
		To:   mail.Address{Name: "Ada", Email: "ada@example.org"}, ReplyTo: "help@example.com",
		Subject: "Ihre Rechnung über 19,00 €", Text: "Guten Tag,\n.\nzwölf", HTML: "<p>Guten Tag, zwölf</p>",
	}
}

// part is one leaf of a message.
type part struct{ kind, name, body string }

// parts reads a message as a mail program does.
func parts(t *testing.T, raw []byte) (*netmail.Message, []part) {
	t.Helper()
	m, err := netmail.ReadMessage(bytes.NewReader(raw))
	require.NoError(t, err)
	var all []part
	var walk func(kind, encoding, disposition string, body io.Reader)
	walk = func(kind, encoding, disposition string, body io.Reader) {
		media, params, err := mime.ParseMediaType(kind)
		require.NoError(t, err)
		if !strings.HasPrefix(media, "multipart/") {
			switch strings.ToLower(encoding) {
			case "quoted-printable":
				body = quotedprintable.NewReader(body)
			case "base64":
				body = newBase64(body)
			}
			read, err := io.ReadAll(body)
			require.NoError(t, err)
			_, file, err := mime.ParseMediaType(disposition)
			if disposition != "" {
				require.NoError(t, err)
			}
			name, err := new(mime.WordDecoder).DecodeHeader(file["filename"])
			require.NoError(t, err)
			all = append(all, part{media, name, strings.ReplaceAll(string(read), "\r\n", "\n")})
			return
		}
		r := multipart.NewReader(body, params["boundary"])
		for {
			p, err := r.NextRawPart()
			if err == io.EOF {
				return
			}
			require.NoError(t, err)
			walk(p.Header.Get("Content-Type"), p.Header.Get("Content-Transfer-Encoding"), p.Header.Get("Content-Disposition"), p)
		}
	}
	walk(m.Header.Get("Content-Type"), m.Header.Get("Content-Transfer-Encoding"), "", m.Body)
	return m, all
}

func TestMessage_HeadersAndBothParts(t *testing.T) {
	t.Parallel()
	m := message()
	m.Attachments = []mail.Attachment{{Name: "Rechnung-Ü1.html", Type: "text/html", Content: []byte("<b>€</b>\r\n")}}
	raw, err := m.Bytes()
	require.NoError(t, err)
	read, leaves := parts(t, raw)
	require.Equal(t, "<em_1@example.com>", read.Header.Get("Message-Id"))
	require.Equal(t, "auto-generated", read.Header.Get("Auto-Submitted"))
	require.Equal(t, "de", read.Header.Get("Content-Language"))
	from, err := read.Header.AddressList("From")
	require.NoError(t, err)
	require.Equal(t, []*netmail.Address{{Name: "Müller & Söhne", Address: "billing@example.com"}}, from)
	to, err := read.Header.AddressList("To")
	require.NoError(t, err)
	require.Equal(t, []*netmail.Address{{Name: "Ada", Address: "ada@example.org"}}, to)
	reply, err := read.Header.AddressList("Reply-To")
	require.NoError(t, err)
	require.Equal(t, "help@example.com", reply[0].Address)
	subject, err := new(mime.WordDecoder).DecodeHeader(read.Header.Get("Subject"))
	require.NoError(t, err)
	require.Equal(t, m.Subject, subject)
	date, err := read.Header.Date()
	require.NoError(t, err)
	require.True(t, date.Equal(at))
	require.Equal(t, []part{
		{"text/plain", "", m.Text}, {"text/html", "", m.HTML}, {"text/html", "Rechnung-Ü1.html", "<b>€</b>\n"},
	}, leaves)
}

// Names, subjects and file names come from customers.
func TestMessage_TextsCannotAddHeaders(t *testing.T) {
	t.Parallel()
	for _, evil := range []string{
		"x\r\nBcc: victim@example.net", "x\nBcc: victim@example.net", "x\rBcc: victim@example.net", "\"x\" <a@b.c>, victim@example.net",
		"x\u2028Bcc: victim@example.net", "x\x00\r\n\r\n<script>", "=?utf-8?q?x=0D=0ABcc:_victim@example.net?=", strings.Repeat("é", 900),
		"a\\\"b", "\xff\r\nBcc: victim@example.net",
	} {
		m := message()
		m.From.Name, m.To.Name, m.Subject, m.Language = evil, evil, evil, "de"
		m.Attachments = []mail.Attachment{{Name: evil, Type: "text/html", Content: []byte("x")}}
		raw, err := m.Bytes()
		require.NoError(t, err)
		read, leaves := parts(t, raw)
		require.Len(t, leaves, 3, "%q", evil)
		require.Empty(t, read.Header.Get("Bcc"), "%q", evil)
		for header := range read.Header {
			require.Contains(t, []string{
				"From", "To", "Reply-To", "Subject", "Date", "Message-Id", "Mime-Version", "Content-Type", "Content-Language",
				"Auto-Submitted", "Content-Transfer-Encoding",
			}, header, "%q", evil)
		}
		to, err := read.Header.AddressList("To")
		require.NoError(t, err, "%q", evil)
		require.Len(t, to, 1)
		require.Equal(t, "ada@example.org", to[0].Address)
	}
}

func TestMessage_MalformedAddressIsRefusedForGood(t *testing.T) {
	t.Parallel()
	for _, evil := range []string{
		"", "x", "a@b.c\r\nBcc: v@example.net", "a@b.c, d@e.f", "a@b.c> <d@e.f", "Ada <a@b.c>", "a b@c.d",
	} {
		m := message()
		m.To.Email = evil
		_, err := m.Bytes()
		var f *mail.Failure
		require.ErrorAs(t, err, &f, "%q", evil)
		require.True(t, f.Permanent())
	}
}
