package mailing

import (
	"context"

	"perennial/billing/document"
	"perennial/billing/email"
	"perennial/db"
	"perennial/documents"
	"perennial/documents/drawing"
	"perennial/mail"
)

// file draws the document that goes with a mail; nil: none does.
func (a *Mails) file(ctx context.Context, environmentID string, m db.Email) (*mail.Attachment, error) {
	doc, err := attached(ctx, a.Store.Reader, environmentID, m)
	if err != nil || doc == nil {
		return nil, err
	}
	e, err := a.Store.Tenancy.Environment(ctx, environmentID)
	if err != nil {
		return nil, err
	}
	// A PDF of a thousand lines takes a second and 100 MB: one at a time leaves room for billing.
	a.drawing.Lock()
	defer a.drawing.Unlock()
	of := drawing.Owner{EnvironmentID: environmentID, CustomerID: m.CustomerID, TimeZone: e.Settings.TimeZone}
	content, err := a.Drawer.Draw(ctx, of, *doc, document.Paper)
	if err != nil {
		return nil, err
	}
	return &mail.Attachment{Name: documents.FileName(*doc) + ".pdf", Type: "application/pdf", Content: content}, nil
}

// attached reads the document that goes with a mail; nil: none does.
func attached(ctx context.Context, read db.Reader, environmentID string, m db.Email) (*document.Document, error) {
	var doc document.Document
	switch m.Kind {
	case email.InvoiceIssued:
		inv, err := read.Invoices.Get(ctx, environmentID, m.ObjectID)
		if err != nil {
			return nil, err
		}
		doc = document.OfInvoice(inv)
	case email.Receipt:
		paid, err := read.Payments.Transaction(ctx, environmentID, m.ObjectID)
		if err != nil {
			return nil, err
		}
		if doc, err = db.ReceiptDocument(ctx, read, environmentID, paid); err != nil {
			return nil, err
		}
	case email.CreditNote:
		note, err := read.Invoices.CreditNote(ctx, environmentID, m.ObjectID)
		if err != nil {
			return nil, err
		}
		if doc, err = db.CreditNoteDocument(ctx, read, environmentID, note); err != nil {
			return nil, err
		}
	default:
		return nil, nil
	}
	return &doc, nil
}
