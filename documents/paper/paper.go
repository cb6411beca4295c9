// Package paper lays pages of HTML out on paper: as PDF/A-3A, tagged for screen readers, with embedded fonts, and
// without a look at the network or at any file but the fonts. It does not own what the pages say (documents).
package paper

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"time"

	"github.com/carlos7ags/folio/document"
	folio "github.com/carlos7ags/folio/html"
)

// Sheet is what a PDF is made of. Two equal sheets give the same bytes.
type Sheet struct {
	HTML      []byte
	Language  string // BCP 47
	RightLeft bool   // it is written from the right
	Title     string
	Author    string
	At        time.Time // the date of the document
	// Footer returns the two texts at the foot of a page.
	Footer func(number, pages int) (start, end string)
	// Elements bounds the elements of the page; 0: as many as an invoice of ours may have.
	Elements int
	// Invoice is the XML of the electronic invoice that is within; nil: none.
	Invoice []byte
}

// The bounds of a page: of its elements, and of their depth.
const (
	maxElements = 200_000
	maxDepth    = 64
)

// Draw draws a sheet. It fails where a page refers to anything but its fonts.
func Draw(s Sheet, fonts Fonts) ([]byte, error) {
	builtIn, err := face()
	if err != nil {
		return nil, err
	}
	if fonts.Fallback != "" {
		s.HTML = widened(s.HTML, builtIn)
	}
	doc := document.NewDocument(document.PageSizeA4)
	doc.Info = document.Info{
		Title: s.Title, Author: s.Author, Creator: "Perennial", Producer: "Perennial", Language: s.Language,
		CreationDate: s.At, ModDate: s.At,
	}
	doc.SetTagged(true)
	doc.SetActualText(true)
	doc.SetPdfA(conformance(s))
	id := sha256.Sum256(append(bytes.Clone(s.HTML), s.Invoice...))
	doc.SetFileID(id[:16])
	if s.Invoice != nil {
		doc.AttachFile(attachment(s))
	}
	// Without a fallback the library looks for fonts of the machine, and the same document has other bytes elsewhere.
	err = doc.AddHTML(string(s.HTML), &folio.Options{
		BaseFS: fonts.files(), FallbackFontPath: regular, StrictAssets: true,
		MaxElements: cmp.Or(s.Elements, maxElements), MaxDepth: maxDepth,
		PageWidth: document.PageSizeA4.Width, PageHeight: document.PageSizeA4.Height,
	})
	if err != nil {
		return nil, err
	}
	s.foot(doc, builtIn)
	return doc.ToBytes()
}
