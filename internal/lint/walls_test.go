//go:build check

package lint

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// fixture is code in a room, once in the room's own package and once in a package below it: a pattern easily matches
// only one of the two.
type fixture struct {
	room  string
	test  bool   // in a _test.go file
	code  string // after the package clause
	wants string // part of the report; empty where the code is allowed
}

// imports of our own packages name an empty package below the wanted one, because rooms that import each other in a
// circle would not compile, and the linter would report nothing but that.
func imports(room, pkg, wants string) fixture {
	if strings.HasPrefix(pkg, "perennial/") {
		pkg += "/leaf"
	}
	return fixture{room: room, code: "import _ \"" + pkg + "\"", wants: wants}
}

func code(room, code, wants string) fixture { return fixture{room: room, code: code, wants: wants} }

func testCode(room, code, wants string) fixture {
	return fixture{room: room, test: true, code: code, wants: wants}
}

// store is as much of db.Store as the wall around its writes needs, and write is a write that goes around service.
const (
	store = "// Store is one.\ntype Store struct{}\n\n// InTx writes.\nfunc (*Store) InTx() {}"
	write = "import \"perennial/db\"\n\nfunc _(s *db.Store) { s.InTx() }"
)

// begin is as much of lifecycle as the wall around its decisions needs, and decide is code that makes one.
const (
	begin  = "// Begin begins.\nfunc Begin() {}"
	decide = "import \"perennial/billing/lifecycle\"\n\nfunc _() { lifecycle.Begin() }"
)

const clock = "import \"time\"\n\nvar _ = time.Now()"

