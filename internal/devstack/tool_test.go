package devstack

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestContainsWord(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, version string
		want          bool
	}{
		{"temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)", "1.5.1", true},
		{"temporal version 1.5.10 (Server 1.29.1, UI 2.42.1)", "1.5.1", false},
		{"v1.30.0\n", "1.30.0", true},
		{"tool version (devel)", "1.0.0", false},
	} {
		require.Equal(t, c.want, containsWord(c.text, c.version), c.text)
	}
}

func TestInstall_ReportsProgress(t *testing.T) {
	t.Parallel()
	stderr := bytes.NewBufferString("go: downloading example.com/a v1.0.0\nruntime/internal\nexample.com/a\n" +
		"# example.com/a\na.go:3:1: syntax error\n")
	r := reportInstall("a", stderr, nil, time.Unix(0, 0))
	require.Equal(t, 1, r.downloaded)
	require.Equal(t, 2, r.compiled)
	require.Equal(t, "# example.com/a\na.go:3:1: syntax error", r.tail())
}

func TestEnsureTool_ExplainsFailure(t *testing.T) {
	t.Parallel()
	_, err := EnsureTool(t.Context(), "nothing", "nothing", nil)
	require.ErrorContains(t, err, "want module@version")
	c := cache{dir: t.TempDir()}
	_, err = c.tool(t.Context(), "nothing", "perennial.invalid/nothing@v0.0.1", nil)
	require.ErrorContains(t, err, "put it on PATH")
	left, err := filepath.Glob(filepath.Join(c.path("perennial.invalid"), "*"))
	require.NoError(t, err)
	require.Equal(t, []string{c.path("perennial.invalid/nothing@v0.0.1.lock")}, left, "no half program is left")
}

func TestToolEnv_WithoutOwnBuildVariables(t *testing.T) {
	t.Parallel()
	got := toolEnv([]string{"GOOS=plan9", "GOFLAGS=-mod=mod", "HOME=/h", "GOBIN=/b"}, "/x")
	require.Equal(t, []string{"GOFLAGS=-mod=mod", "HOME=/h", "GOBIN=/x", "GOWORK=off"}, got)
}

func TestHasVersion_RefusesOtherFiles(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	require.False(t, hasVersion(t.Context(), self, "v9.9.9"))
	require.False(t, hasVersion(t.Context(), filepath.Join(t.TempDir(), "absent"), "v1.0.0"))
}
