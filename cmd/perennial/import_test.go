package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/cmd/perennial/cli"
	"perennial/internal/devstack"
)

// A refused record is named with file and line and makes the exit code 1; with the record corrected, the next import
// takes only the missing ones. An export has the imported records, without payment tokens unless they are requested.
func TestImport_AndExport(t *testing.T) {
	t.Parallel()
	env := database(t)
	create(t, env)
	shop := []string{"--tenant", "Acme", "--app", "Shop", "--mode", "test"}
	path := filepath.Join(t.TempDir(), "customers.csv")
	const header = "id,email,paymentMethod,paymentDetails.paymentMethodToken\n"
	importing := func(content string, args ...string) outcome {
		require.NoError(t, os.WriteFile(path, []byte(header+content), 0o600))
		return perennial(t, env, append(append([]string{"import", path}, shop...), args...)...)
	}

	balances := filepath.Join(t.TempDir(), "balances.csv")
	require.NoError(t, os.WriteFile(balances, []byte("customer,currency,amount\nc-1,USD,5\n"), 0o600))
	idle := importing("c-1,ada@example.com,card,pm_1\n", "--dry-run", balances)
	require.Contains(t, idle.stderr, balances+":2: warning: no subscription of this customer in the files is in USD")
	dry := importing("c-1,ada@example.com,card,pm_1\nc-2,nobody,,\n", "--dry-run")
	require.Equal(t, cli.ExitFailed, dry.code)
	require.Equal(t, "customer: 1 would be imported, 0 there already, 0 left out, 1 refused\n", dry.stdout)
	require.True(t, strings.HasPrefix(dry.stderr, path+":3: customer c-2: "), dry.stderr)
	require.Contains(t, dry.stderr, "[email_malformed]")

	require.Equal(t, cli.ExitFailed, importing("c-1,ada@example.com,card,pm_1\nc-2,nobody,,\n").code)
	again := importing("c-1,ada@example.com,card,pm_1\nc-2,bob@example.com,,\n")
	require.Equal(t, cli.ExitDone, again.code, again.stderr)
	require.Equal(t, "customer: 1 imported, 1 there already, 0 left out, 0 refused\n", again.stdout)

	exported := perennial(t, env, append([]string{"export"}, shop...)...)
	require.Equal(t, cli.ExitDone, exported.code, exported.stderr)
	require.Equal(t, 2, strings.Count(exported.stdout, `{"type":"customer","id":"c-`))
	require.NotContains(t, exported.stdout, "pm_1")
	full := perennial(t, env, append([]string{"export", "--with-payment-tokens"}, shop...)...)
	require.Contains(t, full.stdout, "pm_1")
	require.Contains(t, full.stderr, "warning")
}

// What one environment exports is imported into an empty one, and exported there again.
func TestExport_MovesToAnotherEnvironment(t *testing.T) {
	t.Parallel()
	env := database(t)
	create(t, env)
	create(t, env, "--mode", "live")
	port, err := devstack.FreePort(0)
	require.NoError(t, err)
	env["TEMPORAL_ADDRESS"] = fmt.Sprintf("127.0.0.1:%d", port)
	path := filepath.Join(t.TempDir(), "move.jsonl")
	run := func(mode, content string, args ...string) outcome {
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		return perennial(t, env, append(args, "--tenant", "Acme", "--app", "Shop", "--mode", mode)...)
	}
	require.Equal(t, cli.ExitDone, run("test", wholeCatalog, "catalog", "apply", "-f", path).code)
	got := run("test", `{"type":"customer","id":"c-1","email":"ada@example.com","country":"DE"}
{"type":"credit_grant","id":"g-1","customer":"c-1","currency":"EUR","amount":700,"plans":["team"]}
{"type":"settings","seller":{"name":"Acme"}}
`, "import", path)
	require.Equal(t, cli.ExitDone, got.code, got.stderr)
	exported := run("test", "", "export")
	require.Equal(t, cli.ExitDone, exported.code, exported.stderr)

	got = run("live", exported.stdout, "import", path, "--dry-run")
	require.Equal(t, cli.ExitDone, got.code, got.stderr)
	require.Contains(t, got.stdout, "tax_rate: 1 would be imported, 0 there already, 0 left out, 0 refused\n")
	got = run("live", exported.stdout, "import", path)
	require.Equal(t, cli.ExitDone, got.code, got.stderr)

	bare := func(text string) string { // without the ids of the environment
		return regexp.MustCompile(`,"perennialId":"\w+"|"id":"price_\w+",`).ReplaceAllString(text, "")
	}
	require.Equal(t, bare(exported.stdout), bare(run("live", "", "export").stdout))
	require.Equal(t, run("test", "", "catalog", "export", "--without-ids").stdout,
		run("live", "", "catalog", "export", "--without-ids").stdout)
}

func TestImport_WrongUsage(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "customers.csv")
	require.NoError(t, os.WriteFile(path, []byte("id,emial\n"), 0o600))
	shop := []string{"import", "--tenant", "Acme", "--app", "Shop", "--mode", "test"}
	for says, args := range map[string][]string{
		"--app is missing":                    {"import", "--tenant", "Acme", "--mode", "test", path},
		"name the files to import":            shop,
		`--format is csv or jsonl, not "xml"`: append(shop[:7:7], "--format", "xml", path),
		"import_source_invalid":               append(shop[:7:7], "--source", "No Name", path),
		"Did you mean email?":                 append(shop[:7:7], path),
		"absent.jsonl cannot be read":         append(shop[:7:7], "-f", "absent.jsonl"),
	} {
		got := perennial(t, nil, args...)
		require.Equal(t, cli.ExitUsage, got.code, got.stderr)
		require.Contains(t, got.stderr, says)
	}
}