var walls = []fixture{
	imports("billing/invoice", "perennial/db", "depguard"),
	imports("billing/invoice", "os", "rules do no I/O"),
	imports("billing/invoice", "net/http", "rules do no I/O"),
	imports("billing/invoice", "math/rand/v2", "randomness is passed in"),
	imports("billing/invoice", "go.uber.org/zap", "depguard"),
	imports("contract", "perennial/db", "contract may import billing only"),
	imports("db", "perennial/contract", "db may import billing only"),
	imports("db", "perennial/api", "db may import billing only"),
	imports("db/core", "perennial/db", "what columns of db share knows no column"),
	imports("service", "perennial/db/core", "db is the way in"),
	imports("activities", "perennial/db/invoices", "db is the way in"),
	imports("db/usage", "perennial/db", "this column may import core"),
	imports("db/tenancy", "perennial/db/payments", "this column may import core"),
	imports("db/webhooks", "perennial/db/tenancy", "this column may import core"),
	imports("db/emails", "perennial/db/webhooks", "this column may import core"),
	imports("db/templates", "perennial/db/invoices", "this column may import core"),
	imports("db/catalog", "perennial/db/subscriptions", "this column may import core and tenancy"),
	imports("db/invoices", "perennial/db/subscriptions", "this column may import core"),
	imports("db/subscriptions", "perennial/db/lifecycle", "this column may import core"),
	imports("db/moving", "perennial/db/lifecycle", "this column may import core"),
	imports("db/clocks", "perennial/db/customers", "this column may import core"),
	imports("db/payments", "perennial/db/invoices", "this column may import core and tenancy"),
	imports("db/customers", "perennial/db/subscriptions", "this column may import core and clocks"),
	imports("db/lifecycle", "perennial/db/moving", "this column may import core, tenancy"),
	imports("db/reconcile", "perennial/db/webhooks", "this column may import core and payments"),
	imports("providers/stripe", "perennial/billing/invoice", "providers may import"),
	imports("providers/stripe", "perennial/db", "providers may import"),
	imports("webhooks", "perennial/billing/money", "webhooks may import"),
	imports("mail", "perennial/db", "mail may import"),
	imports("documents", "perennial/db", "documents may import"),
	imports("documents", "perennial/api", "documents may import"),
	imports("webhooks/verify", "perennial/billing/fault", "standard library only"),
	imports("webhooks/verify", "github.com/google/uuid", "depguard"),
	imports("activities", "perennial/workflows", "activities may import"),
	imports("activities", "perennial/api", "activities may import"),
	imports("activities/charging", "perennial/workflows", "activities may import"),
	imports("activities/charging", "perennial/activities/delivery", "execution and pacing"),
	imports("activities/charging", "perennial/activities/reconcile", "execution and pacing"),
	imports("activities/delivery", "perennial/activities/charging", "this folder may import execution"),
	imports("activities/mailing", "perennial/activities/delivery", "this folder may import execution"),
	imports("activities/pacing", "perennial/activities/charging", "this folder may import execution"),
	imports("activities/due", "perennial/activities/reconcile", "this folder may import execution"),
	imports("activities/rating", "perennial/activities/due", "this folder may import execution"),
	imports("activities/reconcile", "perennial/activities/charging", "execution and due"),
	imports("activities/execution", "perennial/activities/due", "knows none of them"),
	imports("workflows", "perennial/db", "workflows may import"),
	imports("workflows", "perennial/activities", "workflows may import"),
	imports("workflows", "perennial/internal/id", "workflows may import"),
	imports("workflows", "math/rand", "workflows are deterministic"),
	imports("workflows", "os", "workflows do no I/O"),
	imports("worker", "perennial/api", "worker may import"),
	imports("worker", "perennial/db", "worker may import"),
	imports("api", "perennial/workflows", "never workflows"),
	imports("api", "perennial/activities", "never workflows"),
	imports("service", "perennial/api", "service may import"),
	imports("service", "perennial/workflows", "service may import"),
	imports("service", "perennial/activities", "service may import"),
	imports("service/dispatch", "perennial/api", "service may import"),
	imports("service/usecase", "perennial/service/tenancy", "what columns share knows no column"),
	imports("service/usecase", "perennial/service/dispatch", "what columns share knows no column"),
	imports("service/tenancy", "perennial/service/clocks", "may import usecase and gateway"),
	imports("service/clocks", "perennial/service/tenancy", "may import usecase and gateway"),
	imports("service/webhooks", "perennial/service/usage", "may import usecase and gateway"),
	imports("service/usage", "perennial/service/catalog", "may import usecase and gateway"),
	imports("service/catalog", "perennial/service/customers", "may import usecase and gateway"),
	imports("service/customers", "perennial/service/payments", "may import usecase and gateway"),
	imports("service/payments", "perennial/service/customers", "may import usecase and gateway"),
	imports("service/invoices", "perennial/service/subscriptions", "may import usecase and gateway"),
	imports("service/subscriptions", "perennial/service/payments", "usecase, catalog and customers"),
	imports("service/subscriptions", "perennial/workflows", "service may import"),
	imports("service/hosted", "perennial/service/payments", "usecase, customers and invoices"),
	imports("service/moving", "perennial/service/subscriptions", "usecase, gateway, movefile, catalog, customers and webhooks"),
	imports("api/httpkit", "perennial/service", "it knows no resource"),
	imports("api/httpkit", "perennial/api", "it knows no resource"),
	imports("api/httpkit", "perennial/contract", "it knows no resource"),
	imports("api/httpkit", "perennial/billing/invoice", "it knows no resource"),
	imports("api/httpkit", "perennial/api/view", "it knows no resource"),
	imports("api/view", "perennial/api/payments", "what columns share knows no column"),
	imports("api/view", "perennial/workflows", "never workflows"),
	imports("api/usecase", "perennial/api/tenancy", "what columns share knows no column"),
	imports("api/tenancy", "perennial/api/clocks", "httpkit, view and usecase"),
	imports("api/clocks", "perennial/api/tenancy", "httpkit, view and usecase"),
	imports("api/webhooks", "perennial/api/usage", "httpkit, view and usecase"),
	imports("api/usage", "perennial/api/subscriptions", "httpkit, view and usecase"),
	imports("api/catalog", "perennial/api/tenancy", "httpkit, view and usecase"),
	imports("api/customers", "perennial/api/invoices", "httpkit, view and usecase"),
	imports("api/payments", "perennial/api/invoices", "httpkit, view and usecase"),
	imports("api/invoices", "perennial/api/subscriptions", "httpkit, view, usecase and payments"),
	imports("api/hosted", "perennial/api/invoices", "httpkit, view, usecase and payments"),
	imports("api/subscriptions", "perennial/api/usage", "httpkit, view, usecase, payments and invoices"),
	imports("api/subscriptions", "perennial/activities", "never workflows"),
	imports("cmd/perennial/cli", "perennial/cmd/perennial/wire", "knows none of them"),
	imports("cmd/perennial/flags", "perennial/cmd/perennial/wire", "may import cli"),
	imports("cmd/perennial/wire", "perennial/cmd/perennial/flags", "may import cli"),
	imports("cmd/perennial/backlog", "perennial/cmd/perennial/cli", "knows none of them"),
	imports("cmd/perennial/tenancy", "perennial/cmd/perennial/payments", "cli, flags and wire"),
	imports("cmd/perennial/usage", "perennial/cmd/perennial/backlog", "cli, flags and wire"),
	imports("cmd/perennial/catalog", "perennial/cmd/perennial/moving", "cli, flags and wire"),
	imports("cmd/perennial/payments", "perennial/cmd/perennial/tenancy", "cli, flags and wire"),
	imports("cmd/perennial/moving", "perennial/cmd/perennial/catalog", "cli, flags and wire"),
	imports("cmd/perennial/invoices", "perennial/cmd/perennial/reports", "cli, flags and wire"),
	imports("cmd/perennial/reports", "perennial/cmd/perennial/moving", "cli, flags and wire"),
	imports("cmd/perennial/listen", "perennial/cmd/perennial/serve", "cli, flags and wire"),
	imports("cmd/perennial/deploy", "perennial/cmd/perennial/doctor", "cli, flags and wire"),
	imports("cmd/perennial/serve", "perennial/cmd/perennial/doctor", "cli, wire and backlog"),
	imports("cmd/perennial/doctor", "perennial/cmd/perennial/serve", "cli, wire and backlog"),
	imports("cmd/perennial/dev", "perennial/cmd/perennial/doctor", "cli, wire and serve"),
	imports("internal/id", "perennial/db", "plumbing knows no room"),
	imports("service/engine", "perennial/db", "engine may import"),
	imports("service/gateway", "perennial/api", "gateway may import"),
	imports("bench/internal/load", "perennial/db", "what measures earlier commits too"),
	imports("bench/internal/machine", "perennial/contract", "what measures earlier commits too"),
	imports("bench/internal/sampler", "perennial/bench/internal/rig", "what measures earlier commits too"),
	imports("api", "perennial/internal/testkit", "does not contain its tests"),
	imports("worker", "perennial/internal/devstack", "only cmd, tests and benchmarks start servers"),

	code("api", write, "api writes through service"),
	code("service", decide, "only the rules make decisions"),
	code("billing/invoice", clock, "only cmd reads the clock"),
	code("workflows", clock, "only cmd reads the clock"),
	code("api", clock, "only cmd reads the clock"),
	code("internal/id", clock, "only cmd reads the clock"),
	code("billing/invoice", "var _ float64", "money and time are integers"),
	code("billing/invoice", "func _(a int) int { return int(float64(a) / 2) }", "money and time are integers"),
	code("workflows", "type _ struct{ Seconds float64 }", "money and time are integers"),
	code("billing/invoice", "import \"context\"\n\nvar _ = context.Background()", "take the context"),
	code("workflows", "import \"context\"\n\nvar _ = context.TODO()", "take the context"),
	code("worker", "import \"os\"\n\nvar _ = os.Getenv(\"DATABASE_URL\")", "only cmd reads the environment"),
	code("db", "import \"fmt\"\n\nfunc _() { fmt.Println(1) }", "io.Writer"),
	testCode("db", "import \"testing\"\n\nfunc TestA(t *testing.T) { t.Skip() }", "a test that is skipped"),
}

