package documents_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/carlos7ags/folio/reader"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"perennial/billing/document"
	"perennial/billing/invoice"
	"perennial/documents"
	"perennial/documents/paper"
	"perennial/documents/words"
	"perennial/internal/testkit"
)

// squeezed returns a text without white space and marks of direction: pages break lines in their own ways. Forms of
// Arabic letters are the letters.
func squeezed(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, norm.NFKC.String(s))
}

// ofHTML returns the text of a page.
func ofHTML(t require.TestingT, page []byte) string {
	var out strings.Builder
	tokens := html.NewTokenizer(bytes.NewReader(page))
	within := false
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			return squeezed(out.String())
		case html.StartTagToken:
			name, _ := tokens.TagName()
			require.NotContains(t, []string{"script", "img", "link", "iframe", "object", "base", "form"}, string(name))
			within = within || string(name) == "body"
		case html.TextToken:
			if within {
				out.Write(tokens.Text())
			}
		default:
		}
	}
}

// ofPDF returns the text of a PDF without what each page repeats: the foot, and the head of the table.
func ofPDF(t require.TestingT, file []byte, head string, foot func(page, pages int) []string) (text string, pages int) {
	r, err := reader.Parse(file)
	require.NoError(t, err)
	for n := range r.PageCount() {
		page, err := r.Page(n)
		require.NoError(t, err)
		all, err := page.ExtractText()
		require.NoError(t, err)
		one := squeezed(all)
		for _, f := range foot(n+1, r.PageCount()) {
			at := strings.LastIndex(one, f)
			require.GreaterOrEqual(t, at, 0, "the foot of page %d: %s in %s", n+1, f, one)
			one = one[:at] + one[at+len(f):]
		}
		if n > 0 {
			one = strings.TrimPrefix(one, head)
		}
		text += one
	}
	return text, r.PageCount()
}

// sameText fails where the PDF of a document says anything else than its page. Where a text runs from the right, the
// reader of PDFs returns it as it is drawn, so that the letters are compared in any order.
func sameText(t require.TestingT, d document.Document) (pages int) {
	page, err := documents.HTML(d, "en", "UTC")
	require.NoError(t, err)
	file, err := documents.PDF(d, "en", "UTC", paper.Fonts{})
	require.NoError(t, err)
	again, err := documents.PDF(d, "en", "UTC", paper.Fonts{})
	require.NoError(t, err)
	require.True(t, bytes.Equal(file, again), "the same bytes each time")

	l := words.Of(d.Locale)
	title := map[document.Kind]string{
		document.Invoice: l.Invoice, document.CreditNote: l.CreditNote, document.Receipt: l.Receipt,
	}[d.Kind]
	head := squeezed(l.Description + l.Quantity + l.Price + l.Sum)
	foot := func(n, of int) []string { return []string{squeezed(l.PageOf(n, of)), squeezed(title + d.Number)} }
	want := ofHTML(t, page)
	if !l.RightLeft && !strings.ContainsFunc(want, func(r rune) bool { return unicode.Is(unicode.Arabic, r) }) {
		got, pages := ofPDF(t, file, head, foot)
		require.Equal(t, want, got)
		return pages
	}
	got, pages := ofPDF(t, file, "", func(int, int) []string { return nil })
	for n := range pages {
		want += strings.Join(foot(n+1, pages), "")
		if n > 0 && strings.Count(sorted(got), "") > strings.Count(sorted(want), "") {
			want += head
		}
	}
	require.Equal(t, sorted(want), sorted(got))
	return pages
}

func sorted(s string) string {
	runes := []rune(s)
	slices.Sort(runes)
	return string(runes)
}

// The seeds count from one, so that each run draws the same documents first.
func TestPDF_SaysWhatThePageSays(t *testing.T) {
	t.Parallel()
	documents := rapid.Custom(anyDocument)
	for seed := range testkit.Scale(12, 1000) {
		sameText(seeded{t, seed}, documents.Example(seed))
	}
}

// seeded names the seed of what fails.
type seeded struct {
	*testing.T

	seed int
}

func (s seeded) Errorf(format string, args ...any) {
	s.Helper()
	s.T.Errorf("seed %d: "+format, append([]any{s.seed}, args...)...)
}

func TestPDF_Languages(t *testing.T) {
	t.Parallel()
	for _, l := range words.Languages {
		require.Equal(t, 1, sameText(t, document.OfInvoice(sample(t, l.Tag))), l.Tag)
	}
}

// A price with all tiers, and lines of as many as an invoice has: nothing leaves the paper.
func TestPDF_Long(t *testing.T) {
	t.Parallel()
	i := sample(t, "de")
	for range 100 {
		i.Lines[1].Explanation.Steps = append(i.Lines[1].Explanation.Steps, invoice.Step{Quantity: "1", UnitPrice: "2", Amount: "2"})
	}
	for range 120 {
		i.Lines = append(i.Lines, i.Lines[0])
	}
	require.Greater(t, sameText(t, document.OfInvoice(i)), 4)
}

func TestPDF_OfADraftHasADate(t *testing.T) {
	t.Parallel()
	i := sample(t, "en")
	i.Status, i.Number, i.NumberText, i.IssuedAt, i.DueAt = invoice.InDraft, 0, "", time.Time{}, time.Time{}
	sameText(t, document.OfInvoice(i))
}
