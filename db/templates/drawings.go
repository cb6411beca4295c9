package templates

import (
	"context"

	"perennial/billing/document"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// Drawing reads what was drawn of a document last, and the template that it keeps; of a document that was never drawn,
// the published one.
func (r Reader) Drawing(
	ctx context.Context, environmentID, documentID string, form document.Form,
) (document.Drawing, error) {
	row, err := core.Queries.DrawnDocumentGet(ctx, r.Handle, dbsqlc.DrawnDocumentGetParams{
		EnvironmentID: environmentID, DocumentID: documentID, Paper: form == document.Paper,
	})
	return document.Drawing{
		Template: document.Template{
			ID: core.Value(row.ID), Version: core.Value(row.Version),
			Source: core.Value(row.Source), Accent: core.Value(row.Accent),
			Logo: document.Logo{Type: core.Value(row.LogoType), Content: row.Logo}, Texts: row.Texts,
		},
		Digest: row.Digest, Content: row.Content,
	}, core.ReadError("environment", err)
}

// KeepDrawing keeps a drawing of a customer's document, in place of that before, unless the document keeps another
// template than was, or that of the drawing is gone: then kept is false. Of an erased customer it keeps nothing, and
// kept is true.
func (tx *Tx) KeepDrawing(
	ctx context.Context, of document.Place, was string, form document.Form, d document.Drawing,
) (kept bool, err error) {
	p := dbsqlc.DrawnDocumentKeepParams{
		EnvironmentID: of.EnvironmentID, CustomerID: of.CustomerID, DocumentID: of.DocumentID,
		TemplateID: core.Null(d.Template.ID), Was: core.Null(was), Now: tx.Real,
	}
	if form == document.Paper {
		p.PaperDigest, p.Paper = d.Digest, d.Content
	} else {
		p.PageDigest, p.Page = d.Digest, d.Content
	}
	kept, err = core.Queries.DrawnDocumentKeep(ctx, tx.Pipe, p)
	return kept, core.Translate("DrawnDocumentKeep", err)
}
