package main

import (
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/cmd/perennial/cli"
)

func TestDev_NeverDeletesForeignDatabase(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	got := perennial(t, map[string]string{"DATABASE_URL": "postgres://127.0.0.1:1/yours"}, "dev", "--once", "--fresh",
		"--dir", dir)
	require.Equal(t, cli.ExitUsage, got.code)
	require.Contains(t, got.stderr, "DATABASE_URL names a database of yours")
}

func TestDev_ExplainsFailedStart(t *testing.T) {
	t.Parallel()
	got := perennial(t, map[string]string{"DATABASE_URL": "postgres://127.0.0.1:1/away"}, "dev", "--once", "--dir",
		t.TempDir())
	require.Equal(t, cli.ExitFailed, got.code)
	require.Contains(t, got.stderr, "database_unavailable")
}

// The first start downloads and compiles for minutes: settings that cannot work are refused before.
func TestDev_NamedPortInUse(t *testing.T) {
	t.Parallel()
	var lc net.ListenConfig
	taken, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, taken.Close()) }()
	port := taken.Addr().(*net.TCPAddr).Port
	dir := filepath.Join(t.TempDir(), "state")
	got := perennial(t, nil, "dev", "--once", "--dir", dir, "--port", strconv.Itoa(port))
	require.Equal(t, cli.ExitFailed, got.code)
	require.Contains(t, got.stderr, fmt.Sprintf("port %d on 127.0.0.1 is in use", port))
	require.NoDirExists(t, dir)
}
