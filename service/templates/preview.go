package templates

import (
	"context"
	"strings"

	"perennial/billing/document"
	"perennial/billing/fault"
	"perennial/db"
	"perennial/documents"
	"perennial/documents/paper"
	"perennial/internal/id"
	"perennial/service/usecase"
)

// Preview asks for a document by a template that need not be stored.
type Preview struct {
	TemplateID string            // of a stored one; empty: Template
	Template   document.Template // the zero value: the built-in one
	DocumentID string            // of an invoice or a credit note; empty: a sample
	Sample     document.Kind     // of the sample
	Locale     string            // of the sample
	Form       document.Form
	Fonts      paper.Fonts // of a PDF
}

var errDocument = fault.InvalidParam("documentId", "document_unknown",
	"`documentId` is no invoice and no credit note. Send an ID that begins with in_ or cn_, or none for a sample.")

// Preview draws a document by a template, and keeps nothing. Faults: those of Save, document_unknown,
// invoice_template_not_found, invoice_not_found, credit_note_not_found.
func (s *Service) Preview(ctx context.Context, by usecase.Caller, p Preview) (document.Document, []byte, error) {
	if err := takes(p.Template); err != nil {
		return document.Document{}, nil, err
	}
	if p.TemplateID != "" {
		stored, err := s.Store.Templates.Template(ctx, by.EnvironmentID, p.TemplateID)
		if err != nil {
			return document.Document{}, nil, usecase.InParam(err, "templateId")
		}
		p.Template = stored.Template
	}
	design, err := documents.ReadTemplate(p.Template)
	if err != nil {
		return document.Document{}, nil, err
	}
	d, err := s.document(ctx, by, p)
	if err != nil {
		return d, nil, usecase.InParam(err, "documentId")
	}
	var drawn []byte
	if p.Form == document.Paper {
		drawn, err = design.PDF(d, p.Locale, by.TimeZone, p.Fonts)
	} else {
		drawn, err = design.HTML(d, p.Locale, by.TimeZone)
	}
	return d, drawn, err
}

// document returns what a preview shows: a sample has the environment's own seller.
func (s *Service) document(ctx context.Context, by usecase.Caller, p Preview) (document.Document, error) {
	switch {
	case strings.HasPrefix(p.DocumentID, id.Invoice):
		of, err := s.Store.Invoices.Get(ctx, by.EnvironmentID, p.DocumentID)
		return document.OfInvoice(of), err
	case strings.HasPrefix(p.DocumentID, id.CreditNote):
		note, err := s.Store.Invoices.CreditNote(ctx, by.EnvironmentID, p.DocumentID)
		if err != nil {
			return document.Document{}, err
		}
		return db.CreditNoteDocument(ctx, s.Store.Reader, by.EnvironmentID, note)
	case p.DocumentID != "":
		return document.Document{}, errDocument
	}
	environment, err := s.Store.Tenancy.Environment(ctx, by.EnvironmentID)
	d := documents.Sample(p.Sample, p.Locale)
	if seller := environment.Settings.Seller; seller.Name != "" {
		d.Seller = seller
	}
	return d, err
}
