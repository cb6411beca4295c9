package devstack

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// dataVersion reports which major version made a data directory; 0 where there is none.
func dataVersion(data string) (int, error) {
	raw, err := os.ReadFile(filepath.Join(data, "PG_VERSION"))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(raw)))
}

// initialise creates the data directory and the password where absent. initdb works next to the final place and its
// result is renamed, so that an interruption leaves nothing that looks complete.
func (p *Postgres) initialise(ctx context.Context) error {
	major, err := dataVersion(p.path("data"))
	if err != nil {
		return err
	}
	secret := p.path("password")
	if major != 0 {
		raw, err := os.ReadFile(secret)
		p.password = strings.TrimSpace(string(raw))
		return err
	}
	say(p.cfg.Progress, "postgres: creating a private server in %s", p.cfg.Dir)
	p.password = rand.Text()
	if err := os.WriteFile(secret, []byte(p.password+"\n"), 0o600); err != nil {
		return err
	}
	if err := p.account.own(secret); err != nil {
		return err
	}
	scratch := p.path("data.new")
	if err := os.RemoveAll(scratch); err != nil {
		return err
	}
	args := []string{
		"-D", scratch, "-U", pgUser, "--pwfile", secret, "-A", "scram-sha-256",
		"-E", "UTF8", "--no-locale", "--data-checksums",
	}
	if p.cfg.Unsafe {
		args = append(args, "--no-sync")
	}
	initdb := exec.CommandContext(ctx, p.binaries.program("initdb"), args...)
	initdb.Dir, initdb.Env = p.home, cleanEnv()
	initdb.SysProcAttr = sysProcAttr(p.account, 0)
	initdb.Cancel = func() error { return initdb.Process.Signal(syscall.SIGINT) } // lets it end its own children
	initdb.WaitDelay = 10 * time.Second
	out, err := initdb.CombinedOutput()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, out)
	}
	return os.Rename(scratch, p.path("data"))
}

// clearStale makes the lock file that a killed server left no obstacle. PostgreSQL removes it itself unless its process
// number has since been given to another process of the same user; then it would refuse for ever. We hold our own lock
// on the directory, so a live server there can only be one whose parent was killed, on its way out: wait for it.
func (p *Postgres) clearStale(ctx context.Context) error {
	path := p.path("data/postmaster.pid")
	deadline := time.Now().Add(20 * time.Second)
	for {
		raw, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		pid, err := strconv.Atoi(strings.SplitN(string(raw), "\n", 2)[0])
		if err != nil || workingDir(pid) != p.path("data") {
			return os.Remove(path)
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("a PostgreSQL server (process %d) still runs in %s and is not ours: stop it with `kill -INT %d`",
				pid, p.cfg.Dir, pid)
		}
		if err := pause(ctx, 100*time.Millisecond); err != nil {
			return err
		}
	}
}
