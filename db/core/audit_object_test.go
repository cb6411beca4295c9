package core

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/internal/id"
)

// within are prefixes of objects that are never the object of an audit entry: each is part of another object, or is
// written without a caller.
var within = []string{
	id.Event, id.InvoiceLine, id.SubscriptionItem, id.Tenant, id.App, id.ProviderCall, id.Command, id.Price, id.Request,
	id.Erasure, id.Decision, id.CredentialChange, id.EndpointChange, id.EnvironmentChange, id.SettingChange,
	id.UsageRecord, id.ScheduledChange, id.AuditEntry, id.TakenBack,
}

// An id whose prefix is not listed would be shown as one of the environment.
func TestAuditObjects_EachPrefixHasItsType(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "..", "internal", "id", "id.go"), nil, 0)
	require.NoError(t, err)
	found := 0
	ast.Inspect(file, func(n ast.Node) bool {
		literal, ok := n.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			return true
		}
		prefix, err := strconv.Unquote(literal.Value)
		if err != nil || len(prefix) < 2 || !strings.HasSuffix(prefix, "_") {
			return true
		}
		found++
		require.NotEqual(t, auditObjects[prefix] != "", slices.Contains(within, prefix),
			"%s: name the type of the object in auditObjects, or say in within that it is none", prefix)
		return true
	})
	require.GreaterOrEqual(t, found, len(auditObjects)+len(within))
}