// allowed breaks nothing: a wall that forbids everything would prove nothing.
var allowed = []fixture{
	imports("billing/invoice", "github.com/bojanz/currency", ""),
	imports("billing/subscription", "perennial/billing/invoice", ""),
	imports("contract", "perennial/billing/invoice", ""),
	imports("db", "perennial/billing/invoice", ""),
	imports("db", "perennial/db/core", ""),
	imports("db", "perennial/db/invoices", ""),
	imports("db/invoices", "perennial/db/payments", ""),
	imports("db/lifecycle", "perennial/db/invoices", ""),
	imports("db/core", "perennial/db/internal/dbsqlc", ""),
	imports("providers/stripe", "perennial/billing/money", ""),
	imports("webhooks", "perennial/billing/event", ""),
	imports("mail", "perennial/billing/fault", ""),
	imports("webhooks/verify", "crypto/hmac", ""),
	imports("activities", "perennial/db", ""),
	imports("activities", "perennial/activities/charging", ""),
	imports("activities/charging", "perennial/activities/pacing", ""),
	imports("activities/reconcile", "perennial/activities/due", ""),
	imports("activities/delivery", "perennial/activities/execution", ""),
	imports("workflows", "perennial/contract", ""),
	imports("worker", "perennial/workflows", ""),
	imports("api", "perennial/providers", ""),
	imports("api", "perennial/service", ""),
	imports("service", "perennial/db", ""),
	imports("service", "perennial/contract", ""),
	imports("service", "perennial/service/subscriptions", ""),
	imports("service/usecase", "perennial/service/gateway", ""),
	imports("service/usage", "perennial/service/usecase", ""),
	imports("service/payments", "perennial/service/gateway", ""),
	imports("service/subscriptions", "perennial/service/customers", ""),
	imports("service/hosted", "perennial/service/invoices", ""),
	imports("service/moving", "perennial/service/movefile", ""),
	imports("service/moving", "perennial/service/webhooks", ""),
	imports("api", "perennial/api/httpkit", ""),
	imports("api", "perennial/api/subscriptions", ""),
	imports("api/view", "perennial/api/httpkit", ""),
	imports("api/usage", "perennial/api/view", ""),
	imports("api/usage", "perennial/service", ""),
	imports("api/invoices", "perennial/api/payments", ""),
	imports("api/subscriptions", "perennial/api/invoices", ""),
	imports("api/httpkit", "perennial/db", ""),
	imports("api/httpkit", "perennial/billing/fault", ""),
	imports("service/engine", "perennial/contract", ""),
	imports("service/gateway", "perennial/db", ""),
	code("db", store, ""),
	code("service", write, ""),
	code("billing/lifecycle", begin, ""),
	code("billing/recording", decide, ""),
	code("api/httpkit", write, ""),
	code("db", "var _ float64", ""),
	testCode("db",
		"import (\n\t\"testing\"\n\t\"time\"\n\n\t_ \"perennial/internal/testkit/leaf\"\n)\n\nfunc TestClock(t *testing.T) "+
			"{ t.Log(time.Now()) }", ""),
	imports("cmd/perennial", "perennial/cmd/perennial/dev", ""),
	imports("cmd/perennial/flags", "perennial/cmd/perennial/cli", ""),
	imports("cmd/perennial/tenancy", "perennial/cmd/perennial/flags", ""),
	imports("cmd/perennial/payments", "perennial/cmd/perennial/wire", ""),
	imports("cmd/perennial/reports", "perennial/cmd/perennial/moving", "cli, flags and wire"),
	imports("cmd/perennial/listen", "perennial/cmd/perennial/cli", ""),
	imports("cmd/perennial/doctor", "perennial/cmd/perennial/backlog", ""),
	imports("cmd/perennial/dev", "perennial/cmd/perennial/serve", ""),
	code("cmd/perennial",
		"import (\n\t\"os\"\n\t\"time\"\n\n\t_ \"perennial/internal/devstack/leaf\"\n)\n\nfunc _() { _, _ = time.Now(), "+
			"os.Args }", ""),
}

