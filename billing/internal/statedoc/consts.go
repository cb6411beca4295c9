package statedoc

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Consts lists the values of all string constants of a named type in the package in the working directory, in source
// order, so that a test notices when one is added that its table does not mention.
func Consts(t testing.TB, typeName string) []string {
	t.Helper()
	return ConstsIn(t, ".", typeName)
}

// ConstsIn is Consts for the package in another directory.
func ConstsIn(t testing.TB, dir, typeName string) []string {
	t.Helper()
	var values []string
	for _, file := range sources(t, dir) {
		for _, decl := range file.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok || gen.Tok != token.CONST {
				continue
			}
			for _, spec := range gen.Specs {
				values = append(values, valuesOf(spec.(*ast.ValueSpec), typeName)...)
			}
		}
	}
	if len(values) == 0 {
		t.Fatalf("no constant of type %s", typeName)
	}
	return values
}

func valuesOf(spec *ast.ValueSpec, typeName string) []string {
	name, ok := spec.Type.(*ast.Ident)
	if !ok || name.Name != typeName {
		return nil
	}
	var values []string
	for _, v := range spec.Values {
		if lit, ok := v.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if s, err := strconv.Unquote(lit.Value); err == nil {
				values = append(values, s)
			}
		}
	}
	return values
}

func sources(t testing.TB, dir string) []*ast.File {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, e.Name()), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return files
}
