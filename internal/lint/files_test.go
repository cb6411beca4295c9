package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// eachFile visits our Go files, without tests and what sqlc writes. path begins with the room.
func eachFile(t *testing.T, visit func(path string, file *ast.File)) {
	t.Helper()
	root, visited := filepath.Join("..", ".."), 0
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (strings.HasPrefix(entry.Name(), ".") && path != root || entry.Name() == "dbsqlc"):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		visited++
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		within, err := filepath.Rel(root, path)
		visit(within, file)
		return err
	}))
	require.Greater(t, visited, 500, "the files are elsewhere")
}
