package devstack

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// systemCache is root's directory of downloaded programs when PostgreSQL's account cannot enter root's own cache.
const systemCache = "/var/cache/perennial"

// spaceForProgram is room for the largest program, including its files during unpacking or compilation.
const spaceForProgram = 500 << 20

// cache is the directory in which one user keeps downloaded programs, whichever clone or test asks for them.
//
//	linux-amd64/postgresql-17.5.0/bin/postgres
//	linux-amd64/github.com/temporalio/cli/cmd/temporal@v1.5.1+modernc.org/sqlite@v1.51.0/temporal
//
// A program appears there by a rename, under a lock, when it is complete and verified. It is never changed afterwards,
// so what is there can be used without a lock.
type cache struct {
	dir     string // absolute
	account *Account
	reason  string // why the directory is not the usual one; empty where it is
}

// CacheDir returns the directory in which downloaded programs are kept.
// Deleting it makes the next start download them again.
func CacheDir() (string, error) {
	c, err := userCache()
	return c.dir, err
}

// userCache chooses the directory: the user's cache, or the system's where we are root and the account that PostgreSQL
// runs as cannot enter root's.
func userCache() (cache, error) {
	account, err := unprivileged()
	if err != nil {
		account = nil // a machine without such an account still runs programs other than PostgreSQL
	}
	base, err := os.UserCacheDir()
	return chooseCache(base, err, systemCache, account)
}

func chooseCache(base string, baseErr error, system string, account *Account) (cache, error) {
	dir := filepath.Join(base, "perennial")
	switch {
	case baseErr != nil && account == nil:
		return cache{}, fmt.Errorf("no directory for downloaded programs: %w", baseErr)
	case baseErr != nil:
		return cache{dir: system, account: account, reason: "because " + baseErr.Error()}, nil //nolint:nilerr // told with the reason
	case account == nil:
		return cache{dir: dir}, nil
	}
	above := nearest(dir)
	if !ours(above) {
		return cache{
			dir: system, account: account, reason: fmt.Sprintf("because %s belongs to another user than root", above),
		}, nil
	}
	if !canEnter(above, account) {
		return cache{dir: system, account: account,
			reason: fmt.Sprintf("because %s, as whom PostgreSQL runs, cannot enter %s", account.Name, above)}, nil
	}
	return cache{dir: dir, account: account}, nil
}

// nearest returns the path, or the nearest parent of it that exists.
func nearest(path string) string {
	for {
		if _, err := os.Stat(path); err == nil || path == filepath.Dir(path) {
			return path
		}
		path = filepath.Dir(path)
	}
}

// path names a place for this system: a home directory can be shared by machines of several kinds.
func (c cache) path(elem ...string) string {
	return filepath.Join(append([]string{c.dir, platform(runtime.GOOS, runtime.GOARCH, isAlpine())}, elem...)...)
}

// into says where a program is put, and why, for a person.
func (c cache) into() string {
	if c.reason == "" {
		return "into " + c.dir
	}
	return "into " + c.dir + ", " + c.reason
}

// once fills target, a directory below the cache, unless it is complete. Several processes may ask at once: one fills
// it, and the others wait for it. fill gets an empty directory, which becomes the target when fill succeeds and is
// deleted otherwise.
func (c cache) once(
	ctx context.Context, target string, whole func() bool, waiting func(), fill func(scratch string) error,
) error {
	if whole() {
		return nil
	}
	if err := c.mkdir(filepath.Dir(target)); err != nil {
		return fmt.Errorf("directory for downloaded programs: %w", err)
	}
	held, err := lock(ctx, target+".lock", waiting)
	if err != nil {
		return fmt.Errorf("lock %s: %w", target, err)
	}
	defer func() { _ = held.release() }() // the kernel releases it at the latest when we end
	if whole() {
		return nil
	}
	scratch := target + ".new"
	if err := errors.Join(os.RemoveAll(scratch), os.RemoveAll(target)); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(scratch) }() // gone after the rename; the next attempt deletes what stays
	if err := RequireSpace(filepath.Dir(target), spaceForProgram); err != nil {
		return err
	}
	if err := c.mkdir(scratch); err != nil {
		return err
	}
	if err := fill(scratch); err != nil {
		return err
	}
	if err := c.open(scratch); err != nil {
		return err
	}
	return os.Rename(scratch, target)
}

// mkdir makes a directory and its missing parents. Those of root are open to PostgreSQL's account, whatever the umask.
func (c cache) mkdir(dir string) error {
	if c.account == nil {
		return os.MkdirAll(dir, 0o755)
	}
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	if err := c.mkdir(filepath.Dir(dir)); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return os.Chmod(dir, 0o755)
}

// open lets PostgreSQL's account read root's files below dir, whatever the umask.
func (c cache) open(dir string) error {
	if c.account == nil {
		return nil
	}
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Type()&fs.ModeSymlink != 0 {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		mode := info.Mode().Perm() | 0o444
		if mode&0o100 != 0 {
			mode |= 0o111
		}
		return os.Chmod(path, mode)
	})
}

// canEnter tries instead of reading mode bits, because access lists and mount options decide too.
func canEnter(dir string, account *Account) bool {
	return probe(dir, "test -x . && test -r .", account)
}

// canReach reports whether the account can also write there.
func canReach(dir string, account *Account) bool {
	return probe(dir, "test -x . && test -w .", account)
}

func probe(dir, script string, account *Account) bool {
	if account == nil {
		return true
	}
	cmd := exec.Command("/bin/sh", "-c", script) //nolint:noctx // ends at once
	cmd.Dir = dir
	cmd.SysProcAttr = sysProcAttr(account, 0)
	return cmd.Run() == nil
}
