package devstack

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// place makes dir a directory that the account can reach, and returns its real path. That path is absolute: servers are
// started from another working directory than ours.
//
// A server that runs as another user must be able to walk through every parent of its files; a clone below a private
// home directory (mode 0700) does not let it. The directory is then put into a private one below /var/tmp, which
// survives a reboot, and dir becomes a symbolic link to it. Remove deletes both.
func place(dir string, account *Account) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", err
	}
	if actual, err := filepath.EvalSymlinks(dir); err == nil {
		return reached(actual, account)
	}
	// Absent, or a link whose target was deleted.
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", err
	}
	if err := account.own(dir); err != nil {
		return "", err
	}
	if canReach(dir, account) {
		return filepath.EvalSymlinks(dir)
	}
	if err := os.Remove(dir); err != nil {
		return "", err
	}
	outside, err := os.MkdirTemp(sharedTemp(), "perennial-"+filepath.Base(dir)+"-")
	if err != nil {
		return "", err
	}
	if err := account.own(outside); err != nil {
		return "", err
	}
	if err := os.Symlink(outside, dir); err != nil {
		return "", errors.Join(err, os.Remove(outside))
	}
	return reached(outside, account)
}

func reached(dir string, account *Account) (string, error) {
	if !canReach(dir, account) {
		return "", fmt.Errorf("the user %s, as whom PostgreSQL must run, cannot enter %s: "+
			"allow it (chmod o+x) or remove that directory", account.Name, dir)
	}
	return dir, nil
}

// sharedTemp returns a temporary directory that every user can enter. TMPDIR may be private, hence not os.TempDir
// first.
func sharedTemp() string {
	if info, err := os.Stat("/var/tmp"); err == nil && info.IsDir() {
		return "/var/tmp"
	}
	return os.TempDir()
}

// Remove deletes a directory of this package, and where it is a link, the target as well.
func Remove(dir string) error {
	target, err := os.Readlink(dir)
	if err == nil {
		if err := os.RemoveAll(target); err != nil {
			return err
		}
	}
	return os.RemoveAll(dir)
}

// Forget deletes state (.perennial): the data of `perennial dev` and of tests. It refuses while a server runs there.
func Forget(state string) error {
	var data []string
	for _, pattern := range []string{"postgres", "temporal", "test/*/postgres", "test/*/temporal"} {
		found, err := filepath.Glob(filepath.Join(state, pattern))
		if err != nil {
			return err
		}
		data = append(data, found...)
	}
	for _, dir := range data {
		if err := forgetOne(dir); err != nil {
			return err
		}
	}
	return os.RemoveAll(state)
}

func forgetOne(dir string) error {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return Remove(dir) // a link whose target is gone
	}
	held, free, err := tryLock(filepath.Join(dir, "lock"))
	if err != nil {
		return err
	}
	if !free {
		return fmt.Errorf("%s: %w", dir, ErrInUse)
	}
	return errors.Join(Remove(dir), held.release())
}
