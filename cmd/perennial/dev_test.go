package main

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/cmd/perennial/cli"
	"perennial/internal/vault"
)

func TestDev_KeepsState(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "dev.env")
	first, err := loadDevState(path)
	require.NoError(t, err)
	_, err = vault.New(first.kek)
	require.NoError(t, err)
	require.Empty(t, first.apiKey)

	first.apiKey, first.webhookSecret = "sk_test_x", "whsec_x"
	require.NoError(t, first.save())
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "it opens credentials")

	second, err := loadDevState(path)
	require.NoError(t, err)
	require.Equal(t, first, second)
}

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

// The first start downloads and compiles for minutes: what cannot work is said before.
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

func TestScreen_KeepsLinesWithoutTerminal(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	s := newScreen(&cli.Process{Stdout: &out, Lookup: func(string) (string, bool) { return "", false }})
	require.False(t, s.colour)
	s.doing("installing a tool")
	s.done("installed")
	s.fact("Nothing", "")
	s.fact("API", "http://x")
	require.Equal(t, "  ⟳ installing a tool\n  ✓ installed\n  API            http://x\n", out.String())
}

func TestScreen_OverwritesProgressOnTerminal(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	s := &screen{out: &out, terminal: true}
	s.doing("1 of 2")
	s.doing("2 of 2")
	s.done("installed")
	require.Equal(t, "\r\x1b[K  ⟳ 1 of 2\r\x1b[K  ⟳ 2 of 2\r\x1b[K  ✓ installed\n", out.String())
}

func TestShellWord(t *testing.T) {
	t.Parallel()
	require.Equal(t, "/home/jo/.perennial/stack.env", shellWord("/home/jo/.perennial/stack.env"))
	require.Equal(t, "'/home/jo/my code/stack.env'", shellWord("/home/jo/my code/stack.env"))
	require.Equal(t, `'/home/jo'\''s/stack.env'`, shellWord("/home/jo's/stack.env"))
}

// A build is named by its content: two compilations are two versions, whatever the commit says.
func TestBuildID_FollowsContent(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "program")
	require.NoError(t, os.WriteFile(path, []byte("one"), 0o600))
	one, err := buildOf(path, nil)
	require.NoError(t, err)
	require.Regexp(t, "^dev-[0-9a-f]{12}$", one)
	require.NoError(t, os.WriteFile(path, []byte("two"), 0o600))
	two, err := buildOf(path, nil)
	require.NoError(t, err)
	require.NotEqual(t, one, two)
}
