package statedoc

import (
	"go/ast"
	"os"
	"strings"
	"testing"
)

// File compares a file with body, or writes it with -update.
func File(t testing.TB, path, body string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(body), 0o644); err != nil { //nolint:gosec // a document
			t.Fatal(err)
		}
		return
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != body {
		t.Errorf("%s is stale; look at the difference, then run the tests of this package with -update", path)
	}
}

// Comments maps the struct types of the package in the working directory to their doc comments, each on one line.
func Comments(t testing.TB) map[string]string {
	t.Helper()
	comments := map[string]string{}
	for _, file := range sources(t, ".") {
		for _, decl := range file.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok || len(gen.Specs) == 0 {
				continue
			}
			if spec, ok := gen.Specs[0].(*ast.TypeSpec); ok {
				comments[spec.Name.Name] = strings.Join(strings.Fields(gen.Doc.Text()), " ")
			}
		}
	}
	return comments
}
