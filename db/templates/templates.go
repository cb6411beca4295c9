package templates

import (
	"context"
	"encoding/json"
	"time"

	"perennial/billing/document"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// Stored is a template with what became of it. Lists have no source, logo and texts.
type Stored struct {
	document.Template

	BuiltIn     bool      // the layout is the built-in one
	Published   bool      // documents that are drawn for the first time are drawn by it
	PublishedAt time.Time // the last time; zero: never
	Failure     Failure   // the last one since; zero: none
	CreatedAt   time.Time
}

// Failure says which document could not be drawn by a template, and why.
type Failure struct {
	At         time.Time
	DocumentID string
	Words      string
}

// Template reads one. Fault: invoice_template_not_found.
func (r Reader) Template(ctx context.Context, environmentID, id string) (Stored, error) {
	row, err := core.Queries.InvoiceTemplateGet(ctx, r.Handle,
		dbsqlc.InvoiceTemplateGetParams{EnvironmentID: environmentID, ID: id})
	return storedFromDB(row.InvoiceTemplate), core.ReadError("invoice_template", err)
}

// LockTemplate reads one and locks it until this transaction ends. Fault: invoice_template_not_found.
func (tx *Tx) LockTemplate(ctx context.Context, environmentID, id string) (Stored, error) {
	row, err := core.Queries.InvoiceTemplateLock(ctx, tx.Pipe,
		dbsqlc.InvoiceTemplateLockParams{EnvironmentID: environmentID, ID: id})
	return storedFromDB(row.InvoiceTemplate), core.ReadError("invoice_template", err)
}

// TemplateWithKey reads key and template in one round trip. Faults: api_key_unknown; invoice_template_not_found, with
// the key.
func (r Reader) TemplateWithKey(ctx context.Context, hash []byte, id string) (core.APIKey, Stored, error) {
	row, err := core.Queries.InvoiceTemplateGetWithKey(ctx, r.Handle,
		dbsqlc.InvoiceTemplateGetWithKeyParams{Hash: hash, ID: id})
	if err != nil {
		key, err := r.WithoutResource(ctx, hash, "invoice_template", err)
		return key, Stored{}, err
	}
	return core.APIKeyFromDB(row.ApiKeyDetail), storedFromDB(row.InvoiceTemplate), nil
}

// List lists an environment's.
func (r Reader) List(
	ctx context.Context, environmentID string, page core.Page,
) (all []Stored, hasMore bool, err error) {
	span, err := r.Bounds(ctx, environmentID, page)
	if err != nil {
		return nil, false, err
	}
	rows, err := core.Queries.InvoiceTemplateList(ctx, r.Lists(), dbsqlc.InvoiceTemplateListParams{
		EnvironmentID: environmentID, Below: span.Below, Above: span.Above, Forward: page.Forward(),
		RowLimit: page.RowLimit(),
	})
	if err != nil {
		return nil, false, core.Translate("InvoiceTemplateList", err)
	}
	all, hasMore = core.Cut(page, rows, func(row dbsqlc.InvoiceTemplateListRow) Stored {
		return Stored{
			Template: document.Template{ID: row.ID, Version: row.Version, Accent: row.Accent}, BuiltIn: row.BuiltIn,
			Published: row.Published, PublishedAt: core.Value(row.PublishedAt),
			Failure:   failureFromDB(row.FailedAt, row.FailedOn, row.Failure),
			CreatedAt: row.CreatedAt,
		}
	})
	return all, hasMore, nil
}

// Count counts an environment's.
func (r Reader) Count(ctx context.Context, environmentID string) (int, error) {
	count, err := core.Queries.InvoiceTemplateCount(ctx, r.Handle, environmentID)
	return count, core.Translate("InvoiceTemplateCount", err)
}

// Insert writes one and returns its version. The environment is locked.
func (tx *Tx) Insert(ctx context.Context, environmentID string, t document.Template) (version int, err error) {
	texts := t.Texts
	if texts == nil {
		texts = document.Texts{}
	}
	written, err := json.Marshal(texts)
	if err != nil {
		return 0, err
	}
	version, err = core.Queries.InvoiceTemplateInsert(ctx, tx.Pipe, dbsqlc.InvoiceTemplateInsertParams{
		EnvironmentID: environmentID, ID: t.ID, Source: t.Source, Accent: t.Accent, LogoType: core.Null(t.Logo.Type),
		Logo: t.Logo.Content, Texts: written, CreatedAt: tx.Real,
	})
	return version, core.Translate("InvoiceTemplateInsert", err)
}

// Publish makes documents that are drawn for the first time be drawn by a template; an empty id: by the built-in one.
// The environment is locked.
func (tx *Tx) Publish(ctx context.Context, environmentID, id string) error {
	if err := core.Queries.InvoiceTemplateUnpublish(ctx, tx.Pipe, environmentID); err != nil || id == "" {
		return err
	}
	return core.Queries.InvoiceTemplatePublish(ctx, tx.Pipe,
		dbsqlc.InvoiceTemplatePublishParams{EnvironmentID: environmentID, ID: id, Now: tx.Real})
}

// Failed notes that a document could not be drawn by a template.
func (tx *Tx) Failed(ctx context.Context, environmentID, id string, f Failure) error {
	return core.Queries.InvoiceTemplateFailed(ctx, tx.Pipe, dbsqlc.InvoiceTemplateFailedParams{
		EnvironmentID: environmentID, ID: id, DocumentID: f.DocumentID, Failure: f.Words, Now: tx.Real,
	})
}

func storedFromDB(row dbsqlc.InvoiceTemplate) Stored {
	return Stored{
		Template: document.Template{
			ID: row.ID, Version: row.Version, Source: row.Source, Accent: row.Accent, Texts: row.Texts,
			Logo: document.Logo{Type: core.Value(row.LogoType), Content: row.Logo},
		},
		BuiltIn: row.Source == "", Published: row.Published, PublishedAt: core.Value(row.PublishedAt),
		Failure: failureFromDB(row.FailedAt, row.FailedOn, row.Failure), CreatedAt: row.CreatedAt,
	}
}

func failureFromDB(at *time.Time, on, words *string) Failure {
	return Failure{At: core.Value(at), DocumentID: core.Value(on), Words: core.Value(words)}
}

// Delete removes one that is not published and that no document keeps, and reports whether it did. It is locked.
func (tx *Tx) Delete(ctx context.Context, environmentID, id string) (bool, error) {
	deleted, err := core.Queries.InvoiceTemplateDelete(ctx, tx.Pipe,
		dbsqlc.InvoiceTemplateDeleteParams{EnvironmentID: environmentID, ID: id})
	return deleted, core.Translate("InvoiceTemplateDelete", err)
}
