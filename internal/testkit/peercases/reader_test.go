package peercases

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

type addInput struct {
	At    string
	Items []struct{ Key string }
}

func TestReader_UnknownField(t *testing.T) {
	t.Parallel()
	reader := NewReader(func(*testing.T, addInput, any) {})
	unknown := func(input string) string { return reader.unknownField(Case{Input: json.RawMessage(input)}) }
	for input, field := range map[string]string{
		`{"at":"2026-01-31"}`:                       "",
		`{"at":"2026-01-31","items":[{"key":"A"}]}`: "",
		`{"at":"2026-01-31","align":true}`:          "align",
		`{"align":null,"at":"2026-01-31"}`:          "align",
		`{"items":[{"key":"A","weight":"1"}]}`:      "weight",
	} {
		if field != "" {
			field = fmt.Sprintf("input field %q", field)
		}
		require.Equal(t, field, unknown(input), input)
	}
}

// A result that is not compared would count as right.
func TestReader_UnknownExpectedField(t *testing.T) {
	t.Parallel()
	type sum struct {
		Total int
		Lines []struct{ Amount int }
	}
	reader := NewReader(func(*testing.T, addInput, sum) {})
	for expected, field := range map[string]string{
		`{"total":1}`: "", `{"lines":[{"amount":1}]}`: "", `{}`: "",
		`{"total":1,"tax":0}`:                   `expected field "tax"`,
		`{"lines":[{"amount":1,"unit":"day"}]}`: `expected field "unit"`,
	} {
		c := Case{Input: json.RawMessage(`{"at":"2026-01-31"}`), Expected: json.RawMessage(expected)}
		require.Equal(t, field, reader.unknownField(c), expected)
	}
}

func TestChoose_ReaderOfRule(t *testing.T) {
	t.Parallel()
	s := Suite{Readers: map[string]Reader{
		"add":      NewReader(func(*testing.T, struct{ At string }, any) {}),
		"days/add": NewReader(func(*testing.T, struct{ Day int }, any) {}),
	}}
	got := s.choose([]Case{
		{ID: "1", Rule: "days", Kind: "add", Input: json.RawMessage(`{"day":1}`)},
		{ID: "2", Rule: "calendar", Kind: "add", Input: json.RawMessage(`{"day":1}`)},
	})
	require.Len(t, got.checked, 1)
	require.Equal(t, "1", got.checked[0].ID)
	require.Len(t, got.unknown, 1)
	require.Equal(t, `has the unknown input field "day"`, got.unknown[0].why)
}

// TestChoose_UnknownFieldInFolder adds a field to one case of a copy of our own: only that case is refused. It sets the
// environment of the process, so it cannot run in parallel.
func TestChoose_UnknownFieldInFolder(t *testing.T) {
	raw, err := fs.ReadFile(own, "testdata/g_dunning.json")
	require.NoError(t, err)
	var cases []map[string]any
	require.NoError(t, json.Unmarshal(raw, &cases))
	input, ok := cases[0]["input"].(map[string]any)
	require.True(t, ok)
	input["grace_days"] = 3
	changed, err := json.Marshal(cases)
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "g_dunning.json"), changed, 0o600))
	t.Setenv(dirVariable, dir)

	s := Suite{Readers: map[string]Reader{"payment_retries": NewReader(func(*testing.T, struct {
		RetryDays []int `json:"retry_days"`
		Outcomes  []string
	}, any) {
	})}}
	sources := load(t, "g_dunning")
	require.Len(t, sources, 2)
	refused := func(cases []Case) (ids []string) { // the readers of the other kinds are left out here
		for _, u := range s.choose(cases).unknown {
			if u.Kind == "payment_retries" {
				ids = append(ids, u.ID+" "+u.why)
			}
		}
		return ids
	}
	require.Empty(t, refused(sources[0].cases))
	got := s.choose(sources[1].cases)
	readable := 0
	for _, c := range cases {
		if c["kind"] == "payment_retries" {
			readable++
		}
	}
	require.Len(t, got.checked, readable-1)
	require.Equal(t, []string{cases[0]["id"].(string) + ` has the unknown input field "grace_days"`},
		refused(sources[1].cases))
}
