package devstack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// maxLogSize is the size at which a log file is started again: enough for any start-up problem.
const maxLogSize = 16 << 20

// ProcessConfig describes one server process.
type ProcessConfig struct {
	Name    string   // for messages
	Path    string   // the program
	Args    []string // without the program's name
	Env     []string // nil: ours
	Dir     string   // working directory; empty: ours
	LogFile string   // stdout and stderr are appended here
	Account *Account // nil: ours

	// StopSignal asks for an orderly end; default SIGTERM.
	StopSignal syscall.Signal
	// StopGrace is the time that the orderly end may take before the process is killed; default 15 s.
	StopGrace time.Duration
	// DeathSignal is the signal that the kernel sends when we die without stopping it (Linux only); default SIGKILL.
	DeathSignal syscall.Signal
}

// Process is a running server. It leads a process group of its own, so that a Ctrl-C in the terminal reaches only us
// and we decide in which order the servers end.
type Process struct {
	cfg  ProcessConfig
	cmd  *exec.Cmd
	done chan struct{}
	err  error // set before done is closed
}

// StartProcess starts a server. It does not wait until the server is usable: only its owner knows how to ask.
func StartProcess(cfg ProcessConfig) (*Process, error) {
	if cfg.StopSignal == 0 {
		cfg.StopSignal = syscall.SIGTERM
	}
	if cfg.StopGrace == 0 {
		cfg.StopGrace = 15 * time.Second
	}
	if cfg.DeathSignal == 0 {
		cfg.DeathSignal = syscall.SIGKILL
	}
	var err error
	// The program is looked up in its working directory, not in ours.
	if strings.ContainsRune(cfg.Path, filepath.Separator) {
		if cfg.Path, err = filepath.Abs(cfg.Path); err != nil {
			return nil, err
		}
	}
	log, err := openLog(cfg.LogFile)
	if err != nil {
		return nil, fmt.Errorf("log of %s: %w", cfg.Name, err)
	}
	defer func() { _ = log.Close() }() // the child has its own descriptor

	// No CommandContext: a server outlives the call that starts it, and ends in the order its owner chooses.
	cmd := exec.Command(cfg.Path, cfg.Args...) //nolint:noctx // see the line above
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = cfg.Env, cfg.Dir, log, log
	cmd.SysProcAttr = sysProcAttr(cfg.Account, cfg.DeathSignal)

	p := &Process{cfg: cfg, cmd: cmd, done: make(chan struct{})}
	started := make(chan error)
	go p.supervise(started)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", cfg.Name, err)
	}
	return p, nil
}

// supervise starts the process and waits for it on one locked thread: Linux sends the death signal when the *thread*
// that started the child ends, and the Go runtime may end any other thread at any time.
func (p *Process) supervise(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := p.cmd.Start(); err != nil {
		started <- err
		return
	}
	started <- nil
	p.err = p.cmd.Wait()
	close(p.done)
}

// Done is closed when the process has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err reports how the process ended: nil while it runs and after exit code 0.
func (p *Process) Err() error {
	select {
	case <-p.done:
		return p.err
	default:
		return nil
	}
}

// Running reports whether the process has not ended yet.
func (p *Process) Running() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// PID is the process ID, also after the end.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Stop asks for an orderly end, and kills what has not ended after the grace period or when ctx is done.
func (p *Process) Stop(ctx context.Context) error {
	if !p.Running() {
		return nil
	}
	if err := p.cmd.Process.Signal(p.cfg.StopSignal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return errors.Join(fmt.Errorf("stop %s: %w", p.cfg.Name, err), p.Kill())
	}
	grace := time.NewTimer(p.cfg.StopGrace)
	defer grace.Stop()
	select {
	case <-p.done:
		return nil
	case <-grace.C:
	case <-ctx.Done():
	}
	if err := p.Kill(); err != nil {
		return err
	}
	return fmt.Errorf("%s did not stop by itself and was killed", p.cfg.Name)
}

// Kill ends the process and all it started at once, as a power cut would, and returns when it is gone.
func (p *Process) Kill() error {
	if !p.Running() {
		return nil
	}
	if err := killTree(p.cmd.Process); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("kill %s: %w", p.cfg.Name, err)
	}
	<-p.done
	return nil
}

// Tail returns the last lines of the log, for error messages.
func (p *Process) Tail(lines int) string { return tail(p.cfg.LogFile, lines) }

func openLog(path string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	if info, err := os.Stat(path); err == nil && info.Size() > maxLogSize {
		if err := os.Rename(path, path+".old"); err != nil {
			return nil, err
		}
	}
	return os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
}

// tail reads the last lines of a file; it looks at the last 64 KB only.
func tail(path string, lines int) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	const window = 64 << 10
	if info, err := f.Stat(); err == nil && info.Size() > window {
		if _, err := f.Seek(-window, io.SeekEnd); err != nil {
			return ""
		}
	}
	all, err := io.ReadAll(f)
	if err != nil {
		return ""
	}
	rows := strings.Split(strings.TrimRight(string(all), "\n"), "\n")
	return strings.Join(rows[max(0, len(rows)-lines):], "\n")
}
