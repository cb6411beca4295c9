package documents_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/carlos7ags/folio/reader"
	"github.com/stretchr/testify/require"

	"perennial/billing/document"
	"perennial/billing/tax"
	"perennial/documents"
	"perennial/documents/paper"
)

var folder = flag.String("pdf", "", "write PDFs to look at into this `folder`: pdftoppm -png makes pictures of them")

func TestPDF_Pages(t *testing.T) {
	t.Parallel()
	reverse := sample(t, "nl")
	reverse.TaxExempt, reverse.Tax, reverse.Taxes, reverse.Total, reverse.AmountDue = tax.Reverse, 0, nil, 44995, 41451
	for n := range reverse.Lines {
		reverse.Lines[n].Rates = nil
	}
	long := sample(t, "en")
	for range 90 {
		long.Lines = append(long.Lines, long.Lines[0])
	}
	note := document.OfCreditNote(note(t, sample(t, "en")), reverse)
	note.Exempt, note.Notes, note.Taxes = tax.Reverse, []document.Note{document.ReverseCharge}, nil
	for name, c := range map[string]struct {
		document.Document

		pages int
	}{
		"en": {document.OfInvoice(sample(t, "en")), 1}, "de": {document.OfInvoice(sample(t, "de")), 1},
		"ar": {document.OfInvoice(sample(t, "ar")), 1}, "note": {note, 1}, "long": {document.OfInvoice(long), 4},
	} {
		got, err := documents.PDF(c.Document, "en", "UTC", paper.Fonts{})
		require.NoError(t, err, name)
		parsed, err := reader.Parse(got)
		require.NoError(t, err, name)
		require.Equal(t, c.pages, parsed.PageCount(), name)
		if *folder != "" {
			require.NoError(t, os.WriteFile(filepath.Join(*folder, name+".pdf"), got, 0o600))
		}
	}
}
