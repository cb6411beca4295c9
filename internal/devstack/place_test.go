package devstack

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPlace_ReachableBelowPrivateHome(t *testing.T) {
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

// A server runs in a directory of its own, where a relative path means another file. Not parallel: it changes ours.
func TestPlace_RelativeDirectory(t *testing.T) {
	t.Chdir(t.TempDir())
	for range 2 { // when it makes the directory, and when it finds it
		actual, err := place(".perennial/postgres", nil)
		require.NoError(t, err)
		require.True(t, filepath.IsAbs(actual), actual)
		require.DirExists(t, actual)
	}
}

func TestPlace_ReplacesDeadLink(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "postgres")
	require.NoError(t, os.Symlink(filepath.Join(t.TempDir(), "tidied-away"), dir))
	actual, err := place(dir, nil)
	require.NoError(t, err)
	require.DirExists(t, actual)
}

func TestForget_KeepsARunningServer(t *testing.T) {
	t.Parallel()
	state, outside := filepath.Join(t.TempDir(), ".perennial"), filepath.Join(t.TempDir(), "outside")
	for _, dir := range []string{"temporal", "simulator", "test/0"} {
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
	require.NoDirExists(t, state)
	require.NoDirExists(t, outside, "what a link stands for goes with it")
	require.NoError(t, Forget(filepath.Join(state, "absent")))
}
