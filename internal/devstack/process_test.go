package devstack

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/internal/testkit/wait"
)

func shell(t *testing.T, script string) *Process {
	t.Helper()
	p, err := StartProcess(ProcessConfig{
		Name: "sh", Path: "/bin/sh", Args: []string{"-c", script}, LogFile: filepath.Join(t.TempDir(), "log"),
		StopGrace: 200 * time.Millisecond,
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Kill()) })
	return p
}

func TestProcess_StopsInOrder(t *testing.T) {
	t.Parallel()
	p := shell(t, `trap 'echo bye; exit 0' TERM; echo up; while :; do sleep 0.01; done`)
	require.Eventually(t, func() bool { return p.Tail(1) == "up" }, wait.Patience, time.Millisecond)
	require.True(t, p.Running())
	require.NoError(t, p.Stop(t.Context()))
	require.False(t, p.Running())
	require.NoError(t, p.Err())
	require.Equal(t, "up\nbye", p.Tail(5))
	require.NoError(t, p.Stop(t.Context()), "stopping twice is fine")
}

func TestProcess_KilledWhenSignalIgnored(t *testing.T) {
	t.Parallel()
	p := shell(t, `trap '' TERM; echo up; while :; do sleep 0.01; done`)
	require.Eventually(t, func() bool { return p.Tail(1) == "up" }, wait.Patience, time.Millisecond)
	require.ErrorContains(t, p.Stop(t.Context()), "was killed")
	require.False(t, p.Running())
}

func TestProcess_KillReachesOtherSessions(t *testing.T) {
	t.Parallel()
	p := shell(t, `setsid sh -c 'echo $$; exec sleep 600' & wait`)
	var child int
	require.Eventually(t, func() bool {
		var err error
		child, err = strconv.Atoi(strings.TrimSpace(p.Tail(1)))
		return err == nil
	}, 5*time.Second, time.Millisecond)
	require.NoError(t, p.Kill())
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", child))
	require.True(t, err != nil || strings.Contains(string(raw), ") Z "),
		"gone, or not yet collected by its new parent: %s", raw)
}

func TestStartProcess_NamesMissingProgram(t *testing.T) {
	t.Parallel()
	_, err := StartProcess(ProcessConfig{
		Name: "ghost", Path: "/nowhere/ghost", LogFile: filepath.Join(t.TempDir(), "log"),
	})
	require.ErrorContains(t, err, "start ghost")
}

// Not parallel: it changes our working directory.
func TestStartProcess_RelativePath(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.Symlink("/bin/sh", "program"))
	p, err := StartProcess(ProcessConfig{
		Name: "program", Path: "./program", Args: []string{"-c", "exit 0"}, Dir: t.TempDir(), LogFile: "log",
	})
	require.NoError(t, err)
	<-p.Done()
	require.NoError(t, p.Err())
}

func TestAwait_ShowsLogOfEndedServer(t *testing.T) {
	t.Parallel()
	p := shell(t, `echo "cannot open the frobnicator"; exit 3`)
	err := await(t.Context(), p, func(context.Context) error { return os.ErrDeadlineExceeded })
	require.ErrorContains(t, err, "cannot open the frobnicator")
	require.ErrorContains(t, err, "exit status 3")
}

func TestTail_ReadsOnlyEnd(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log")
	require.NoError(t, os.WriteFile(path, []byte(strings.Repeat("x\n", 100_000)+"last but one\nlast\n"), 0o600))
	require.Equal(t, "last but one\nlast", tail(path, 2))
	require.Empty(t, tail(path+".absent", 2))
}

func TestLog_BigStartsAnew(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log")
	require.NoError(t, os.WriteFile(path, make([]byte, maxLogSize+1), 0o600))
	f, err := openLog(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	info, err := f.Stat()
	require.NoError(t, err)
	require.Zero(t, info.Size())
}
