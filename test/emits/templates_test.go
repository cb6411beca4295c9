package emits

import (
	"perennial/billing/document"
	"perennial/db"
	"perennial/service/templates"
	"perennial/service/usecase"
)

// looks are the operations of invoice templates, each with a function that prepares it.
var looks = map[string]func(*stage) func() error{
	"createInvoiceTemplate": func(s *stage) func() error {
		return func() error { _, err := s.saveTemplate(); return err }
	},
	"publishInvoiceTemplate": func(s *stage) func() error {
		id, err := s.saveTemplate()
		s.must(err)
		return func() error {
			return s.service.Templates.Publish(s.ctx, s.by, id, usecase.Around[db.InvoiceTemplate]{})
		}
	},
	"unpublishInvoiceTemplate": func(s *stage) func() error {
		id, err := s.saveTemplate()
		s.must(err)
		s.must(s.service.Templates.Publish(s.ctx, s.by, id, usecase.Around[db.InvoiceTemplate]{}))
		return func() error {
			return s.service.Templates.Unpublish(s.ctx, s.by, id, usecase.Around[db.InvoiceTemplate]{})
		}
	},
	"deleteInvoiceTemplate": func(s *stage) func() error {
		id, err := s.saveTemplate()
		s.must(err)
		return func() error { return s.service.Templates.Delete(s.ctx, s.by, id, usecase.Around[db.InvoiceTemplate]{}) }
	},
	"previewInvoiceTemplate":    func(s *stage) func() error { return s.previewTemplate(document.Page) },
	"previewInvoiceTemplatePDF": func(s *stage) func() error { return s.previewTemplate(document.Paper) },
}

func (s *stage) saveTemplate() (id string, err error) {
	err = s.service.Templates.Save(s.ctx, s.by, document.Template{Accent: "#0a5c8e"}, false,
		usecase.Around[db.InvoiceTemplate]{After: func(_ *db.Tx, made db.InvoiceTemplate) error {
			id = made.ID
			return nil
		}})
	return id, err
}

func (s *stage) previewTemplate(form document.Form) func() error {
	return func() error {
		_, _, err := s.service.Templates.Preview(s.ctx, s.by, templates.Preview{Sample: document.Invoice, Form: form})
		return err
	}
}
