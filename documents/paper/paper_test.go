package paper_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/carlos7ags/folio/reader"
	"github.com/go-fonts/dejavu/dejavusans"
	"github.com/stretchr/testify/require"

	"perennial/documents/paper"
)

func sheet(text string) paper.Sheet {
	return paper.Sheet{
		HTML: []byte(`<!doctype html><html lang="en"><head><title>x</title><style>
@font-face { font-family: Body; src: url("regular.ttf"); }
body { font-family: Body; }
</style></head><body><p>` + text + `</p></body></html>`),
		Language: "en", Title: "Invoice 1", At: time.Unix(0, 0).UTC(),
		Footer: func(int, int) (string, string) { return "Invoice 1", "1" },
	}
}

// A page reaches its fonts, and nothing else of the machine or the network.
func TestDraw_ReachesNothingElse(t *testing.T) {
	t.Parallel()
	secret := filepath.Join(t.TempDir(), "secret.png")
	require.NoError(t, os.WriteFile(secret, []byte("secret"), 0o600))
	for _, source := range []string{secret, "../secret.png", "http://127.0.0.1:1/a.png", "file://" + secret, "other.ttf"} {
		_, err := paper.Draw(sheet(`<img src="`+source+`">`), paper.Fonts{})
		require.Error(t, err, source)
	}
}

// The configured font is read for characters that the built-in one lacks, and for no others.
func TestDraw_ConfiguredFont(t *testing.T) {
	t.Parallel()
	absent := paper.Fonts{Fallback: filepath.Join(t.TempDir(), "absent.ttf")}
	_, err := paper.Draw(sheet("Åsa Ελλάς Ромашка مرحبا"), absent)
	require.NoError(t, err)
	_, err = paper.Draw(sheet("株式会社"), absent)
	require.ErrorIs(t, err, fs.ErrNotExist)

	present := paper.Fonts{Fallback: filepath.Join(t.TempDir(), "present.ttf")}
	require.NoError(t, os.WriteFile(present.Fallback, dejavusans.TTF, 0o600))
	drawn, err := paper.Draw(sheet("A 株 &amp; B"), present)
	require.NoError(t, err)
	without, err := paper.Draw(sheet("A 株 &amp; B"), paper.Fonts{})
	require.NoError(t, err, "boxes are drawn without one")
	require.NotEqual(t, without, drawn)
	parsed, err := reader.Parse(drawn)
	require.NoError(t, err)
	require.Equal(t, 1, parsed.PageCount())
}
