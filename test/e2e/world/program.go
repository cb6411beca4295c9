package world

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/internal/devstack"
)

// startBudget is the time that a process may take until it is ready: on a busy machine, with the race detector.
const startBudget = 90 * time.Second

// Program is one process of the binary that can be started again and again; all starts write to the same log.
type Program struct {
	name  string
	path  string
	args  []string
	env   []string
	log   string
	ready string // URL that answers 200 when the process does its work

	mu      sync.Mutex
	process *devstack.Process
	starts  int
}

// Start runs the program with some variables more and returns when it is ready, or has ended already.
func (p *Program) Start(t testing.TB, more ...string) {
	t.Helper()
	process, err := devstack.StartProcess(devstack.ProcessConfig{
		Name: p.name, Path: p.path, Args: p.args, Env: append(append([]string{}, p.env...), more...), LogFile: p.log,
		StopGrace: time.Minute,
	})
	require.NoError(t, err)
	p.mu.Lock()
	p.process = process
	p.starts++
	p.mu.Unlock()
	deadline := time.After(startBudget)
	for !answers(p.ready) {
		select {
		case <-process.Done():
			return
		case <-deadline:
			require.FailNow(t, p.name+" does not become ready", "its log ends with:\n%s", process.Tail(40))
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (p *Program) current() *devstack.Process {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.process
}

// Starts counts the starts so far.
func (p *Program) Starts() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.starts
}

// Running reports whether it has not ended.
func (p *Program) Running() bool { return p.current() != nil && p.current().Running() }

// Done is closed when the process of the last start has ended.
func (p *Program) Done() <-chan struct{} { return p.current().Done() }

// Memory returns the memory of the last start's process, in bytes.
func (p *Program) Memory(t testing.TB) int64 {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "ps", "-o", "rss=", "-p", strconv.Itoa(p.current().PID())).Output()
	require.NoError(t, err)
	kibibytes, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	require.NoError(t, err)
	return kibibytes << 10
}

// Kill ends it as a power cut would.
func (p *Program) Kill(t testing.TB) {
	t.Helper()
	require.True(t, p.Running(), "%s is to be killed and has ended by itself; its log ends with:\n%s",
		p.name, p.current().Tail(60))
	require.NoError(t, p.current().Kill())
}

// Signal asks for an orderly end and does not wait for it.
func (p *Program) Signal(t testing.TB, signal syscall.Signal) {
	t.Helper()
	require.NoError(t, syscall.Kill(p.current().PID(), signal))
}

// ExitCode of a process that has ended; -1 where a signal ended it.
func (p *Program) ExitCode() int {
	err := p.current().Err()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	if err != nil {
		return -2
	}
	return 0
}

// Killed reports whether SIGKILL ended it, as a failpoint does.
func (p *Program) Killed() bool {
	var exit *exec.ExitError
	if !errors.As(p.current().Err(), &exit) {
		return false
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

// Log is everything it wrote in all its starts.
func (p *Program) Log(t testing.TB) string {
	t.Helper()
	raw, err := os.ReadFile(p.log)
	require.NoError(t, err)
	return string(raw)
}

// stop ends what still runs at the end of a test.
func (p *Program) stop(ctx context.Context) error {
	if !p.Running() {
		return nil
	}
	return p.current().Stop(ctx)
}

// tell shows the end of the log of a failed test.
func (p *Program) tell(t testing.TB) {
	raw, err := os.ReadFile(p.log)
	if err != nil {
		return
	}
	lines := slices.DeleteFunc(strings.Split(strings.TrimRight(string(raw), "\n"), "\n"), func(line string) bool {
		return strings.Contains(line, `"message":"request"`) // the test knows its requests
	})
	const most = 60
	t.Logf("%s was started %d times; its log %s ends with:\n%s", p.name, p.Starts(), p.log,
		strings.Join(lines[max(0, len(lines)-most):], "\n"))
}

// Run executes one short command of the binary and returns its output.
func Run(t testing.TB, env []string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), startBudget)
	defer cancel()
	return RunContext(ctx, t, env, args...)
}

// RunContext is Run for a command that may take as long as ctx; then it is interrupted, so that it stops its children.
func RunContext(ctx context.Context, t testing.TB, env []string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	cmd := exec.CommandContext(ctx, Binary(t), args...)
	var out, errs strings.Builder
	cmd.Env, cmd.Stdout, cmd.Stderr = env, &out, &errs
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 30 * time.Second
	if err = cmd.Run(); err != nil {
		err = fmt.Errorf("perennial %s: %w: %s", strings.Join(args, " "), err, errs.String())
	}
	return out.String(), errs.String(), err
}
