package mailbox_test

import (
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/internal/devstack"
	"perennial/internal/mailbox"
	"perennial/mail"
)

type box struct {
	*mailbox.Box
	t    *testing.T
	port int
}

func start(t *testing.T) *box {
	t.Helper()
	b := &box{t: t}
	require.NoError(t, devstack.ReservingPorts(t.Context(), func() (err error) {
		var c mailbox.Config
		for _, address := range []*string{&c.SMTP, &c.Pages} {
			port, err := devstack.FreePort(0)
			require.NoError(t, err)
			*address = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
			if b.port == 0 {
				b.port = port
			}
		}
		c.Now = time.Now
		b.Box, err = mailbox.Start(t.Context(), c)
		return err
	}))
	t.Cleanup(func() { require.NoError(t, b.Stop(t.Context())) })
	return b
}

// send hands a mail over as the service does.
func (b *box) send(m mail.Message) {
	b.t.Helper()
	raw, err := m.Bytes()
	require.NoError(b.t, err)
	session, err := mail.Sender{}.Dial(b.t.Context(), mail.Server{Host: "127.0.0.1", Port: b.port, Security: mail.Plain})
	require.NoError(b.t, err)
	defer session.Close()
	require.NoError(b.t, session.Send(b.t.Context(), m.From.Email, m.To.Email, raw))
}

// answer is one of the pages' server.
type answer struct {
	status int
	header http.Header
}

func (b *box) get(path, host string) (answer, string) {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, b.URL()+path, nil)
	require.NoError(b.t, err)
	if host != "" {
		r.Host = host
	}
	got, err := http.DefaultClient.Do(r)
	require.NoError(b.t, err)
	defer func() { require.NoError(b.t, got.Body.Close()) }()
	body, err := io.ReadAll(got.Body)
	require.NoError(b.t, err)
	return answer{got.StatusCode, got.Header}, string(body)
}

func letter(subject string) mail.Message {
	return mail.Message{
		ID: "em_1@example.com", Date: time.Unix(0, 0), From: mail.Address{Name: "Müller & Söhne", Email: "billing@example.com"},
		To: mail.Address{Name: "Ada", Email: "ada@example.org"}, Subject: subject, Language: "en",
		Text: "Pay here:\n\nhttps://pay.example/?a=1&b=<2>\n", HTML: "<!doctype html><head></head><body>Pay <b>here</b></body>",
		Attachments: []mail.Attachment{{Name: "invoice-é.pdf", Type: "application/pdf", Content: []byte("%PDF-1.7")}},
	}
}

func TestBox_ShowsMails(t *testing.T) {
	t.Parallel()
	b := start(t)
	_, empty := b.get("/", "")
	require.Contains(t, empty, "No mail yet")
	b.send(letter("First"))
	b.send(letter("Zweite: 19,00 €"))
	require.Len(t, b.Mails(), 2)
	require.Empty(t, b.Mails()[0].Trouble)
	_, list := b.get("/", "")
	require.Less(t, strings.Index(list, "Zweite: 19,00 €"), strings.Index(list, "First"), "the newest first")
	require.Contains(t, list, "1 file ·")

	_, page := b.get("/mails/2", "")
	require.Contains(t, page, "Müller &amp; Söhne")
	require.Contains(t, page, "&lt;em_1@example.com&gt;")
	require.Contains(t, page, `<a href="https://pay.example/?a=1&amp;b=" target="_blank"`)
	require.Contains(t, page, `sandbox="allow-popups allow-popups-to-escape-sandbox"`)
	shown, html := b.get("/mails/2/html", "")
	require.Contains(t, html, "Pay <b>here</b>")
	require.Contains(t, shown.header.Get("Content-Security-Policy"), "sandbox")
	file, content := b.get("/mails/2/files/0", "")
	require.Equal(t, "%PDF-1.7", content)
	require.Contains(t, file.header.Get("Content-Disposition"), "attachment; filename")
	_, raw := b.get("/mails/2/raw", "")
	require.Contains(t, raw, "Content-Type: multipart/mixed")
	for _, absent := range []string{"/mails/3", "/mails/x", "/mails/2/files/1", "/mails/2/files/-1", "/nothing"} {
		answer, _ := b.get(absent, "")
		require.Equal(t, http.StatusNotFound, answer.status, absent)
	}
}

// A mail is text of strangers: it runs nothing and adds nothing to the pages.
func TestBox_HostileMails(t *testing.T) {
	t.Parallel()
	b := start(t)
	const evil = `<script>alert(1)</script>"><img src=x>`
	m := letter(evil)
	m.From.Name, m.Text, m.HTML, m.Attachments[0].Name = evil, evil+" https://x.example/\"onclick=1", evil, evil
	b.send(m)
	for _, path := range []string{"/", "/mails/1"} {
		answer, page := b.get(path, "")
		require.NotContains(t, page, "<script>")
		require.NotContains(t, page, "<img")
		require.NotContains(t, page, `"onclick`)
		policy := answer.header.Get("Content-Security-Policy")
		require.Contains(t, policy, "default-src 'none'")
		require.NotContains(t, policy, "script-src")
		require.NotContains(t, policy, "unsafe-inline")
	}
	shown, _ := b.get("/mails/1/html", "")
	require.Contains(t, shown.header.Get("Content-Security-Policy"), "default-src 'none'")
	require.NotContains(t, shown.header.Get("Content-Security-Policy"), "allow-scripts")
	_, _, err := net.SplitHostPort(strings.TrimPrefix(b.URL(), "http://"))
	require.NoError(t, err)
}

// Bytes that are no mail are kept, and can be looked at.
func TestBox_UnreadableMail(t *testing.T) {
	t.Parallel()
	b := start(t)
	session, err := mail.Sender{}.Dial(t.Context(), mail.Server{Host: "127.0.0.1", Port: b.port, Security: mail.Plain})
	require.NoError(t, err)
	defer session.Close()
	require.NoError(t, session.Send(t.Context(), "a@example.com", "b@example.com",
		[]byte("Content-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\nbroken")))
	require.NotEmpty(t, b.Mails()[0].Trouble)
	_, page := b.get("/mails/1", "")
	require.Contains(t, page, "could not be read whole")
	require.Contains(t, page, "b@example.com")
}

// A page of the internet that gives its name our address reads nothing.
func TestBox_IsForThisMachine(t *testing.T) {
	t.Parallel()
	b := start(t)
	for host, want := range map[string]int{
		"": 200, "localhost:8025": 200, "[::1]:8025": 200, "evil.example": 403, "localhost.evil.example:8025": 403,
		"192.0.2.1": 403,
	} {
		answer, _ := b.get("/", host)
		require.Equal(t, want, answer.status, host)
	}
	_, err := mailbox.Start(t.Context(), mailbox.Config{SMTP: "0.0.0.0:0", Pages: "127.0.0.1:0", Now: time.Now})
	require.ErrorContains(t, err, "this machine alone")
}
