// Package documents shows invoices, credit notes and receipts to people, from one template: the built-in one, or a
// company's own (Design). It does not own what a document says (billing/document), its words (words), how templates are
// kept in bounds (template), how a page gets onto paper (paper) nor what was drawn before (drawing).
package documents

import (
	"cmp"
	_ "embed"
	"time"

	"perennial/billing/document"
	"perennial/documents/template"
	"perennial/documents/words"
)

// BuiltInSource is the layout of documents for which no template is published, in the language Liquid.
//
//go:embed document.liquid
var BuiltInSource string

var builtIn = func() *template.Template {
	t, err := template.Parse(BuiltInSource)
	if err != nil {
		panic(err)
	}
	return t
}()

// HTML returns a document by the built-in design, as Design.HTML does.
func HTML(d document.Document, locale, timeZone string) ([]byte, error) {
	return BuiltIn.HTML(d, locale, timeZone)
}

func (x *Design) writer(d document.Document, locale, timeZone string) (writer, error) {
	locale = cmp.Or(d.Locale, locale)
	in, err := time.LoadLocation(cmp.Or(d.TimeZone, timeZone))
	return writer{
		Document: d, locale: locale, in: in, lang: words.Of(locale), design: x, own: x.of.Texts.In(locale),
	}, err
}

// page returns the page for screens, or that which is laid out on paper: with other styles, and the same texts. Fault:
// template_invalid, of a template that is not ours.
func (w writer) page(paper bool) ([]byte, error) {
	values, err := w.values()
	if err != nil {
		return nil, err
	}
	values["paper"] = paper
	page, err := w.design.layout.Render(values)
	if err == nil && w.design.own {
		err = safe(page)
	}
	if err != nil {
		return nil, document.InvalidTemplate(err)
	}
	return page, nil
}
