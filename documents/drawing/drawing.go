// Package drawing draws the documents of environments: each by the template that it was drawn by first, and with the
// same bytes until what it shows changes. It does not own how documents look (documents) nor where drawings are kept
// (Shelf).
package drawing

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"

	"perennial/billing/document"
	"perennial/billing/fault"
	"perennial/documents"
	"perennial/documents/paper"
)

// Owner is whose document it is.
type Owner struct {
	EnvironmentID string
	CustomerID    string
	TimeZone      string // of the environment
}

// Shelf keeps templates and drawings.
type Shelf interface {
	// Drawing reads what was drawn of a document last.
	Drawing(ctx context.Context, of document.Place, form document.Form) (document.Drawing, error)
	// KeepDrawing keeps a drawing of a document, and reports false where it keeps another template than was.
	KeepDrawing(ctx context.Context, of document.Place, was string, form document.Form, d document.Drawing) (bool, error)
	// TemplateFailed notes that a document could not be drawn by a template.
	TemplateFailed(ctx context.Context, of document.Place, templateID, words string) error
}

// Drawer draws documents. It may be used by several goroutines at a time.
type Drawer struct {
	shelf   Shelf
	fonts   paper.Fonts
	designs designs
}

// New makes a drawer.
func New(shelf Shelf, fonts paper.Fonts) *Drawer { return &Drawer{shelf: shelf, fonts: fonts} }

// errRepeated: two templates were published in the moment in which a document was drawn first, again and again.
var errRepeated = errors.New("drawing: the template of the document changes with each attempt")

// Draw returns a document in a form. A draft is drawn by the published template each time. Any other document keeps the
// template of its first drawing, and its drawing until it shows something else. Where the template fails, the document
// is drawn by the built-in one from then on, so that nobody waits for it.
func (x *Drawer) Draw(ctx context.Context, of Owner, d document.Document, form document.Form) ([]byte, error) {
	digest, err := d.Digest(form, cmp.Or(d.TimeZone, of.TimeZone), strconv.FormatBool(x.fonts.Fallback != ""))
	if err != nil {
		return nil, err
	}
	place := document.Place{EnvironmentID: of.EnvironmentID, CustomerID: of.CustomerID, DocumentID: d.ID}
	for range 3 {
		kept, err := x.shelf.Drawing(ctx, place, form)
		if err != nil {
			return nil, err
		}
		if d.State != document.Draft && bytes.Equal(kept.Digest, digest) {
			return kept.Content, nil
		}
		was := kept.Template.ID
		content, failed, err := x.drawn(kept.Template, of, d, form)
		if err != nil {
			return nil, err
		}
		if failed != nil {
			kept.Template = document.Template{}
			if err := x.shelf.TemplateFailed(ctx, place, was, clipped(failed.Detail)); err != nil {
				return nil, err
			}
		}
		if d.State == document.Draft {
			return content, nil
		}
		kept.Digest, kept.Content = digest, content
		if ok, err := x.shelf.KeepDrawing(ctx, place, was, form, kept); ok || err != nil {
			return content, err
		}
	}
	return nil, errRepeated
}

// drawn draws a document by a template, or by the built-in one where that fails.
func (x *Drawer) drawn(
	by document.Template, of Owner, d document.Document, form document.Form,
) (content []byte, failed *fault.Error, err error) {
	design, err := x.designs.of(by)
	if err == nil {
		content, err = x.in(design, of, d, form)
	}
	if failed = document.TemplateFailed(err); failed != nil {
		content, err = x.in(documents.BuiltIn, of, d, form)
	}
	return content, failed, err
}

func (x *Drawer) in(by *documents.Design, of Owner, d document.Document, form document.Form) ([]byte, error) {
	if form == document.Paper {
		return by.PDF(d, "", of.TimeZone, x.fonts)
	}
	return by.HTML(d, "", of.TimeZone)
}

// clipped returns the words of a failure as a row takes them.
func clipped(words string) string {
	const most = 300
	words = strings.ReplaceAll(strings.ToValidUTF8(words, "�"), "\x00", "�")
	if runes := []rune(words); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return words
}
