package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const listed = `
{"ImportPath": "perennial/billing/money", "Imports": ["fmt"]}
{"ImportPath": "perennial/db", "Imports": ["perennial/billing/money"]}
{"ImportPath": "perennial/api", "XTestImports": ["perennial/db"]}
{"ImportPath": "perennial/test/e2e", "TestImports": ["perennial/db"]}
{"ImportPath": "perennial/webhooks"}`

func TestReach_FollowsImportsAndTestImports(t *testing.T) {
	t.Parallel()
	tree, err := read(strings.NewReader(listed))
	require.NoError(t, err)
	for file, want := range map[string][]string{
		"billing/money/amount.go":  {"perennial/api", "perennial/billing/money", "perennial/db"},
		"db/schema/00001_base.sql": {"perennial/api", "perennial/db"},
		"webhooks/sender_test.go":  {"perennial/webhooks"},
		"test/e2e/kills_test.go":   {},
		"README.md":                {},
		"docs/operations.md":       {},
	} {
		require.Equal(t, want, tree.reachedBy([]string{file}), file)
	}
}
