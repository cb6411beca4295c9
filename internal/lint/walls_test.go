//go:build check

package lint

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// broken is one file that breaks one wall. Each gets a package of its own below its room, because rooms that import each
// other in a circle would not compile, and the linter would report nothing but that.
type broken struct {
	file  string
	code  string // after the package clause
	wants string // part of the report
}

func imports(file, pkg, wants string) broken {
	return broken{file, "import _ \"" + pkg + "\"", wants}
}

const clock = "import \"time\"\n\nvar At = time.Now()"

var walls = []broken{
	imports("billing/invoice/a/a.go", "perennial/db", "depguard"),
	imports("billing/invoice/b/b.go", "os", "rules do no I/O"),
	imports("billing/invoice/c/c.go", "net/http", "rules do no I/O"),
	imports("billing/invoice/d/d.go", "math/rand/v2", "randomness is passed in"),
	imports("billing/invoice/e/e.go", "go.uber.org/zap", "depguard"),
	imports("contract/a/a.go", "perennial/db", "contract may import billing only"),
	imports("db/a/a.go", "perennial/contract", "db may import billing only"),
	imports("db/b/b.go", "perennial/api", "db may import billing only"),
	imports("providers/stripe/a/a.go", "perennial/billing/invoice", "providers may import"),
	imports("providers/stripe/b/b.go", "perennial/db", "providers may import"),
	imports("webhooks/a/a.go", "perennial/billing/money", "webhooks may import"),
	imports("activities/a/a.go", "perennial/workflows", "activities may import"),
	imports("activities/b/b.go", "perennial/api", "activities may import"),
	imports("workflows/a/a.go", "perennial/db", "workflows may import"),
	imports("workflows/b/b.go", "perennial/internal/id", "workflows may import"),
	imports("workflows/c/c.go", "math/rand", "workflows are deterministic"),
	imports("workflows/d/d.go", "os", "workflows do no I/O"),
	imports("worker/a/a.go", "perennial/api", "worker may import"),
	imports("worker/b/b.go", "perennial/db", "worker may import"),
	imports("api/a/a.go", "perennial/workflows", "never workflows"),
	imports("api/b/b.go", "perennial/activities", "never workflows"),
	imports("internal/id/a/a.go", "perennial/db", "plumbing knows no room"),
	imports("internal/engine/a/a.go", "perennial/db", "engine may import"),
	imports("internal/gateway/a/a.go", "perennial/api", "gateway may import"),
	imports("api/c/c.go", "perennial/internal/testkit", "does not contain its tests"),
	imports("worker/c/c.go", "perennial/internal/devstack", "only cmd, tests and benchmarks start servers"),

	{"billing/invoice/f/f.go", clock, "only cmd reads the clock"},
	{"workflows/e/e.go", clock, "only cmd reads the clock"},
	{"api/d/d.go", clock, "only cmd reads the clock"},
	{"internal/id/b/b.go", clock, "only cmd reads the clock"},
	{"billing/invoice/g/g.go", "var Price float64", "money and time are integers"},
	{"billing/invoice/h/h.go", "func Half(a int) int { return int(float64(a) / 2) }", "money and time are integers"},
	{"workflows/f/f.go", "type Wait struct{ Seconds float64 }", "money and time are integers"},
	{"billing/invoice/i/i.go", "import \"context\"\n\nvar Ctx = context.Background()", "take the context"},
	{"workflows/g/g.go", "import \"context\"\n\nvar Ctx = context.TODO()", "take the context"},
	{"worker/d/d.go", "import \"os\"\n\nvar URL = os.Getenv(\"DATABASE_URL\")", "only cmd reads the environment"},
	{"db/c/c.go", "import \"fmt\"\n\nfunc Say() { fmt.Println(1) }", "io.Writer"},
	{"db/at/a_test.go", "import \"testing\"\n\nfunc TestA(t *testing.T) { t.Skip() }", "a test that is skipped"},
}

