package devstack

import (
	"bytes"
	"debug/buildinfo"
	"os"
	"path/filepath"
	"runtime/debug"
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
	_, err = c.tool(t.Context(), "nothing", specOf(t, "perennial.invalid/nothing@v0.0.1"), nil)
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
	require.False(t, hasVersion(t.Context(), self, specOf(t, "perennial@v9.9.9")))
	require.False(t, hasVersion(t.Context(), filepath.Join(t.TempDir(), "absent"), specOf(t, "a@v1.0.0")))
}

func specOf(t *testing.T, s string) toolSpec {
	t.Helper()
	spec, err := parseToolSpec(s)
	require.NoError(t, err)
	return spec
}

// A program that carries a fault of a dependency is not taken for the one without.
func TestMadeOf(t *testing.T) {
	t.Parallel()
	installed := &buildinfo.BuildInfo{
		Main: debug.Module{Path: "example.com/cli", Version: "v1.5.1"},
		Deps: []*debug.Module{{Path: "example.com/sqlite", Version: "v1.34.1"}},
	}
	built := &buildinfo.BuildInfo{
		Main: debug.Module{Path: "perennial.invalid/tool"},
		Deps: []*debug.Module{
			{Path: "example.com/cli", Version: "v1.5.1"}, {Path: "example.com/sqlite", Version: "v1.51.0"},
		},
	}
	for _, c := range []struct {
		spec             string
		installed, built bool
	}{
		{"example.com/cli/cmd/temporal@v1.5.1", true, true},
		{"example.com/cli/cmd/temporal@v1.5.2", false, false},
		{"example.com/cli/cmd/temporal@v1.5.1 example.com/sqlite@v1.51.0", false, true},
		{"example.com/cli/cmd/temporal@v1.5.1 example.com/sqlite@v1.51.1", false, false},
		{"example.com/client@v1.5.1", false, false},
	} {
		require.Equal(t, c.installed, specOf(t, c.spec).madeOf(installed), c.spec)
		require.Equal(t, c.built, specOf(t, c.spec).madeOf(built), c.spec)
	}
	require.Equal(t, "a@v1+b/c@v2", specOf(t, "a@v1 b/c@v2").dir())
}
