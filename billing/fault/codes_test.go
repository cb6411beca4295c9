package fault_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// use is one place where billing makes a fault with a literal code.
type use struct {
	where, kind, code, detail string
}

// uses reads every call of fault.New and fault.InvalidParam below billing/, and of the local helper of retry.
func uses(t *testing.T) []use {
	t.Helper()
	var found []use
	files := token.NewFileSet()
	require.NoError(t, filepath.WalkDir("..", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
			strings.HasPrefix(path, filepath.Join("..", "internal")) {
			return err
		}
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if u, ok := useOf(call); ok {
					u.where = files.Position(call.Pos()).String()
					found = append(found, u)
				}
			}
			return true
		})
		return nil
	}))
	return found
}

func useOf(call *ast.CallExpr) (use, bool) {
	name := ""
	switch f := call.Fun.(type) {
	case *ast.SelectorExpr:
		if pkg, ok := f.X.(*ast.Ident); ok && pkg.Name == "fault" {
			name = f.Sel.Name
		}
	case *ast.Ident:
		name = f.Name // within package fault
	}
	if (name != "New" && name != "InvalidParam") || len(call.Args) < 3 {
		return use{}, false
	}
	code, literal := text(call.Args[1])
	if !literal {
		return use{}, false
	}
	u := use{kind: "Invalid", code: code}
	if name == "New" {
		switch kind := call.Args[0].(type) {
		case *ast.SelectorExpr:
			u.kind = kind.Sel.Name
		case *ast.Ident:
			u.kind = kind.Name
		}
	}
	u.detail, _ = text(call.Args[2])
	return u, true
}

// text returns the value of a string literal, or of literals joined by +.
func text(e ast.Expr) (string, bool) {
	if sum, ok := e.(*ast.BinaryExpr); ok {
		left, first := text(sum.X)
		right, second := text(sum.Y)
		return left + right, first && second
	}
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(lit.Value)
	return s, err == nil
}

func TestNew_CodesHaveOneKind(t *testing.T) {
	t.Parallel()
	found := uses(t)
	require.Greater(t, len(found), 30, "the rules have many refusals; are they still found?")
	kinds := map[string]string{}
	for _, u := range found {
		require.Regexp(t, `^[a-z]+(_[a-z0-9]+)+$|^internal$`, u.code, u.where)
		if kind, known := kinds[u.code]; known {
			require.Equal(t, kind, u.kind, "%s: %s means one thing, so it has one kind", u.where, u.code)
		}
		kinds[u.code] = u.kind
	}
}

// People read details, so each is full sentences, and not the code again.
func TestNew_DetailsAreSentences(t *testing.T) {
	t.Parallel()
	for _, u := range uses(t) {
		if u.detail == "" { // put together from constants: its own package tests it
			continue
		}
		require.GreaterOrEqual(t, len(strings.Fields(u.detail)), 5, "%s: %q is too short to help", u.where, u.detail)
		require.Regexp(t, "^[A-Z%`].*[.]$", u.detail,
			"%s: a detail begins with a capital, verb or field and ends with a full stop", u.where)
		require.NotRegexp(t, `[!\n]|; |  |_[a-z]+_`, u.detail, u.where)
	}
}
