package failpoint

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
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
		Hit("change.committed")
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

func TestTheProcessDiesAtTheAskedPass(t *testing.T) {
	t.Parallel()
	passes, log, err := child(t, "change.committed:2")
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	require.Equal(t, syscall.SIGKILL, exit.Sys().(syscall.WaitStatus).Signal())
	require.Equal(t, 1, passes, "it dies at the second pass, after the first")
	require.Equal(t, "change.committed\n", log)
}

func TestOtherPlacesAreUnharmed(t *testing.T) {
	t.Parallel()
	passes, log, err := child(t, "charge.called,change.committed:9")
	require.NoError(t, err)
	require.Equal(t, 3, passes)
	require.Empty(t, log)
}

func TestEnableRefusesWhatCannotHappen(t *testing.T) {
	t.Parallel()
	for spec, want := range map[string]string{
		"change.comitted":    "there is no failpoint",
		"change.committed:0": "from 1 up",
		"change.committed:x": "from 1 up",
	} {
		_, err := parse(spec, "")
		require.ErrorContains(t, err, want)
	}
}

// A place that is not listed could not be armed; a listed one that nobody passes would never crash anything.
func TestTheListIsThatOfTheCalls(t *testing.T) {
	t.Parallel()
	call := regexp.MustCompile(`failpoint\.Hit\("([^"]+)"\)`)
	passed := map[Name]bool{}
	require.NoError(t, filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		for _, found := range call.FindAllStringSubmatch(string(source), -1) {
			passed[Name(found[1])] = true
		}
		return err
	}))
	require.ElementsMatch(t, slices.Collect(maps.Keys(passed)), Names(), "names.go lists what failpoint.Hit is called with")
}

func BenchmarkUnarmed(b *testing.B) {
	for b.Loop() {
		Hit("change.committed")
	}
}
