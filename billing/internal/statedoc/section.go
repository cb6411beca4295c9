// Package statedoc owns how tests keep docs/states.md equal to the code: one section a state machine, rewritten with
// -update. It does not own the contents of a section.
package statedoc

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite this package's section of docs/states.md")

// Section compares the section called name of docs/states.md with body, or writes it there with -update. The tests run
// two directories below the repository's root. Update one package at a time (go test -p 1): all share the file.
func Section(t testing.TB, name, body string) {
	t.Helper()
	path := filepath.Join("..", "..", "docs", "states.md")
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- "+name+": begin, generated -->\n", "<!-- "+name+": end -->"
	head, rest, ok := strings.Cut(string(raw), begin)
	have, tail, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s has no section %q", path, name)
	}
	if *update {
		if err := os.WriteFile(path, []byte(head+begin+body+end+tail), 0o644); err != nil { //nolint:gosec // a document
			t.Fatal(err)
		}
		return
	}
	if have != body {
		t.Errorf("section %q of docs/states.md is not what the code does; run make generate", name)
	}
}

// Table renders a Markdown table.
func Table(header []string, rows [][]string) string {
	var b strings.Builder
	line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	line(header)
	b.WriteString("|" + strings.Repeat("---|", len(header)) + "\n")
	for _, row := range rows {
		line(row)
	}
	return b.String()
}
