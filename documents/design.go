package documents

import (
	"bytes"
	"encoding/base64"
	"image"
	"slices"
	"strconv"

	"perennial/billing/document"
	"perennial/documents/template"
	"perennial/documents/words"
)

// Design draws documents by a template. It may be used by several goroutines at a time.
type Design struct {
	layout *template.Template
	of     document.Template
	logo   map[string]string // as templates get it
	own    bool              // the layout is not ours
}

// BuiltIn is the design of environments that have published no template.
var BuiltIn = &Design{layout: builtIn}

// ReadTemplate makes the design of a template. Fault: template_invalid.
func ReadTemplate(t document.Template) (*Design, error) {
	x := &Design{layout: builtIn, of: t, own: t.Source != ""}
	if x.own {
		layout, err := template.Parse(t.Source)
		if err != nil {
			return nil, document.InvalidTemplate(err)
		}
		x.layout = layout
	}
	if len(t.Logo.Content) > 0 {
		x.logo = logoOf(t.Logo)
	}
	return x, nil
}

// The room of a logo, in points: it fills one side of it.
const (
	logoWidth  = 150
	logoHeight = 48
)

func logoOf(l document.Logo) map[string]string {
	is, _, err := image.DecodeConfig(bytes.NewReader(l.Content))
	if err != nil || is.Width == 0 || is.Height == 0 { // it was checked when it was stored
		return nil
	}
	width, height := logoWidth, is.Height*logoWidth/is.Width
	if height > logoHeight {
		width, height = is.Width*logoHeight/is.Height, logoHeight
	}
	return map[string]string{
		"source": "data:" + l.Type + ";base64," + base64.StdEncoding.EncodeToString(l.Content),
		"width":  strconv.Itoa(max(1, width)), "height": strconv.Itoa(max(1, height)),
	}
}

// embeddedFonts are the styles that give each text of a company's own layout a font that the PDF has within: others
// would have to be on the reader's machine.
const embeddedFonts = `<style>@font-face { font-family: Body; src: url("regular.ttf"); }
@font-face { font-family: Body; font-weight: bold; src: url("bold.ttf"); }
* { font-family: Body !important; }</style>`

// withFonts adds them to a page, in its head where it has one.
func withFonts(page []byte) []byte {
	head := bytes.Index(page, []byte("</head>"))
	if head < 0 {
		return append([]byte(embeddedFonts), page...)
	}
	return slices.Insert(page, head, []byte(embeddedFonts)...)
}

// HTML returns a document as a page of its own, in the language and the time zone of its buyer, or else these. It needs
// nothing from elsewhere, and has no script. Fault: template_invalid; the time zone or the currency is none.
func (x *Design) HTML(d document.Document, locale, timeZone string) ([]byte, error) {
	w, err := x.writer(d, locale, timeZone)
	if err != nil {
		return nil, err
	}
	return w.page(false)
}

// Check tries a template with documents of each kind and in each language. Faults: template_invalid, those of
// document.Template.Check.
func Check(t document.Template) error {
	if err := t.Check(); err != nil {
		return err
	}
	x, err := ReadTemplate(t)
	if err != nil {
		return err
	}
	for _, l := range words.Languages {
		if _, err := x.HTML(Sample(document.Invoice, l.Tag), "", "UTC"); err != nil {
			return err
		}
	}
	for _, kind := range []document.Kind{document.Invoice, document.CreditNote, document.Receipt} {
		if _, err := x.HTML(Sample(kind, ""), "", "UTC"); err != nil {
			return err
		}
	}
	_, err = x.PDF(Sample(document.Invoice, ""), "", "UTC", noFallback)
	return err
}
