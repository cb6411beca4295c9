package db_test

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pressly/goose/v3"
	"github.com/stretchr/testify/require"

	"perennial/db"
)

var update = flag.Bool("update", false, "write the list of docs/operations.md anew")

const (
	// steppingBack begins a migration's text about earlier builds, which run on its tables. Indented comment lines
	// continue it.
	steppingBack = "-- Stepping back: "
	continued    = "--   "
	// everyMigration from this one on says it: a date or a state that builds from before do not know is left alone by them
	// in silence.
	everyMigration = 134
	listBegins     = "<!-- Written by make generate from the migrations. -->\n\n"
	listEnds       = "\n<!-- End of what is generated. -->"
)

// docs/operations.md lists what not to step back with, as the migrations say it.
func TestMigrations_SayWhatToMindWhenSteppingBack(t *testing.T) {
	t.Parallel()
	names, err := fs.Glob(db.Migrations(), "*.sql")
	require.NoError(t, err)
	var list strings.Builder
	for i := len(names) - 1; i >= 0; i-- {
		said := saidOf(t, names[i])
		version, err := goose.NumericComponent(names[i])
		require.NoError(t, err)
		if version >= everyMigration {
			require.NotEmpty(t, said, "%s does not say what to mind when stepping back to a build from before it", names[i])
		}
		if said != "" && said != "nothing." {
			list.WriteString("- `" + strings.TrimSuffix(names[i], ".sql") + "`: " + said + "\n")
		}
	}
	path := filepath.Join("..", "docs", "operations.md")
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(raw), listBegins)
	require.True(t, found)
	was, after, found := strings.Cut(rest, listEnds)
	require.True(t, found)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(before+listBegins+list.String()+listEnds+after), 0o644)) //nolint:gosec // a document
		return
	}
	require.Equal(t, list.String(), was, "run make generate")
}

// saidOf returns a migration's text about earlier builds.
func saidOf(t *testing.T, name string) string {
	t.Helper()
	raw, err := fs.ReadFile(db.Migrations(), name)
	require.NoError(t, err)
	_, rest, found := strings.Cut("\n"+string(raw), "\n"+steppingBack)
	if !found {
		return ""
	}
	lines := strings.Split(rest, "\n")
	said := lines[0]
	for _, line := range lines[1:] {
		more, goesOn := strings.CutPrefix(line, continued)
		if !goesOn {
			break
		}
		said += " " + more
	}
	return said
}
