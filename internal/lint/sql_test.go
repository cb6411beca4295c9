package lint

import (
	"go/ast"
	"go/parser"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The parts of db/core in db.Tx and db.Reader, the queue of a transaction and the connections, reach everywhere,
// without an import that a wall could stop. Statements stay in db, where each gives its environment and is audited. So
// do writes that columns offer only to each other.
func TestSQL_StaysInDB(t *testing.T) {
	t.Parallel()
	eachFile(t, func(path string, file *ast.File) {
		if room, _, _ := strings.Cut(filepath.ToSlash(path), "/"); room == "db" {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				require.False(t, reachesSQL(s), "%s: %s is for package db", path, s.Sel.Name)
			}
			return true
		})
	})
	for code, want := range map[string]bool{
		"tx.Pipe": true, "tx.SendInvoice": true, "s.store.Handle.Exec": true, "io.Pipe": false, "router.Handle": false,
		"tx.Invoices.Finalize": true, "s.Invoices.Finalize": false, "tx.Tenancy.NoteSetting": true,
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
	case "NoteSetting", "NoteDunning", "LockCapturesOf":
		return true
	case "Finalize", "Send": // of an invoice: behind lifecycle's changes only, in the order of locks
		of, ok := s.X.(*ast.SelectorExpr)
		if !ok || of.Sel.Name != "Invoices" {
			return false
		}
		tx, ok := of.X.(*ast.Ident)
		return ok && tx.Name == "tx"
	case "Exec", "Query", "QueryRow", "SendBatch", "CopyFrom", "Begin":
		of, ok := s.X.(*ast.SelectorExpr)
		return ok && of.Sel.Name == "Handle"
	}
	return false
}
