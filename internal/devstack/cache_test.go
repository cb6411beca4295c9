package devstack

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
)

func TestChooseCache_OrdinaryUser(t *testing.T) {
	t.Parallel()
	c, err := chooseCache("/home/jo/.cache", nil, "/system", nil)
	require.NoError(t, err)
	require.Equal(t, "/home/jo/.cache/perennial", c.dir)
	require.Equal(t, "into /home/jo/.cache/perennial", c.into())

	_, err = chooseCache("", errors.New("$HOME is not defined"), "/system", nil)
	require.ErrorContains(t, err, "$HOME is not defined")
}

// An ordinary user runs PostgreSQL as itself, so a private home is no obstacle; root's is one.
func TestChooseCache_PrivateHome(t *testing.T) {
	t.Parallel()
	account, err := unprivileged()
	require.NoError(t, err)
	private := filepath.Join(t.TempDir(), "home") // mode 0700, ours
	require.NoError(t, os.Mkdir(private, 0o700))
	c, err := chooseCache(filepath.Join(private, ".cache"), nil, "/system", account)
	require.NoError(t, err)
	if account == nil {
		require.Equal(t, filepath.Join(private, ".cache", "perennial"), c.dir)
		return
	}
	require.Equal(t, "into /system, because "+account.Name+", as whom PostgreSQL runs, cannot enter "+private, c.into())

	public := publicDir(t)
	c, err = chooseCache(filepath.Join(public, ".cache"), nil, "/system", account)
	require.NoError(t, err)
	require.Equal(t, "into "+filepath.Join(public, ".cache", "perennial"), c.into())

	require.NoError(t, account.own(public))
	c, err = chooseCache(filepath.Join(public, ".cache"), nil, "/system", account)
	require.NoError(t, err)
	require.Equal(t, "into /system, because "+public+" belongs to another user than root", c.into())
}

// publicDir returns a directory that every user can enter, unlike t.TempDir.
func publicDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp(sharedTemp(), "perennial-test-") //nolint:usetesting // see above
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	require.NoError(t, os.Chmod(dir, 0o755))
	return dir
}

func TestCacheOnce_ManyAskers(t *testing.T) {
	t.Parallel()
	c := cache{dir: t.TempDir()}
	target := c.path("program")
	var fills atomic.Int32
	var askers errgroup.Group
	for range 8 {
		askers.Go(func() error {
			return c.once(t.Context(), target, func() bool { return present(filepath.Join(target, "file")) }, nil,
				func(scratch string) error {
					fills.Add(1)
					time.Sleep(50 * time.Millisecond) // all ask meanwhile
					return os.WriteFile(filepath.Join(scratch, "file"), []byte("whole"), 0o600)
				})
		})
	}
	require.NoError(t, askers.Wait())
	require.Equal(t, int32(1), fills.Load())
	require.FileExists(t, filepath.Join(target, "file"))
}

func TestCacheOnce_Failure(t *testing.T) {
	t.Parallel()
	c := cache{dir: t.TempDir()}
	target := c.path("program")
	ask := func(fill func(string) error) error {
		return c.once(t.Context(), target, func() bool { return present(filepath.Join(target, "file")) }, nil, fill)
	}
	full := errors.New("no space left on device")
	require.ErrorIs(t, ask(func(scratch string) error {
		return errors.Join(os.WriteFile(filepath.Join(scratch, "half"), []byte("x"), 0o600), full)
	}), full)
	require.NoDirExists(t, target)
	require.NoDirExists(t, target+".new", "what is incomplete takes no space")

	// A process that was killed while it filled leaves its scratch directory.
	require.NoError(t, os.MkdirAll(filepath.Join(target+".new", "half"), 0o755))
	require.NoError(t, ask(func(scratch string) error {
		require.NoDirExists(t, filepath.Join(scratch, "half"))
		return os.WriteFile(filepath.Join(scratch, "file"), []byte("whole"), 0o600)
	}))
	require.FileExists(t, filepath.Join(target, "file"))
}

func TestCacheOnce_WaitingEndsWithItsContext(t *testing.T) {
	t.Parallel()
	c := cache{dir: t.TempDir()}
	target := c.path("program")
	held, free, err := tryLock(target + ".lock")
	require.NoError(t, err)
	require.True(t, free)
	defer func() { require.NoError(t, held.release()) }()
	ctx, cancel := context.WithCancel(t.Context())
	err = c.once(ctx, target, func() bool { return false }, cancel, func(string) error { return errors.New("filled") })
	require.ErrorIs(t, err, context.Canceled)
}

// With umask 077, as hardened machines have it for root, files are private at first.
func TestCacheOpen_PrivateFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	program, data := filepath.Join(dir, "bin", "postgres"), filepath.Join(dir, "data")
	require.NoError(t, os.Mkdir(filepath.Dir(program), 0o700))
	require.NoError(t, os.WriteFile(program, nil, 0o700))
	require.NoError(t, os.WriteFile(data, nil, 0o600))
	require.NoError(t, cache{account: &Account{}}.open(dir))
	for path, want := range map[string]fs.FileMode{filepath.Dir(program): 0o755, program: 0o755, data: 0o644} {
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, want, info.Mode().Perm(), path)
	}
}
