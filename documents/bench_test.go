package documents_test

import (
	"syscall"
	"testing"
	"time"

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

// measure reports documents by second of a processor: others may use the machine meanwhile.
func measure(b *testing.B, d document.Document, draw func(document.Document) ([]byte, error)) {
	b.Helper()
	b.ReportAllocs()
	_, err := draw(d) // what is made once
	require.NoError(b, err)
	before := processor(b)
	for b.Loop() {
		_, err := draw(d)
		require.NoError(b, err)
	}
	b.ReportMetric(float64(b.N)/(processor(b)-before).Seconds(), "docs/cpu-s")
}

// processor returns the time for which the process has used processors.
func processor(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
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
