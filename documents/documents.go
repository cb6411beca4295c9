// Package documents shows invoices and credit notes to people, from one template. It does not own what a document says
// (billing/document), its words (words), how templates are kept in bounds (template) nor how a page gets onto paper
// (paper).
package documents

import (
	"cmp"
	_ "embed"
	"time"

	"perennial/billing/document"
	"perennial/documents/template"
	"perennial/documents/words"
)

//go:embed document.liquid
var source string

// builtIn is the template of documents for which no other one is published.
var builtIn = func() *template.Template {
	t, err := template.Parse(source)
	if err != nil {
		panic(err)
	}
	return t
}()

// HTML returns a document as a page of its own, in the language and the time zone of its buyer, or else these. It needs
// nothing from elsewhere, and has no script. Fault: the time zone or the currency is none.
func HTML(d document.Document, locale, timeZone string) ([]byte, error) {
	w, err := writerOf(d, locale, timeZone)
	if err != nil {
		return nil, err
	}
	return w.page(false)
}

func writerOf(d document.Document, locale, timeZone string) (writer, error) {
	locale = cmp.Or(d.Locale, locale)
	in, err := time.LoadLocation(cmp.Or(d.TimeZone, timeZone))
	return writer{Document: d, locale: locale, in: in, lang: words.Of(locale)}, err
}

// page returns the page for screens, or that which is laid out on paper: with other styles, and the same texts.
func (w writer) page(paper bool) ([]byte, error) {
	values, err := w.values()
	if err != nil {
		return nil, err
	}
	values["paper"] = paper
	return builtIn.Render(values)
}
