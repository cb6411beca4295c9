package documents_test

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/document"
	"perennial/billing/fault"
	"perennial/documents"
	"perennial/documents/paper"
)

// picture is a logo of some pixels.
func picture(t testing.TB, width, height int) document.Logo {
	t.Helper()
	is := image.NewNRGBA(image.Rect(0, 0, width, height))
	for x := range width {
		for y := range height {
			is.Set(x, y, color.NRGBA{R: 10, G: 92, B: 142, A: uint8(55 + 200*x/width)}) //nolint:gosec // at most 255
		}
	}
	var out bytes.Buffer
	require.NoError(t, png.Encode(&out, is))
	return document.Logo{Type: "image/png", Content: out.Bytes()}
}

func design(t testing.TB, of document.Template) *documents.Design {
	t.Helper()
	require.NoError(t, documents.Check(of))
	x, err := documents.ReadTemplate(of)
	require.NoError(t, err)
	return x
}

// textOf is what a PDF says, without spaces.
func textOf(t testing.TB, file []byte) string {
	t.Helper()
	said, _ := ofPDF(t, file, "", func(int, int) []string { return nil })
	return said
}

// Most companies want their logo, their colour and the texts that their law asks for, and no layout of their own.
func TestDesign_LogoColourAndTexts(t *testing.T) {
	t.Parallel()
	x := design(t, document.Template{
		ID: "it_1", Accent: "#0a5c8e", Logo: picture(t, 300, 100), Texts: document.Texts{
			document.Default: {document.Footer: "Acme & Co <Ltd>\nIBAN GB33BUKB20201555555555", document.InvoiceTitle: "Tax invoice"},
			"de":             {document.InvoiceTitle: "Rechnung (Original)"},
			"de-AT":          {document.Footer: "Wien"},
		},
	})
	for locale, said := range map[string][]string{
		"en":    {"Tax invoice", "Acme &amp; Co &lt;Ltd&gt;", "IBAN GB33BUKB20201555555555"},
		"de":    {"Rechnung (Original)", "Acme &amp; Co &lt;Ltd&gt;"},
		"de-AT": {"Rechnung (Original)", "Wien"},
		"ar":    {"Tax invoice"},
	} {
		page, err := x.HTML(documents.Sample(document.Invoice, locale), "", "UTC")
		require.NoError(t, err)
		for _, s := range said {
			require.Contains(t, string(page), s, locale)
		}
		require.Contains(t, string(page), `width="144" height="48" alt="Perennial GmbH"`, "it fills the height")
		require.Contains(t, string(page), "color: #0a5c8e")
	}
	drawn, err := x.PDF(documents.Sample(document.Invoice, "en"), "", "UTC", paper.Fonts{})
	require.NoError(t, err)
	require.Contains(t, textOf(t, drawn), "Taxinvoice")
	require.Contains(t, textOf(t, drawn), "IBANGB33BUKB20201555555555")
	if *folder != "" {
		require.NoError(t, os.WriteFile(filepath.Join(*folder, "own.pdf"), drawn, 0o600))
	}
	again, err := x.PDF(documents.Sample(document.Invoice, "en"), "", "UTC", paper.Fonts{})
	require.NoError(t, err)
	require.Equal(t, drawn, again, "the same bytes each time")
}

// A company's own layout gets the same values, and may not have more than a page of text needs.
func TestDesign_OwnLayout(t *testing.T) {
	t.Parallel()
	own := `<!doctype html><html lang="{{ language }}"><head><title>{{ title }}</title><style>td { padding: 2pt; }</style></head>
<body><h1>{{ title }} {{ texts.motto }}</h1>{% for s in sections %}{% for l in s.lines %}<p>{{ l.description }}: {{ l.amount }}</p>{% endfor %}{% endfor %}
<p>{{ headlineLabel }} <b>{{ headline }}</b></p></body></html>`
	x := design(t, document.Template{ID: "it_1", Source: own, Texts: document.Texts{"default": {"motto": "we <3 bills"}}})
	page, err := x.HTML(documents.Sample(document.Invoice, "de"), "", "UTC")
	require.NoError(t, err)
	require.Contains(t, string(page), "<h1>Rechnung we &lt;3 bills</h1>")
	drawn, err := x.PDF(documents.Sample(document.Invoice, "de"), "", "UTC", paper.Fonts{})
	require.NoError(t, err)
	require.Contains(t, textOf(t, drawn), "Rechnungwe<3bills")
	own = strings.Replace(own, "<style>", "<style>h1 { font-family: Georgia, serif; } p { font: italic 9pt Times }", 1)
	serif := design(t, document.Template{ID: "it_3", Source: own, Texts: document.Texts{"default": {"motto": "we <3 bills"}}})
	_, err = serif.PDF(documents.Sample(document.Invoice, "de"), "", "UTC", paper.Fonts{})
	require.NoError(t, err, "on paper there is one family")
	builtIn := design(t, document.Template{ID: "it_2", Source: documents.BuiltInSource})
	same, err := builtIn.HTML(documents.Sample(document.Invoice, "de"), "", "UTC")
	require.NoError(t, err)
	want, err := documents.HTML(documents.Sample(document.Invoice, "de"), "", "UTC")
	require.NoError(t, err)
	require.Equal(t, string(want), string(same), "the built-in layout is within the bounds of a company's own")
}

