package devstack

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPlaceIsReachableBelowAPrivateHome(t *testing.T) {
	t.Parallel()
	account, err := unprivileged()
	require.NoError(t, err)
	private := filepath.Join(t.TempDir(), "home") // mode 0700, ours
	require.NoError(t, os.Mkdir(private, 0o700))
	dir := filepath.Join(private, "clone", ".perennial", "postgres")

	actual, err := place(dir, account)
	require.NoError(t, err)
	require.True(t, canReach(actual, account))
	again, err := place(dir, account)
	require.NoError(t, err)
	require.Equal(t, actual, again, "a second start finds the same data")

	require.NoError(t, Remove(dir))
	require.NoDirExists(t, actual)
	require.NoFileExists(t, dir)
	require.NoError(t, Remove(dir), "removing what is gone is fine")
}

func TestPlaceReplacesALinkToNowhere(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "postgres")
	require.NoError(t, os.Symlink(filepath.Join(t.TempDir(), "tidied-away"), dir))
	actual, err := place(dir, nil)
	require.NoError(t, err)
	require.DirExists(t, actual)
}

func TestForgetKeepsToolsAndRunningServers(t *testing.T) {
	t.Parallel()
	state, outside := t.TempDir(), filepath.Join(t.TempDir(), "outside")
	for _, dir := range []string{"bin", "temporal", "simulator", "test/0"} {
		require.NoError(t, os.MkdirAll(filepath.Join(state, dir), 0o755))
	}
	require.NoError(t, os.Mkdir(outside, 0o755))
	require.NoError(t, os.Symlink(outside, filepath.Join(state, "test/0/postgres")))

	running, free, err := tryLock(filepath.Join(state, "temporal", "lock"))
	require.NoError(t, err)
	require.True(t, free)
	require.ErrorIs(t, Forget(state), ErrInUse)
	require.DirExists(t, filepath.Join(state, "simulator"))
	require.NoError(t, running.release())

	require.NoError(t, Forget(state))
	left, err := os.ReadDir(state)
	require.NoError(t, err)
	require.Len(t, left, 1)
	require.Equal(t, "bin", left[0].Name())
	require.NoDirExists(t, outside, "what a link stands for goes with it")
	require.NoError(t, Forget(filepath.Join(state, "absent")))
}
