package document

import (
	"bytes"
	"errors"
	"image"
	_ "image/jpeg" // of logos
	_ "image/png"  // of logos
	"regexp"
	"strings"

	"perennial/billing/fault"
	"perennial/billing/text"
)

// Template is how the documents of an environment look. It never changes: another look is another version. The zero
// value is the built-in look.
type Template struct {
	ID      string
	Version int    // from 1, in the order in which they were made
	Source  string // in the language Liquid; empty: the built-in layout
	Accent  string // the colour of titles and headlines, as #rrggbb; empty: the layout's
	Logo    Logo
	Texts   Texts
}

// Logo is the picture at the top of documents. The zero value is none.
type Logo struct {
	Type    string // image/png or image/jpeg
	Content []byte
}

// Texts are a company's own texts: by language tag, or by Default, and then by name.
type Texts map[string]map[string]string

// Default is the tag of the texts for languages that have none of their own.
const Default = "default"

// The names of texts that the built-in layout shows in place of its own, or in addition to them.
const (
	InvoiceTitle    = "invoiceTitle"
	CreditNoteTitle = "creditNoteTitle"
	ReceiptTitle    = "receiptTitle"
	Footer          = "footer" // may have several lines
)

// The bounds of a template. MaxLogo is in bytes, MaxSide in pixels, MaxText in bytes.
const (
	MaxLogo      = 128 << 10
	MaxSide      = 2000
	MaxLanguages = 40
	MaxTexts     = 50 // of a language
	MaxText      = 2000
)

var (
	colour   = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)
	textName = regexp.MustCompile(`^[a-z][A-Za-z0-9_]{0,39}$`)
)

var errColour = fault.InvalidParam("accentColor", "color_malformed",
	"`accentColor` is malformed. Send a colour as `#` and six hexadecimal digits, such as #0a5c8e.")

// Check refuses a template that no document can be drawn with, as far as that can be told without its source. Faults:
// color_malformed, logo_invalid, template_texts_invalid, those of text.Check.
func (t Template) Check() error {
	var wrong error
	if t.Accent != "" && !colour.MatchString(t.Accent) {
		wrong = errColour
	}
	return fault.Joined(wrong, t.Logo.check(), t.Texts.check())
}

func (l Logo) check() error {
	if len(l.Content) == 0 {
		return nil
	}
	refuse := func(format string, args ...any) error {
		return fault.InvalidParam("logo.data", "logo_invalid", format, args...)
	}
	if len(l.Content) > MaxLogo {
		return refuse("The logo has %d bytes. Send one of at most %d.", len(l.Content), MaxLogo)
	}
	is, format, err := image.DecodeConfig(bytes.NewReader(l.Content))
	switch {
	case err != nil || "image/"+format != l.Type:
		return refuse("The logo is no picture of the type %s. Send a PNG or a JPEG, in base64, with its type.", l.Type)
	case is.Width > MaxSide || is.Height > MaxSide:
		return refuse("The logo has %d × %d pixels. Send one of at most %d × %d.", is.Width, is.Height, MaxSide, MaxSide)
	}
	if _, _, err := image.Decode(bytes.NewReader(l.Content)); err != nil {
		return refuse("The logo is damaged: %v. Send it again.", err)
	}
	return nil
}

func (t Texts) check() error {
	refuse := func(param, format string, args ...any) error {
		return fault.InvalidParam(param, "template_texts_invalid", format, args...)
	}
	if len(t) > MaxLanguages {
		return refuse("texts", "`texts` has %d languages. Send at most %d.", len(t), MaxLanguages)
	}
	var wrong []error
	for tag, texts := range t {
		if len(texts) > MaxTexts {
			wrong = append(wrong, refuse("texts."+tag, "`texts.%s` has %d texts. Send at most %d.", tag, len(texts), MaxTexts))
		}
		for name, said := range texts {
			field := "texts." + tag + "." + name
			switch {
			case !textName.MatchString(name):
				wrong = append(wrong, refuse("texts."+tag, "A name in `texts.%s` is malformed. Begin it with a small letter, and use "+
					"letters, digits and underscores, at most 40.", tag))
			case len(said) > MaxText:
				wrong = append(wrong, refuse(field, "`%s` has %d bytes. Send at most %d.", field, len(said), MaxText))
			default:
				for line := range strings.Lines(said) {
					line = strings.TrimRight(line, "\r\n")
					wrong = append(wrong, text.UnlessEmpty(line, func(s string) error { return text.Check(field, s) }))
				}
			}
		}
	}
	return fault.Joined(wrong...)
}

// In returns the texts for a locale, such as de-AT: its own, then those of its language, then the default ones.
func (t Texts) In(locale string) map[string]string {
	said := map[string]string{}
	language, _, _ := strings.Cut(locale, "-")
	for _, tag := range []string{Default, language, locale} {
		for name, s := range t[tag] {
			said[name] = s
		}
	}
	return said
}

// InvalidTemplate says to the author of a template why no document can be drawn by it.
func InvalidTemplate(reason error) error {
	return fault.InvalidParam("source", "template_invalid", "No document can be drawn by the template: %v.", reason)
}

// TemplateFailed returns the fault of a template by which a document could not be drawn; nil: err is none.
func TemplateFailed(err error) *fault.Error {
	if f := (*fault.Error)(nil); errors.As(err, &f) && f.Code == "template_invalid" {
		return f
	}
	return nil
}
