package documents_test

import (
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/carlos7ags/folio/core"
	"github.com/carlos7ags/folio/reader"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/document"
	"perennial/billing/einvoice"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/tax"
	"perennial/documents"
	"perennial/documents/paper"
)

// The e-invoices are kept, so that a change of the syntax is seen.
func TestXML_Files(t *testing.T) {
	t.Parallel()
	reverse := sample(t, "nl")
	reverse.TaxExempt, reverse.Tax, reverse.Taxes, reverse.Total, reverse.AmountDue = tax.Reverse, 0, nil, 44995, 41451
	for n := range reverse.Lines {
		reverse.Lines[n].Rates = nil
	}
	for name, d := range map[string]document.Document{
		"invoice.en":     document.OfInvoice(sample(t, "en")),
		"reverse.nl":     document.OfInvoice(reverse),
		"credit-note.en": document.OfCreditNote(note(t, sample(t, "en")), sample(t, "en")),
	} {
		got, err := documents.XML(d, "en", "UTC")
		require.NoError(t, err, name)
		file := filepath.Join("testdata", name+".xml")
		if *update {
			require.NoError(t, os.WriteFile(file, got, 0o600))
		}
		want, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, string(want), string(got), "%s; go test ./documents -update writes it anew", name)
	}
}

// An e-invoice is well formed whatever its texts are, has the totals of its invoice, or names why there is none.
func TestXML_OfAnyDocument(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		d := anyDocument(t)
		got, err := documents.XML(d, "en", "UTC")
		if err != nil {
			require.ErrorContains(t, err, "einvoice_")
			return
		}
		e, err := einvoice.Of(d)
		require.NoError(t, err)
		require.Equal(t, d.Sum(document.Total), e.Gross)
		var base, taxes money.Minor
		for _, one := range e.Taxes {
			base, taxes = base+one.Base, taxes+one.Amount
		}
		require.Equal(t, e.Net, base)
		require.Equal(t, e.Gross, e.Net+taxes)
		require.Equal(t, e.Payable, e.Gross-e.Prepaid)
		decoder := xml.NewDecoder(strings.NewReader(string(got)))
		for err == nil {
			_, err = decoder.Token()
		}
		require.ErrorIs(t, err, io.EOF)
	})
}

// The PDF has the same XML within, under the name that Factur-X gives it.
func TestPDF_HasTheXML(t *testing.T) {
	t.Parallel()
	d := document.OfInvoice(sample(t, "en"))
	want, err := documents.XML(d, "en", "UTC")
	require.NoError(t, err)
	file, err := documents.PDF(d, "en", "UTC", paper.Fonts{})
	require.NoError(t, err)
	require.Contains(t, string(file), "factur-x.xml")
	require.Contains(t, string(file), "/AFRelationship /Alternative")
	parsed, err := reader.Parse(file)
	require.NoError(t, err)
	require.Equal(t, string(want), attached(t, parsed))

	missing := sample(t, "en")
	missing.Seller = invoice.Seller{}
	file, err = documents.PDF(document.OfInvoice(missing), "en", "UTC", paper.Fonts{})
	require.NoError(t, err, "a PDF is drawn without it")
	require.NotContains(t, string(file), "factur-x.xml")
}

// attached returns the first associated file of a PDF.
func attached(t *testing.T, r *reader.PdfReader) string {
	t.Helper()
	resolve := func(o core.PdfObject) core.PdfObject {
		got, err := r.ResolveObject(o)
		require.NoError(t, err)
		return got
	}
	files := resolve(r.Catalog().Get("AF")).(*core.PdfArray)
	spec := resolve(files.At(0)).(*core.PdfDictionary)
	of := resolve(spec.Get("EF")).(*core.PdfDictionary)
	return string(resolve(of.Get("F")).(*core.PdfStream).Data)
}
