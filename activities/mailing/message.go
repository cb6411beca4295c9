package mailing

import (
	"context"
	"strings"

	"perennial/billing/creditnote"
	"perennial/billing/document"
	"perennial/billing/email"
	"perennial/billing/invoice"
	"perennial/db"
	"perennial/documents"
	"perennial/mail"
)

// message returns the bytes of a mail. Its Message-ID follows from the mail's id: a server or a reader recognises a
// repeat after a lost reply.
func (r *run) message(ctx context.Context, m db.Email) ([]byte, error) {
	payer, err := r.Store.Customers.Get(ctx, r.sender.EnvironmentID, m.CustomerID)
	if err != nil {
		return nil, err
	}
	_, domain, _ := strings.Cut(r.sender.FromEmail, "@")
	message := mail.Message{
		ID: m.ID + "@" + domain, Date: m.CreatedAt,
		From: mail.Address{Name: r.sender.FromName, Email: r.sender.FromEmail},
		To:   mail.Address{Name: payer.Name, Email: m.Recipient}, ReplyTo: r.sender.ReplyTo,
		Subject: m.Subject, Language: m.Language, Text: m.Text, HTML: m.HTML,
	}
	if message.Attachments, err = r.attachments(ctx, m, payer.Locale); err != nil {
		return nil, err
	}
	return r.account.Bytes(message)
}

// attachments are the documents that go with a mail, as pages that are whole in themselves.
func (r *run) attachments(ctx context.Context, m db.Email, locale string) ([]mail.Attachment, error) {
	env := r.sender.EnvironmentID
	settings, err := r.Store.Tenancy.Environment(ctx, env)
	if err != nil {
		return nil, err
	}
	var doc document.Document
	switch m.Kind {
	case email.InvoiceIssued:
		inv, err := r.Store.Invoices.Get(ctx, env, m.ObjectID)
		if err != nil {
			return nil, err
		}
		doc = document.OfInvoice(inv)
	case email.Receipt:
		paid, err := r.Store.Payments.Transaction(ctx, env, m.ObjectID)
		if err != nil || paid.InvoiceID == "" {
			return nil, err
		}
		inv, err := r.Store.Invoices.Get(ctx, env, paid.InvoiceID)
		if err != nil {
			return nil, err
		}
		doc = document.OfInvoice(inv)
	case email.CreditNote:
		note, of, err := creditNote(ctx, r.Store.Reader, env, m)
		if err != nil {
			return nil, err
		}
		doc = document.OfCreditNote(note, of)
	default:
		return nil, nil
	}
	page, err := documents.HTML(doc, locale, settings.Settings.TimeZone)
	if err != nil {
		return nil, err
	}
	return []mail.Attachment{{Name: fileName(doc) + ".html", Type: "text/html", Content: page}}, nil
}

// fileName is the number of a document, of characters that every system takes in a name.
func fileName(doc document.Document) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '-', r == '_', r == '.':
			return r
		default:
			return '-'
		}
	}, doc.Number)
}

// creditNote reads a credit note and its invoice.
func creditNote(
	ctx context.Context, read db.Reader, env string, m db.Email,
) (note creditnote.Note, of invoice.Invoice, err error) {
	if note, err = read.Invoices.CreditNote(ctx, env, m.ObjectID); err != nil {
		return note, of, err
	}
	of, err = read.Invoices.Get(ctx, env, note.InvoiceID)
	return note, of, err
}
