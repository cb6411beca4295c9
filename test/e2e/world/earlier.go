package world

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Earlier compiles the program of an earlier commit, from the repository's history, and returns its path.
func Earlier(t testing.TB, commit string) string {
	t.Helper()
	root, err := moduleRoot()
	require.NoError(t, err)
	dir := t.TempDir()
	archive, source, binary := filepath.Join(dir, "source.tar"), filepath.Join(dir, "source"),
		filepath.Join(dir, "perennial")
	require.NoError(t, os.Mkdir(source, 0o700))
	for _, run := range []struct {
		in      string
		command []string
	}{
		{root, []string{"git", "archive", "--output", archive, commit}},
		{source, []string{"tar", "--extract", "--file", archive}},
		{source, []string{"go", "build", "-trimpath", "-buildvcs=false", "-o", binary, "./cmd/perennial"}},
	} {
		cmd := exec.CommandContext(t.Context(), run.command[0], run.command[1:]...) //nolint:gosec // the commands above
		cmd.Dir = run.in
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%v: %s", run.command, out)
	}
	return binary
}

// ServiceOf is the whole program as another build, at the addresses of w.Service: start it when that has stopped.
func (w *World) ServiceOf(t testing.TB, binary, build string) *Program {
	t.Helper()
	p := w.service(t, build, build, "serve")
	p.path = binary
	return p
}
