package failpoint

import (
	"bytes"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// envChild makes the test binary the program that is to be killed.
const envChild = "PERENNIAL_FAILPOINT_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(envChild) == "" {
		os.Exit(m.Run())
	}
	if err := Enable(os.LookupEnv); err != nil {
		panic(err)
	}
	for range 3 {
		Hit(RenewCommitted)
		_, _ = os.Stdout.WriteString("passed\n")
	}
	os.Exit(0)
}

func child(t *testing.T, spec string) (passes int, log string, err error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "hits")
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), envChild+"=1", EnvSpec+"="+spec, EnvLog+"="+path)
	out, err := cmd.Output()
	raw, readErr := os.ReadFile(path)
	if !errors.Is(readErr, os.ErrNotExist) {
		require.NoError(t, readErr)
	}
	return bytes.Count(out, []byte("passed")), string(raw), err
}

func TestFailpoint_KillsAtRequestedPass(t *testing.T) {
	t.Parallel()
	passes, log, err := child(t, "renew_committed:2")
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	require.Equal(t, syscall.SIGKILL, exit.Sys().(syscall.WaitStatus).Signal())
	require.Equal(t, 1, passes, "it dies at the second pass, after the first")
	require.Equal(t, "renew_committed\n", log)
}

func TestFailpoint_OtherPlacesUnharmed(t *testing.T) {
	t.Parallel()
	passes, log, err := child(t, "charge_answered,renew_committed:9")
	require.NoError(t, err)
	require.Equal(t, 3, passes)
	require.Empty(t, log)
}

func TestEnable_Refuses(t *testing.T) {
	t.Parallel()
	for spec, want := range map[string]string{
		"renew_finished":    "there is no failpoint",
		"renew_committed:0": "from 1 up",
		"renew_committed:x": "from 1 up",
	} {
		_, err := parse(spec, "")
		require.ErrorContains(t, err, want)
	}
}

func TestFailpoint_ListIsComplete(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "names.go", nil, 0)
	require.NoError(t, err)
	declared := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Values) == 1 {
			if lit, ok := spec.Values[0].(*ast.BasicLit); ok {
				declared[strings.Trim(lit.Value, `"`)] = true
			}
		}
		return true
	})
	require.Len(t, Names(), len(declared))
	for _, name := range Names() {
		require.True(t, declared[string(name)], name)
	}
}

func BenchmarkUnarmed(b *testing.B) {
	for b.Loop() {
		Hit(RenewCommitted)
	}
}
