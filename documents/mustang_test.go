package documents_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/document"
	"perennial/billing/einvoice"
	"perennial/documents"
	"perennial/documents/paper"
	"perennial/internal/testkit"
)

var mustangError = regexp.MustCompile(`<(?:error|exception)\b[^>]*>[^<]*`)

// Mustang, which others use to check what they receive, finds no error in e-invoices and in the PDFs that carry them. It
// needs Java, so that only soak tests run it.
func TestXML_Mustang(t *testing.T) {
	t.Parallel()
	want := testkit.Scale(0, 30)
	if want == 0 {
		return
	}
	jar, err := exec.CommandContext(t.Context(), "../.ci/mustang").Output()
	require.NoError(t, err)
	dir := t.TempDir()
	var files []string
	write := func(d document.Document) {
		xml, err := documents.XML(d, "en", "UTC")
		require.NoError(t, err)
		pdf, err := documents.PDF(d, "en", "UTC", paper.Fonts{})
		require.NoError(t, err)
		for ending, content := range map[string][]byte{"xml": xml, "pdf": pdf} {
			files = append(files, filepath.Join(dir, fmt.Sprintf("%d.%s", len(files), ending)))
			require.NoError(t, os.WriteFile(files[len(files)-1], content, 0o600))
		}
	}
	write(document.OfInvoice(sample(t, "en")))
	write(document.OfCreditNote(note(t, sample(t, "de")), sample(t, "de")))
	kinds := map[string]int{}
	for seed := 0; len(files) < 2*want; seed++ {
		d := rapid.Custom(anyDocument).Example(seed)
		e, err := einvoice.Of(d)
		if err != nil {
			continue
		}
		kinds[string(d.Kind)+" "+string(e.Taxes[0].Category)]++
		write(d)
	}
	t.Log(kinds)
	java := exec.CommandContext(t.Context(), "java", append([]string{
		"-cp", strings.TrimSpace(string(jar)), "testdata/mustang/Validate.java",
	}, files...)...)
	out, err := java.CombinedOutput()
	require.NoError(t, err, "%s", out)
	for _, file := range files {
		report, err := os.ReadFile(file + ".report")
		require.NoError(t, err)
		require.Empty(t, mustangError.FindAllString(string(report), -1), file)
		require.Contains(t, string(report), `summary status="valid"`)
	}
}
