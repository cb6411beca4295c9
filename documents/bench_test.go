package documents_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/document"
	"perennial/documents"
	"perennial/documents/paper"
)

// with returns the sample with so many lines.
func with(b *testing.B, lines int) document.Document {
	b.Helper()
	i := sample(b, "en")
	for len(i.Lines) < lines {
		i.Lines = append(i.Lines, i.Lines[0])
	}
	return document.OfInvoice(i)
}

func measure(b *testing.B, d document.Document, draw func(document.Document) ([]byte, error)) {
	b.Helper()
	b.ReportAllocs()
	for b.Loop() {
		out, err := draw(d)
		require.NoError(b, err)
		b.SetBytes(int64(len(out)))
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "docs/s")
}

func htmlOf(d document.Document) ([]byte, error) { return documents.HTML(d, "en", "UTC") }
func xmlOf(d document.Document) ([]byte, error)  { return documents.XML(d, "en", "UTC") }
func pdfOf(d document.Document) ([]byte, error) {
	return documents.PDF(d, "en", "UTC", paper.Fonts{})
}

func BenchmarkHTML(b *testing.B)              { measure(b, with(b, 3), htmlOf) }
func BenchmarkXML(b *testing.B)               { measure(b, with(b, 3), xmlOf) }
func BenchmarkPDF(b *testing.B)               { measure(b, with(b, 3), pdfOf) }
func BenchmarkPDF_ThousandLines(b *testing.B) { measure(b, with(b, 1000), pdfOf) }