// allowed breaks nothing: a wall that forbids everything would prove nothing.
var allowed = []broken{
	imports("billing/invoice/ok/ok.go", "github.com/bojanz/currency", ""),
	imports("billing/subscription/ok/ok.go", "perennial/billing/invoice", ""),
	imports("contract/ok/ok.go", "perennial/billing/invoice", ""),
	imports("db/ok/ok.go", "perennial/billing/invoice", ""),
	imports("providers/stripe/ok/ok.go", "perennial/billing/money", ""),
	imports("webhooks/ok/ok.go", "perennial/billing/event", ""),
	imports("activities/ok/ok.go", "perennial/db", ""),
	imports("workflows/ok/ok.go", "perennial/activities", ""),
	imports("worker/ok/ok.go", "perennial/workflows", ""),
	imports("api/ok/ok.go", "perennial/providers", ""),
	imports("internal/engine/ok/ok.go", "perennial/contract", ""),
	imports("internal/gateway/ok/ok.go", "perennial/db", ""),
	{"db/ok2/ok2.go", "var Seconds float64", ""},
	{"db/okt/ok_test.go", "import (\n\t\"testing\"\n\t\"time\"\n\n\t_ \"perennial/internal/testkit\"\n)\n\nfunc TestClock(t *testing.T) { t.Log(time.Now()) }", ""},
	{"cmd/perennial/start/main.go", "import (\n\t\"os\"\n\t\"time\"\n\n\t_ \"perennial/internal/devstack\"\n)\n\nfunc Main() { _, _ = time.Now(), os.Args }", ""},
}

// rooms exist so that the imports above resolve.
var rooms = []string{
	"billing/fault", "billing/money", "billing/event", "billing/invoice", "billing/subscription", "contract", "db", "providers",
	"providers/stripe", "webhooks", "activities", "workflows", "worker", "api", "internal/id", "internal/engine",
	"internal/testkit", "internal/devstack",
}

func TestEveryWallStands(t *testing.T) {
	t.Parallel()
	program := os.Getenv("GOLANGCI_LINT")
	require.NotEmpty(t, program, "`make check` passes the path of golangci-lint")
	root, err := filepath.Abs("../..")
	require.NoError(t, err)

	dir := t.TempDir()
	for _, name := range []string{".golangci.yaml", "go.mod", "go.sum"} {
		raw, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), raw, 0o600))
	}
	for _, room := range rooms {
		write(t, dir, broken{file: room + "/room.go"})
	}
	for _, b := range append(append([]broken(nil), walls...), allowed...) {
		write(t, dir, b)
	}

	reports := map[string][]string{}
	for _, issue := range lint(t, program, dir) {
		reports[issue.Pos.Filename] = append(reports[issue.Pos.Filename], issue.FromLinter+": "+issue.Text)
	}
	for _, b := range walls {
		require.Contains(t, strings.Join(reports[b.file], "\n"), b.wants, "%s must be refused:\n%s", b.file, b.code)
	}
	for _, b := range allowed {
		require.Empty(t, reports[b.file], "%s is allowed:\n%s", b.file, b.code)
	}
}

type issue struct {
	FromLinter, Text string
	Pos              struct{ Filename string }
}

// lint runs only the two linters that are walls.
func lint(t *testing.T, program, dir string) []issue {
	t.Helper()
	out := filepath.Join(dir, "issues.json")
	cmd := exec.CommandContext(t.Context(), program, "run", "--enable-only", "depguard,forbidigo", "--output.json.path", out,
		"--issues-exit-code", "0", "./...")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=-mod=mod")
	said, err := cmd.CombinedOutput()
	raw, readErr := os.ReadFile(out)
	require.NoError(t, readErr, "golangci-lint: %v\n%s", err, said)
	var report struct{ Issues []issue }
	require.NoError(t, json.Unmarshal(raw, &report))
	return report.Issues
}

func write(t *testing.T, dir string, b broken) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(b.file))
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	name := filepath.Base(filepath.Dir(path))
	require.NoError(t, os.WriteFile(path, []byte("package "+name+"\n\n"+b.code+"\n"), 0o600))
}
