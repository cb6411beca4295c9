package mailing_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/carlos7ags/folio/reader"
	"github.com/emersion/go-message/mail"
	"github.com/stretchr/testify/require"

	"perennial/billing/document"
	"perennial/billing/email"
	"perennial/billing/invoice"
	"perennial/contract"
	"perennial/internal/testkit/mailserver"
	"perennial/test/life"
	"perennial/test/scene"
)

const publicURL = "https://billing.example"

// attached are the names and texts of the PDFs that go with a mail.
func attached(t *testing.T, m mailserver.Mail) map[string]string {
	t.Helper()
	r, err := mail.CreateReader(bytes.NewReader(m.Raw))
	require.NoError(t, err)
	found := map[string]string{}
	for {
		part, err := r.NextPart()
		if errors.Is(err, io.EOF) {
			return found
		}
		require.NoError(t, err)
		h, is := part.Header.(*mail.AttachmentHeader)
		if !is {
			continue
		}
		kind, _, err := h.ContentType()
		require.NoError(t, err)
		require.Equal(t, "application/pdf", kind)
		name, err := h.Filename()
		require.NoError(t, err)
		raw, err := io.ReadAll(part.Body)
		require.NoError(t, err)
		pdf, err := reader.Parse(raw)
		require.NoError(t, err)
		page, err := pdf.Page(0)
		require.NoError(t, err)
		found[name], err = page.ExtractText()
		require.NoError(t, err)
	}
}

// link is the address of an invoice's page.
func (o *office) link(t *testing.T, inv invoice.Invoice) string {
	t.Helper()
	page, err := o.Store.Invoices.Hosted(t.Context(), o.Env, inv.ID)
	require.NoError(t, err)
	return contract.LinkKey(page.LinkKey).Link(publicURL, contract.HostedInvoice{EnvironmentID: o.Env, InvoiceID: inv.ID})
}

// An invoice goes with the mail that announces it, a receipt with that of a payment, and both lead to the invoice's page.
func TestSendDue_AttachesDocuments(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	l := life.Begin(t, o.Scene, scene.Monthly(1000))
	paid := l.Invoices()[0]
	l.Charge(t, l.OwnCharge(t).ID)
	require.Equal(t, 3, o.send(t).Sent)
	texts, letters := map[email.Kind][]string{}, map[email.Kind][]string{}
	for _, m := range o.all(t) {
		letters[m.Kind] = append(letters[m.Kind], m.Text)
		for _, sent := range o.server.Mails() {
			if !strings.Contains(string(sent.Raw), m.ID+"@") {
				continue
			}
			files := attached(t, sent)
			require.Len(t, files, 1)
			for name, text := range files {
				require.Regexp(t, `^(invoice|receipt)-[\w.-]+\.pdf$`, name)
				texts[m.Kind] = append(texts[m.Kind], text)
			}
		}
	}
	require.Len(t, texts[email.InvoiceIssued], 1)
	require.Contains(t, texts[email.InvoiceIssued][0], paid.ShownNumber())
	require.Len(t, texts[email.Receipt], 2, "also of a charge without an invoice")
	for _, text := range texts[email.Receipt] {
		require.Contains(t, text, "Receipt")
	}
	require.Contains(t, letters[email.InvoiceIssued][0], o.link(t, paid))
	links := 0
	for _, text := range letters[email.Receipt] {
		links += strings.Count(text, o.link(t, paid))
	}
	require.Equal(t, 1, links)
	kept, err := o.Store.Templates.Drawing(t.Context(), o.Env, paid.ID, document.Paper)
	require.NoError(t, err)
	require.NotEmpty(t, kept.Content, "the page of the invoice has the file that came with the mail")
}

// Who is asked to pay gets a button for it.
func TestSendDue_LinksToPay(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.Provider.Script = life.Always(scene.Decline)
	l := life.Begin(t, o.Scene, scene.Monthly(1000))
	o.send(t)
	asked := 0
	for _, m := range o.all(t) {
		if m.Kind == email.PaymentFailed {
			asked++
			require.Contains(t, m.Text, "\n\nPay invoice\n\n"+o.link(t, l.Invoices()[0])+"\n\n")
		}
	}
	require.Equal(t, 1, asked)
}

// A policy chooses the attempts that remind the customer.
func TestOwe_RemindersOfThePolicy(t *testing.T) {
	t.Parallel()
	for policy, want := range map[string]int{
		`{"baseSeconds": 86400, "factor": 2, "retries": 3, "jitterSeconds": 0, "final": "past_due"}`:                         4,
		`{"baseSeconds": 86400, "factor": 2, "retries": 3, "jitterSeconds": 0, "final": "past_due", "noReminders": true}`:    0,
		`{"baseSeconds": 86400, "factor": 2, "retries": 3, "jitterSeconds": 0, "final": "past_due", "reminders": [1, 3, 9]}`: 2,
	} {
		o := newOffice(t)
		_, err := o.Pool.Exec(t.Context(), "update environments set dunning = $1 where id = $2", policy, o.Env)
		require.NoError(t, err)
		o.Provider.Script = life.Always(scene.Decline)
		l := life.Begin(t, o.Scene, scene.Monthly(1000))
		l.Until(o.Clock.Now().AddDate(0, 0, 20))
		require.Equal(t, 4, l.CountEvents("payment.failed"))
		got := 0
		for _, m := range o.all(t) {
			if m.Kind == email.PaymentFailed {
				got++
			}
		}
		require.Equal(t, want, got, policy)
	}
}
