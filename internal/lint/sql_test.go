package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What db.Tx and db.Reader have of db/core reaches everywhere, without an import that a wall could stop: the queue of a
// transaction and the connections. Statements stay in db, where each gives its environment and is audited.
func TestSQL_StaysInDB(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("..", "..", "*", "*.go"))
	require.NoError(t, err)
	for _, deeper := range []string{"*/*/*.go", "*/*/*/*.go", "*/*/*/*/*.go"} {
		more, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(deeper)))
		require.NoError(t, err)
		files = append(files, more...)
	}
	looked := 0
	for _, path := range files {
		room := strings.Split(filepath.ToSlash(path), "/")[2]
		if room == "db" || strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		looked++
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				require.False(t, reachesSQL(s), "%s: %s is for package db", path, s.Sel.Name)
			}
			return true
		})
	}
	require.Greater(t, looked, 500, "the files are elsewhere")
	for code, want := range map[string]bool{
		"tx.Pipe": true, "tx.SendInvoice": true, "s.store.Handle.Exec": true, "io.Pipe": false, "router.Handle": false,
	} {
		e, err := parser.ParseExpr(code)
		require.NoError(t, err)
		require.Equal(t, want, reachesSQL(e.(*ast.SelectorExpr)), code)
	}
}

func reachesSQL(s *ast.SelectorExpr) bool {
	switch s.Sel.Name {
	case "Pipe", "SendInvoice", "Unnumbered":
		of, ok := s.X.(*ast.Ident)
		return !ok || of.Name != "io" && of.Name != "os"
	case "Exec", "Query", "QueryRow", "SendBatch", "CopyFrom", "Begin":
		of, ok := s.X.(*ast.SelectorExpr)
		return ok && of.Sel.Name == "Handle"
	}
	return false
}