func TestWalls_EachIsEnforced(t *testing.T) {
	t.Parallel()
	program := os.Getenv("GOLANGCI_LINT")
	require.NotEmpty(t, program, "`make check` passes the path of golangci-lint")
	root, err := filepath.Abs("../..")
	require.NoError(t, err)

	// The names of the parent directories, which are those of rooms, must not matter.
	dir := filepath.Join(t.TempDir(), "internal", "api", "test", "perennial")
	for _, name := range []string{".golangci.yaml", "go.mod", "go.sum"} {
		raw, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		put(t, dir, name, string(raw))
	}
	all := append(append([]fixture(nil), walls...), allowed...)
	for n, f := range all {
		for _, path := range f.paths(n) {
			put(t, dir, path, "package "+filepath.Base(filepath.Dir(path))+"\n\n"+f.code+"\n")
		}
		if leaf, ok := strings.CutPrefix(f.code, `import _ "perennial/`); ok {
			put(t, dir, strings.TrimSuffix(leaf, `"`)+"/leaf.go", "package leaf\n")
		}
	}
	put(t, dir, "internal/testkit/leaf/leaf.go", "package leaf\n")
	put(t, dir, "internal/devstack/leaf/leaf.go", "package leaf\n")

	reports := lint(t, program, dir)
	for n, f := range all {
		for _, path := range f.paths(n) {
			if f.wants == "" {
				require.Empty(t, reports[path], "%s is allowed:\n%s", path, f.code)
			} else {
				require.Contains(t, reports[path], f.wants, "%s must be refused:\n%s", path, f.code)
			}
		}
	}
}

// paths are the files of the n-th fixture.
func (f fixture) paths(n int) []string {
	name := fmt.Sprintf("fixture%d.go", n)
	if f.test {
		name = fmt.Sprintf("fixture%d_test.go", n)
	}
	return []string{f.room + "/" + name, fmt.Sprintf("%s/below%d/%s", f.room, n, name)}
}

// lint runs the two linters that are walls, and returns their reports by file.
func lint(t *testing.T, program, dir string) map[string]string {
	t.Helper()
	out := filepath.Join(dir, "issues.json")
	cmd := exec.CommandContext(t.Context(), program, "run", "--enable-only", "depguard,forbidigo", "--output.json.path",
		out,
		"--issues-exit-code", "0", "./...")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=-mod=mod")
	said, err := cmd.CombinedOutput()
	raw, readErr := os.ReadFile(out)
	require.NoError(t, readErr, "golangci-lint: %v\n%s", err, said)
	var report struct {
		Issues []struct {
			FromLinter, Text string
			Pos              struct{ Filename string }
		}
	}
	require.NoError(t, json.Unmarshal(raw, &report))
	reports := map[string]string{}
	for _, i := range report.Issues {
		require.NotEqual(t, "typecheck", i.FromLinter, "%s: %s", i.Pos.Filename, i.Text)
		reports[i.Pos.Filename] += i.FromLinter + ": " + i.Text + "\n"
	}
	return reports
}

func put(t *testing.T, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
}
