package drawing_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/document"
	"perennial/documents"
	"perennial/documents/drawing"
	"perennial/documents/paper"
)

// shelf keeps drawings in memory.
type shelf struct {
	mu        sync.Mutex
	published document.Template
	kept      map[string]map[document.Form]document.Drawing
	template  map[string]document.Template
	failed    []string
	before    func() // a write
}

func (s *shelf) Drawing(_ context.Context, of document.Place, form document.Form) (document.Drawing, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.kept[of.DocumentID][form]
	d.Template = s.published
	if by, ok := s.template[of.DocumentID]; ok {
		d.Template = by
	}
	return d, nil
}

func (s *shelf) KeepDrawing(
	_ context.Context, of document.Place, was string, form document.Form, d document.Drawing,
) (bool, error) {
	if before := s.before; before != nil {
		s.before = nil
		before()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if by, ok := s.template[of.DocumentID]; ok && by.ID != was {
		return false, nil
	}
	if s.kept == nil {
		s.kept, s.template = map[string]map[document.Form]document.Drawing{}, map[string]document.Template{}
	}
	if s.kept[of.DocumentID] == nil {
		s.kept[of.DocumentID] = map[document.Form]document.Drawing{}
	}
	s.template[of.DocumentID], s.kept[of.DocumentID][form] = d.Template, d
	return true, nil
}

func (s *shelf) TemplateFailed(_ context.Context, of document.Place, templateID, words string) error {
	s.failed = append(s.failed, of.DocumentID+" by "+templateID+": "+words)
	return nil
}

func titled(id, title string) document.Template {
	return document.Template{ID: id, Texts: document.Texts{document.Default: {document.InvoiceTitle: title}}}
}

var owner = drawing.Owner{EnvironmentID: "env_1", CustomerID: "cus_1", TimeZone: "UTC"}

func draw(t *testing.T, x *drawing.Drawer, d document.Document) string {
	t.Helper()
	page, err := x.Draw(t.Context(), owner, d, document.Page)
	require.NoError(t, err)
	return string(page)
}

// The same invoice has the same look and the same bytes next year, whatever was published since; a draft has the look
// of the day.
func TestDraw_KeepsTheFirstTemplate(t *testing.T) {
	t.Parallel()
	s := &shelf{published: titled("it_1", "First look")}
	x := drawing.New(s, paper.Fonts{})
	invoice := documents.Sample(document.Invoice, "en")
	draft := invoice
	draft.State, draft.ID = document.Draft, "in_2"
	first := draw(t, x, invoice)
	require.Contains(t, first, "First look")
	require.Contains(t, draw(t, x, draft), "First look")

	s.published = titled("it_2", "Second look")
	require.Equal(t, first, draw(t, x, invoice))
	require.Contains(t, draw(t, x, draft), "Second look")
	require.NotContains(t, s.kept, "in_2")
	kept := s.kept[invoice.ID][document.Page]
	kept.Content = []byte("as an older version of the program drew it")
	s.kept[invoice.ID][document.Page] = kept
	require.Equal(t, string(kept.Content), draw(t, x, invoice), "what was drawn is not drawn anew")

	paid := invoice
	paid.State = document.Paid
	require.Contains(t, draw(t, x, paid), "First look", "it shows something else now, in the same look")
	require.Contains(t, draw(t, drawing.New(s, paper.Fonts{}), paid), "First look")
}

// No invoice waits for a template that fails, and somebody is told.
func TestDraw_FailingTemplate(t *testing.T) {
	t.Parallel()
	own := `<html><body>{% if state == "paid" %}<script></script>{% endif %}{{ title }}</body></html>`
	s := &shelf{published: document.Template{ID: "it_1", Source: own}}
	x := drawing.New(s, paper.Fonts{})
	invoice := documents.Sample(document.Invoice, "en")
	require.Equal(t, "<html><body>Invoice</body></html>", draw(t, x, invoice))
	invoice.State = document.Paid
	builtIn, err := documents.HTML(invoice, "", "UTC")
	require.NoError(t, err)
	require.Equal(t, string(builtIn), draw(t, x, invoice))
	require.Equal(t, string(builtIn), draw(t, x, invoice))
	require.Equal(t, []string{
		"in_1 by it_1: No document can be drawn by the template: <script> is not allowed.",
	}, s.failed, "once: the document keeps the built-in look")

	s.published = document.Template{ID: "it_2", Source: "{% nothing %}"}
	invoice.ID = "in_2"
	require.Equal(t, string(builtIn), draw(t, x, invoice), "also one that an older version of the program took")
	require.Len(t, s.failed, 2)
}

// Two who draw a document for the first time give it one look.
func TestDraw_TwoAtOnce(t *testing.T) {
	t.Parallel()
	s := &shelf{published: titled("it_1", "First look")}
	x := drawing.New(s, paper.Fonts{})
	invoice := documents.Sample(document.Invoice, "en")
	s.before = func() {
		s.published = titled("it_2", "Second look")
		require.Contains(t, draw(t, x, invoice), "Second look")
	}
	require.Contains(t, draw(t, x, invoice), "Second look")
}

func TestDigest(t *testing.T) {
	t.Parallel()
	d := documents.Sample(document.Invoice, "en")
	of := func(d document.Document, form document.Form, setting ...string) string {
		sum, err := d.Digest(form, setting...)
		require.NoError(t, err)
		return string(sum)
	}
	base := of(d, document.Page, "UTC")
	require.Equal(t, base, of(d, document.Page, "UTC"))
	paid := d
	paid.State = document.Paid
	for name, other := range map[string]string{
		"another state": of(paid, document.Page, "UTC"), "another form": of(d, document.Paper, "UTC"),
		"another zone": of(d, document.Page, "Europe/Paris"),
	} {
		require.NotEqual(t, base, other, name)
	}
}
