package api

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/db"
)

// `go test ./api -update` writes the golden files anew.
var updateGoldens = flag.Bool("update", false, "write golden files")

// golden compares with a file that reviewers read.
func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *updateGoldens {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, got, 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "write it with: go test ./api -update")
	require.Equal(t, string(want), string(got), "look at the difference, then: go test ./api -update")
}

func TestProblem_Golden(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	rows := b.fill(t, b.test)
	var out bytes.Buffer
	for _, c := range []struct {
		name string
		got  response
	}{
		{"no key", b.send(t, "GET", "/api/plans", nil)},
		{"a foreign id", b.ask(t, b.other, "GET", "/api/subscriptions/"+rows.subscription, nil)},
		{"an unknown path", b.ask(t, b.test, "GET", "/api/nothing", nil)},
		{"a method that the path does not take", b.ask(t, b.test, "PUT", "/api/plans", nil)},
		{"no body", b.ask(t, b.test, "POST", "/api/plans", nil)},
		{"no JSON", b.ask(t, b.test, "POST", "/api/plans", `{`)},
		{"one wrong field", b.ask(t, b.test, "POST", "/api/plans",
			`{"name":"x","currency":"USD","interval":"month","amount":-1}`)},
		{"several wrong fields", b.ask(t, b.test, "POST", "/api/plans",
			`{"name":"","currency":"USD","interval":"moon","prices":[{"amount":"1"}],"color":"red"}`)},
		{"no object", b.ask(t, b.test, "POST", "/api/plans", `[]`)},
		{"beyond a large limit", b.ask(t, b.test, "POST", "/api/plans",
			`{"name":"x","currency":"USD","interval":"month","amount":1000000000000}`)},
		{"a nested note", b.ask(t, b.test, "POST", "/api/plans",
			`{"name":"x","currency":"USD","interval":"month","amount":1,"metadata":{"a":[]}}`)},
		{"another list's cursor", b.ask(t, b.test, "GET", "/api/plans?startingAfter=x", nil)},
		{"too narrow a scope", b.send(t, "POST", "/api/plans", `{}`, "Authorization",
			"Bearer "+b.newKey(t, b.test, db.NewAPIKey{Scopes: []string{"read"}}))},
		{"a rule's no", b.ask(t, b.test, "POST", "/api/subscriptions/"+rows.subscription+"/reactivate", nil)},
		{"a reference to nothing", b.ask(t, b.test, "POST", "/api/subscriptions",
			`{"customerId":"`+rows.customer+`","planId":"plan_x"}`)},
		{"an unknown query parameter", b.ask(t, b.test, "GET", "/api/plans?page=2", nil)},
	} {
		require.NoError(t, json.Indent(&out, withoutRequestID(c.got.Body), "", "  "), c.name)
		out.WriteString("\n")
	}
	golden(t, "testdata/problems.golden.json", out.Bytes())
}
