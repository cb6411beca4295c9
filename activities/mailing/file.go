package mailing

import (
	"context"

	"perennial/billing/creditnote"
	"perennial/billing/document"
	"perennial/billing/email"
	"perennial/billing/invoice"
	"perennial/db"
	"perennial/documents"
	"perennial/documents/drawing"
	"perennial/mail"
)

// file draws the document that goes with a mail; nil: none does.
func (a *Mails) file(ctx context.Context, environmentID string, m db.Email) (*mail.Attachment, error) {
	e, err := a.Store.Tenancy.Environment(ctx, environmentID)
	if err != nil {
		return nil, err
	}
	p := papers{ctx, a.Store.Reader, environmentID}
	var doc document.Document
	switch m.Kind {
	case email.InvoiceIssued:
		doc, err = p.invoice(m.ObjectID)
	case email.Receipt:
		doc, err = p.receipt(m.ObjectID, e.Settings.Seller)
	case email.CreditNote:
		doc, err = p.creditNote(m.ObjectID)
	default:
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	// A PDF of a thousand lines takes a second and 100 MB: one at a time leaves room for billing.
	a.drawing.Lock()
	defer a.drawing.Unlock()
	of := drawing.Owner{EnvironmentID: environmentID, CustomerID: m.CustomerID, TimeZone: e.Settings.TimeZone}
	content, err := a.Drawer.Draw(ctx, of, doc, document.Paper)
	if err != nil {
		return nil, err
	}
	return &mail.Attachment{Name: documents.FileName(doc) + ".pdf", Type: "application/pdf", Content: content}, nil
}

// papers reads the documents of one environment.
type papers struct {
	ctx           context.Context
	read          db.Reader
	environmentID string
}

func (p papers) invoice(id string) (document.Document, error) {
	inv, err := p.read.Invoices.Get(p.ctx, p.environmentID, id)
	if err != nil {
		return document.Document{}, err
	}
	return document.OfInvoice(inv), nil
}

func (p papers) creditNote(id string) (document.Document, error) {
	note, of, err := creditNote(p.ctx, p.read, p.environmentID, id)
	if err != nil {
		return document.Document{}, err
	}
	return document.OfCreditNote(note, of), nil
}

// receipt reads what a payment paid for. One without an invoice has the present seller and customer: nothing froze
// them.
func (p papers) receipt(id string, seller invoice.Seller) (document.Document, error) {
	paid, err := p.read.Payments.Transaction(p.ctx, p.environmentID, id)
	if err != nil {
		return document.Document{}, err
	}
	of := invoice.Invoice{Seller: seller}
	if paid.InvoiceID != "" {
		of, err = p.read.Invoices.Get(p.ctx, p.environmentID, paid.InvoiceID)
	} else {
		of.Buyer, err = p.buyer(paid.CustomerID)
	}
	if err != nil {
		return document.Document{}, err
	}
	methods, err := p.read.Customers.AllPaymentMethods(p.ctx, p.environmentID, paid.CustomerID)
	if err != nil {
		return document.Document{}, err
	}
	return document.OfPayment(paid, of, document.PaidWith(paid, methods))
}

func (p papers) buyer(customerID string) (invoice.Buyer, error) {
	c, err := p.read.Customers.Get(p.ctx, p.environmentID, customerID)
	return document.BuyerOf(c), err
}

// creditNote reads a credit note and its invoice.
func creditNote(
	ctx context.Context, read db.Reader, env, id string,
) (note creditnote.Note, of invoice.Invoice, err error) {
	if note, err = read.Invoices.CreditNote(ctx, env, id); err != nil {
		return note, of, err
	}
	of, err = read.Invoices.Get(ctx, env, note.InvoiceID)
	return note, of, err
}