func TestCheck_RefusesTemplates(t *testing.T) {
	t.Parallel()
	body := func(s string) document.Template {
		return document.Template{Source: "<html><body>" + s + "</body></html>"}
	}
	big := strings.Repeat("x", document.MaxText+1)
	var asJPEG bytes.Buffer
	require.NoError(t, jpeg.Encode(&asJPEG, image.NewGray(image.Rect(0, 0, 8, 8)), nil))
	wide := picture(t, document.MaxSide+1, 1)
	for name, c := range map[string]struct {
		is           document.Template
		code, detail string
	}{
		"a loop without an end":    {body("\n\n{% for x in lines %}"), "template_invalid", "line 3"},
		"a misspelt value":         {body("\n{{ totl }}"), "template_invalid", "totl"},
		"a text in no language":    {body("{{ texts.motto }}"), "template_invalid", "motto"},
		"a loop for ever":          {body("{% for x in (1..1000000000) %}{% endfor %}"), "template_invalid", "too much"},
		"another file":             {body(`{% include "/etc/passwd" %}`), "template_invalid", "include"},
		"a script":                 {body("<script>alert(1)</script>"), "template_invalid", "<script>"},
		"a script for some":        {body(`{% if kind == "receipt" %}<script>alert(1)</script>{% endif %}`), "template_invalid", "<script>"},
		"a handler":                {body(`<p onclick="alert(1)">x</p>`), "template_invalid", "onclick"},
		"a picture from elsewhere": {body(`<img src="https://example.com/x.png">`), "template_invalid", "<img>"},
		"a link that runs":         {body(`<a href="javascript:alert(1)">x</a>`), "template_invalid", "<a>"},
		"a style that asks":        {body(`<p style="background: url(https://example.com/x)">x</p>`), "template_invalid", "style"},
		"a style with an escape":   {body(`<style>p { background: u\72l(https://example.com/x) }</style>`), "template_invalid", "style"},
		"a style that imports":     {body(`<style>@import "https://example.com/x";</style>`), "template_invalid", "style"},
		"a form":                   {body(`<form action="/"><input name="card"></form>`), "template_invalid", "<form>"},
		"another page":             {body(`<iframe src="https://example.com"></iframe>`), "template_invalid", "<iframe>"},
		"a new place":              {body(`<meta http-equiv="refresh" content="0; url=https://example.com">`), "template_invalid", "http-equiv"},
		"a drawing that runs":      {body(`<svg onload="alert(1)"></svg>`), "template_invalid", "<svg>"},
		"too long":                 {body(strings.Repeat(" ", 128<<10)), "template_invalid", "bytes"},
		"a colour by name":         {document.Template{Accent: "teal"}, "color_malformed", "#0a5c8e"},
		"a colour with a style":    {document.Template{Accent: "#0a5c8e;}"}, "color_malformed", "#0a5c8e"},
		"a logo of another type":   {document.Template{Logo: document.Logo{Type: "image/png", Content: asJPEG.Bytes()}}, "logo_invalid", "image/png"},
		"a logo that is cut off":   {document.Template{Logo: document.Logo{Type: "image/png", Content: wide.Content[:60]}}, "logo_invalid", "logo"},
		"a logo that is too wide":  {document.Template{Logo: wide}, "logo_invalid", "pixels"},
		"a logo that is too large": {document.Template{Logo: document.Logo{Type: "image/png", Content: make([]byte, document.MaxLogo+1)}}, "logo_invalid", "bytes"},
		"a text that is too long":  {document.Template{Texts: document.Texts{"de": {"footer": big}}}, "template_texts_invalid", "bytes"},
		"a text with a bell":       {document.Template{Texts: document.Texts{"de": {"footer": "a\a"}}}, "text_invalid", "texts.de.footer"},
		"a text by a bad name":     {document.Template{Texts: document.Texts{"de": {"a b": "x"}}}, "template_texts_invalid", "malformed"},
	} {
		err := documents.Check(c.is)
		require.Error(t, err, name)
		require.Equal(t, c.code, fault.From(err).Code, name)
		require.Contains(t, err.Error(), c.detail, name)
	}
}
