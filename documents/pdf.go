package documents

import (
	"cmp"
	"errors"
	"time"

	"perennial/billing/document"
	"perennial/billing/fault"
	"perennial/documents/paper"
)

// PDF returns a document by the built-in design, as Design.PDF does.
func PDF(d document.Document, locale, timeZone string, fonts paper.Fonts) ([]byte, error) {
	return BuiltIn.PDF(d, locale, timeZone, fonts)
}

// ownElements bounds what a company's own layout may have on paper: laying out takes time that grows with it.
const ownElements = 30_000

// noFallback are the fonts of a check: no sample needs others.
var noFallback paper.Fonts

// PDF returns a document as a PDF with the same texts as HTML: PDF/A-3A, tagged, with embedded fonts. The same document
// gives the same bytes each time. An invoice or a credit note whose data allow it has the XML of the electronic
// invoice within (Factur-X). Fault: template_invalid; the time zone or the currency is none.
func (x *Design) PDF(d document.Document, locale, timeZone string, fonts paper.Fonts) ([]byte, error) {
	w, err := x.writer(d, locale, timeZone)
	if err != nil {
		return nil, err
	}
	page, err := w.page(true)
	if err != nil {
		return nil, err
	}
	if x.own {
		page = withFonts(page)
	}
	sheet := paper.Sheet{
		HTML: page, Language: w.lang.Tag, RightLeft: w.lang.RightLeft, Title: w.title() + " " + w.Number, Author: w.Seller.Name,
		At: w.dated(), Footer: func(number, pages int) (string, string) {
			return w.title() + " " + w.Number, w.lang.PageOf(number, pages)
		},
	}
	if x.own {
		sheet.Elements = ownElements
	}
	if w.Kind != document.Receipt {
		if sheet.Invoice, err = w.embedded(); err != nil {
			return nil, err
		}
	}
	if !x.own && x.logo == nil {
		return paper.Draw(sheet, fonts)
	}
	drawn, err := drawOwn(sheet, fonts)
	if err != nil {
		return nil, document.InvalidTemplate(err)
	}
	return drawn, nil
}

// drawOwn draws a sheet with what a company gave. What the library cannot bear is a fault of that.
func drawOwn(s paper.Sheet, fonts paper.Fonts) (drawn []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			drawn, err = nil, errors.New("it cannot be laid out on paper")
		}
	}()
	return paper.Draw(s, fonts)
}

// embedded returns the electronic invoice; nil: the data do not allow one.
func (w writer) embedded() ([]byte, error) {
	xml, err := w.xml()
	var refused *fault.Error
	if errors.As(err, &refused) {
		return nil, nil
	}
	return xml, err
}

// FileName returns a name for the file of a document, without its extension.
func FileName(d document.Document) string {
	name := []rune(string(d.Kind) + "-" + cmp.Or(d.Number, d.ID))
	for i, r := range name {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '.' {
			name[i] = '-'
		}
	}
	return string(name)
}

// dated is the date of the file: that of the document, so that its bytes stay the same. That of a draft is 1970.
func (w writer) dated() time.Time {
	for _, at := range []time.Time{w.IssuedAt, w.PaidAt} {
		if !at.IsZero() {
			return at.UTC()
		}
	}
	return time.Unix(0, 0).UTC()
}
