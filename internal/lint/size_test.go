package lint

import (
	"go/ast"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A type has at most 60 methods and a folder 30 files, not counting tests: more is two things under one name
// (docs/ARCHITECTURE.md, "Columns").
const (
	mostMethods = 60
	mostFiles   = 30
)

// The types and folders that are still larger. A figure may fall and never rise; remove those within the bounds.
var (
	largeTypes   = map[string]int{}
	largeFolders = map[string]int{}
)

func TestSizes_AreBounded(t *testing.T) {
	t.Parallel()
	methods, files := map[string]int{}, map[string]int{}
	eachFile(t, func(path string, file *ast.File) {
		folder := filepath.ToSlash(filepath.Dir(path))
		files[folder]++
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv != nil {
				methods[folder+"."+receiver(f.Recv.List[0].Type)]++
			}
		}
	})
	bounded(t, "methods", methods, largeTypes, mostMethods)
	bounded(t, "files", files, largeFolders, mostFiles)
}

func bounded(t *testing.T, what string, found, large map[string]int, most int) {
	t.Helper()
	for name, n := range found {
		if known, ok := large[name]; ok {
			require.LessOrEqual(t, n, known, "%s has more %s than before: divide it", name, what)
			require.Greater(t, n, most, "%s is small enough by now: forget it here", name)
			continue
		}
		require.LessOrEqual(t, n, most, "%s has too many %s: divide it", name, what)
	}
	for name := range large {
		require.Contains(t, found, name, "there is none any more: forget it here")
	}
}

// receiver is the name of the type that a method is of.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
