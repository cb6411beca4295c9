package peercases

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestChoose(t *testing.T) {
	t.Parallel()
	s := Suite{
		Readers: map[string]Reader{"add": NewReader(func(*testing.T, struct{ Unit string }, any) {})},
		Excluded: []Exclusion{
			{Flag: "odd", Reason: "odd"},
			{Rule: "days", Kind: "add", Reason: "ours counts seconds"},
			{When: func(c Case) bool { return strings.Contains(string(c.Input), "hour") }, Reason: "no hours"},
		},
	}
	got := s.choose([]Case{
		{ID: "1", Rule: "calendar", Kind: "add", Input: json.RawMessage(`{"unit":"day"}`)},
		{ID: "2", Rule: "days", Kind: "add"},
		{ID: "3", Rule: "days", Kind: "subtract"},
		{ID: "4", Rule: "days", Kind: "add", Flags: []string{"even", "odd"}},
		{ID: "5", Rule: "calendar", Kind: "add", Input: json.RawMessage(`{"unit":"hour"}`)},
		{ID: "6", Rule: "calendar", Kind: "add", Input: json.RawMessage(`{"unit":"day","align":true}`)},
	})
	ids := func(cases []Case) (ids []string) {
		for _, c := range cases {
			ids = append(ids, c.ID)
		}
		return ids
	}
	require.Equal(t, []string{"1"}, ids(got.checked))
	require.Len(t, got.unknown, 2)
	require.Equal(t, []string{"3", "6"}, ids([]Case{got.unknown[0].Case, got.unknown[1].Case}),
		"nobody decided about them")
	require.Equal(t, `has the unknown input field "align"`, got.unknown[1].why)
	require.Equal(t, tally{"days/add: odd": 1, "days/add: ours counts seconds": 1, "calendar/add: no hours": 1},
		got.leftOut)
	require.Equal(t, 3, got.leftOut.total())
	require.Equal(t, "\n     1 calendar/add: no hours\n     1 days/add: odd\n     1 days/add: ours counts seconds",
		got.leftOut.String())
}

func TestCases_OwnAreWellFormed(t *testing.T) {
	t.Parallel()
	files, err := fs.Glob(own, "testdata/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	seen := map[string]bool{}
	for _, file := range files {
		category := strings.TrimSuffix(filepath.Base(file), ".json")
		testdata, err := fs.Sub(own, "testdata")
		require.NoError(t, err)
		for _, c := range read(t, testdata, category) {
			require.Equal(t, category, c.Category, c.ID)
			require.NotEmpty(t, c.Kind, c.ID)
			require.NotEmpty(t, c.Rule, c.ID)
			require.False(t, seen[c.ID], "%s occurs twice", c.ID)
			seen[c.ID] = true
		}
	}
}

// TestFolder_FromVariable sets the environment of the process, so it cannot run in parallel.
func TestFolder_FromVariable(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(dirVariable, dir)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a_periods.json"), []byte(`[{"id":"x","kind":"k","rule":"r"}]`),
		0o600))
	sources := load(t, "a_periods")
	require.Len(t, sources, 2, "our own always run too")
	require.NotEmpty(t, sources[0].cases)
	require.Equal(t, source{dir, []Case{{ID: "x", Kind: "k", Rule: "r"}}}, sources[1])

	t.Setenv(dirVariable, "billing")
	relative, named := folder(t)
	require.True(t, named)
	require.DirExists(t, relative, "relative to the repository, not to the package")
}

// TestFolder_Missing: a clone of the repository alone runs our own cases and is content.
func TestFolder_Missing(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(root, "go.mod"), nil, 0o600))
	t.Setenv(dirVariable, "")
	t.Chdir(root)
	sources := load(t, "a_periods")
	require.Len(t, sources, 1)
	require.NotEmpty(t, sources[0].cases)
}
