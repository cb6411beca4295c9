package templates

import (
	"context"

	"perennial/billing/audit"
	"perennial/billing/document"
	"perennial/billing/fault"
	"perennial/db"
	"perennial/documents"
	"perennial/internal/id"
	"perennial/service/usecase"
)

// MaxTemplates bounds the versions that an environment keeps.
const MaxTemplates = 500

var errLimit = fault.New(fault.Conflict, "invoice_template_limit",
	"The environment has %d templates, which is the most. Delete one that no document is drawn by.", MaxTemplates)

// Save keeps a template as a new version, and publishes it if asked. It is tried first, with documents of each kind and
// in each language. Faults: those of documents.Check, template_layout_unsupported, invoice_template_limit.
func (s *Service) Save(
	ctx context.Context, by usecase.Caller, t document.Template, publish bool, around usecase.Around[db.InvoiceTemplate],
) error {
	if err := takes(t); err != nil {
		return err
	}
	return around.Transact(ctx, s.Base, by, func(tx *db.Tx) (made db.InvoiceTemplate, err error) {
		if _, err := tx.Tenancy.LockSettings(ctx, by.EnvironmentID); err != nil {
			return made, err
		}
		count, err := tx.Templates.Count(ctx, by.EnvironmentID)
		if err != nil {
			return made, err
		}
		if count >= MaxTemplates {
			return made, errLimit
		}
		t.ID = id.New(id.InvoiceTemplate, tx.Real)
		if t.Version, err = tx.Templates.Insert(ctx, by.EnvironmentID, t); err != nil {
			return made, err
		}
		tx.AuditMade(t.ID)
		made = db.InvoiceTemplate{Template: t, BuiltIn: t.Source == "", CreatedAt: tx.Real}
		if publish {
			made.Published, made.PublishedAt = true, tx.Real
			err = tx.Templates.Publish(ctx, by.EnvironmentID, t.ID)
		}
		return made, err
	})
}

var errLayout = fault.InvalidParam("source", "template_layout_unsupported",
	"Layouts of your own are not taken yet. Send accentColor, logo and texts, which the built-in layout shows.")

// takes refuses what no document can be drawn by, and layouts of a company's own: they run in this process, which they
// could still keep busy or fill (docs/adr/0093-templates.md).
func takes(t document.Template) error {
	if t.Source != "" {
		return errLayout
	}
	return documents.Check(t)
}

// Publish makes documents that are drawn for the first time be drawn by a template: a new one, or one from before.
// Documents that were drawn keep theirs. Fault: invoice_template_not_found.
func (s *Service) Publish(
	ctx context.Context, by usecase.Caller, templateID string, around usecase.Around[db.InvoiceTemplate],
) error {
	return s.change(ctx, by, templateID, around, func(tx *db.Tx, t *db.InvoiceTemplate) error {
		tx.AuditChanges(audit.Changes("invoice_template", []string{"published"}, nil, nil)...)
		t.Published, t.PublishedAt, t.Failure = true, tx.Real, db.TemplateFailure{}
		return tx.Templates.Publish(ctx, by.EnvironmentID, templateID)
	})
}

// Unpublish makes documents that are drawn for the first time be drawn by the built-in template, where this one is
// published. Fault: invoice_template_not_found.
func (s *Service) Unpublish(
	ctx context.Context, by usecase.Caller, templateID string, around usecase.Around[db.InvoiceTemplate],
) error {
	return s.change(ctx, by, templateID, around, func(tx *db.Tx, t *db.InvoiceTemplate) error {
		if !t.Published {
			return nil
		}
		tx.AuditChanges(audit.Changes("invoice_template", []string{"published"}, nil, nil)...)
		t.Published = false
		return tx.Templates.Publish(ctx, by.EnvironmentID, "")
	})
}

var errUsed = fault.New(fault.Conflict, "invoice_template_used",
	"The template is published, or documents are drawn by it, which keep it. Delete one that was never used.")

// Delete removes a template that nothing is drawn by. Faults: invoice_template_not_found, invoice_template_used.
func (s *Service) Delete(
	ctx context.Context, by usecase.Caller, templateID string, around usecase.Around[db.InvoiceTemplate],
) error {
	return s.change(ctx, by, templateID, around, func(tx *db.Tx, t *db.InvoiceTemplate) error {
		tx.AuditChanges(audit.Changes("invoice_template", []string{"deleted"}, nil, nil)...)
		deleted, err := tx.Templates.Delete(ctx, by.EnvironmentID, templateID)
		if err == nil && !deleted {
			err = errUsed
		}
		return err
	})
}

// change changes one of an environment's templates, one caller after the other.
func (s *Service) change(
	ctx context.Context, by usecase.Caller, templateID string, around usecase.Around[db.InvoiceTemplate],
	do func(tx *db.Tx, t *db.InvoiceTemplate) error,
) error {
	return around.Transact(ctx, s.Base, by, func(tx *db.Tx) (t db.InvoiceTemplate, err error) {
		if _, err := tx.Tenancy.LockSettings(ctx, by.EnvironmentID); err != nil {
			return t, err
		}
		if t, err = tx.Templates.LockTemplate(ctx, by.EnvironmentID, templateID); err != nil {
			return t, err
		}
		return t, do(tx, &t)
	})
}
