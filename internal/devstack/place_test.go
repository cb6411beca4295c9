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

	real, err := place(dir, account)
	require.NoError(t, err)
	require.True(t, canReach(real, account))
	again, err := place(dir, account)
	require.NoError(t, err)
	require.Equal(t, real, again, "a second start finds the same data")

	require.NoError(t, Remove(dir))
	require.NoDirExists(t, real)
	require.NoFileExists(t, dir)
	require.NoError(t, Remove(dir), "removing what is gone is fine")
}

func TestPlaceReplacesALinkToNowhere(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "postgres")
	require.NoError(t, os.Symlink(filepath.Join(t.TempDir(), "tidied-away"), dir))
	real, err := place(dir, nil)
	require.NoError(t, err)
	require.DirExists(t, real)
}
