package db

import (
	"context"
	"time"

	"perennial/billing/document"
)

// Drawings keeps what is drawn of documents, and each write in a transaction of its own: who reads a document writes
// nothing else.
type Drawings struct {
	store *Store
	now   func() time.Time
}

// NewDrawings returns the drawings of a store; now is the real clock.
func NewDrawings(s *Store, now func() time.Time) Drawings { return Drawings{s, now} }

// Drawing is Templates.Drawing.
func (d Drawings) Drawing(ctx context.Context, of document.Place, form document.Form) (document.Drawing, error) {
	return d.store.Templates.Drawing(ctx, of.EnvironmentID, of.DocumentID, form)
}

// KeepDrawing is that of Templates.
func (d Drawings) KeepDrawing(
	ctx context.Context, of document.Place, was string, form document.Form, drawn document.Drawing,
) (kept bool, err error) {
	err = d.store.InTx(ctx, BySystem("drawing"), d.now(), func(tx *Tx) error {
		kept, err = tx.Templates.KeepDrawing(ctx, of, was, form, drawn)
		return err
	})
	return kept, err
}

// TemplateFailed is Templates.Failed.
func (d Drawings) TemplateFailed(ctx context.Context, of document.Place, templateID, words string) error {
	return d.store.InTx(ctx, BySystem("drawing"), d.now(), func(tx *Tx) error {
		return tx.Templates.Failed(ctx, of.EnvironmentID, templateID,
			TemplateFailure{DocumentID: of.DocumentID, Words: words})
	})
}
