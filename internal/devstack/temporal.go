package devstack

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
)

// TemporalCLI is the pinned Temporal CLI, which contains the development server (1.29) and the web UI. It is the newest
// that `go install` accepts: later ones have replace directives. Its own SQLite driver, 1.34.1, once interrupted by a
// client that went away at the wrong moment, answers "interrupted (9)" to everything from then on, so that the server
// is stuck until it is started again (gitlab.com/cznic/sqlite, issue 241). Clients with deadlines of up to 15 ms got it
// stuck within 20 s; with this driver it was well after a minute of them.
const TemporalCLI = "github.com/temporalio/cli/cmd/temporal@v1.5.1 modernc.org/sqlite@v1.51.0"

const databaseFile = "temporal.db"

//go:embed temporalserver/main.go
var temporalServer []byte

// TemporalConfig configures a private Temporal development server.
type TemporalConfig struct {
	// Dir holds the database and the log; it is made when absent and kept across starts.
	Dir string
	// Port of the gRPC frontend on 127.0.0.1 that we like best; a free one is taken where it is in use, or 0.
	Port int
	// UIPort is the web UI's, in the same way. Headless runs without.
	UIPort   int
	Headless bool
	// InMemory forgets everything at the end; for tests that need no restart.
	InMemory bool
	// NoMetrics runs our own build of the same server, without metrics and without a UI: for many namespaces.
	NoMetrics bool
	// Progress receives a line for each thing that takes time; nil is quiet.
	Progress io.Writer
}

// Temporal is a running private development server.
type Temporal struct {
	cfg  TemporalConfig
	path string
	held *fileLock
	proc *Process
}

// StartTemporal starts a development server and returns when its frontend answers. Its users create namespaces and
// search attributes.
func StartTemporal(ctx context.Context, cfg TemporalConfig) (_ *Temporal, err error) {
	if cfg.Dir, err = filepath.Abs(cfg.Dir); err != nil {
		return nil, err
	}
	// Only the leaf is private: PostgreSQL's user must walk through the parents.
	if err = os.MkdirAll(filepath.Dir(cfg.Dir), 0o755); err != nil {
		return nil, err
	}
	if err = os.Mkdir(cfg.Dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return nil, err
	}
	t := &Temporal{cfg: cfg}
	if cfg.NoMetrics {
		t.cfg.Headless = true
		t.path, err = ensureOwn(ctx, "temporalserver", TemporalCLI, temporalServer, cfg.Progress)
	} else {
		t.path, err = EnsureTool(ctx, "temporal", TemporalCLI, cfg.Progress)
	}
	if err != nil {
		return nil, err
	}
	var free bool
	if t.held, free, err = tryLock(t.file("lock")); err != nil {
		return nil, err
	}
	if !free {
		return nil, fmt.Errorf("Temporal in %s: %w", cfg.Dir, ErrInUse)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, t.held.release())
		}
	}()
	if err = startOn(ctx, []int{cfg.Port, cfg.UIPort}, func(ports []int) error {
		t.cfg.Port, t.cfg.UIPort = ports[0], ports[1]
		return t.start(ctx)
	}); err != nil {
		return nil, err
	}
	say(cfg.Progress, "temporal: ready on %s", t.Address())
	return t, nil
}

// Address of the gRPC frontend.
func (t *Temporal) Address() string { return loopback(t.cfg.Port) }

// UIURL returns the address of the web UI; empty without a UI.
func (t *Temporal) UIURL() string {
	if t.cfg.Headless {
		return ""
	}
	return "http://" + loopback(t.cfg.UIPort)
}

// Stop ends the server in order.
func (t *Temporal) Stop(ctx context.Context) error {
	return errors.Join(t.proc.Stop(ctx), t.held.release())
}

// Kill ends the server at once, as a power cut would. Restart recovers it.
func (t *Temporal) Kill() error { return t.proc.Kill() }

// Restart starts the server again on the same ports, after Kill or by stopping it first.
func (t *Temporal) Restart(ctx context.Context) error {
	if err := t.proc.Stop(ctx); err != nil {
		return err
	}
	return t.start(ctx)
}

// Done is closed when the server process of the last start has ended.
func (t *Temporal) Done() <-chan struct{} { return t.proc.Done() }

// DeleteData forgets every workflow, namespace and schedule. The server must not run; Restart then starts it empty.
func (t *Temporal) DeleteData() error {
	if t.proc.Running() {
		return errors.New("the Temporal server runs: stop or kill it before deleting its data")
	}
	var errs []error
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(t.file(databaseFile) + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func (t *Temporal) file(name string) string { return filepath.Join(t.cfg.Dir, name) }

func (t *Temporal) start(ctx context.Context) (err error) {
	t.proc, err = StartProcess(ProcessConfig{
		Name: "Temporal", Path: t.path, Args: t.args(), Dir: t.cfg.Dir, LogFile: t.file("temporal.log"),
	})
	if err != nil {
		return err
	}
	if err := await(ctx, t.proc, t.ping); err != nil {
		return errors.Join(err, t.proc.Kill())
	}
	return nil
}

// args tune the server: with its defaults it is three times slower (measured, see docs/performance.md).
func (t *Temporal) args() []string {
	args := []string{"--port", strconv.Itoa(t.cfg.Port)}
	if !t.cfg.NoMetrics {
		args = append([]string{"server", "start-dev", "--ip", "127.0.0.1", "--log-level", "error"}, args...)
		if t.cfg.Headless {
			args = append(args, "--headless")
		} else {
			args = append(args, "--ui-port", strconv.Itoa(t.cfg.UIPort))
		}
	}
	if !t.cfg.InMemory {
		// Relative to Dir: the server makes a URL of it, in which ?, # and % of a path would mean something else.
		args = append(args, "--db-filename", databaseFile,
			"--sqlite-pragma", "journal_mode=wal", "--sqlite-pragma", "synchronous=normal")
	}
	for _, value := range []string{
		`history.timerProcessorMaxTimeShift="10ms"`,
		`history.transferProcessorMaxPollRPS=100`,
		`history.timerProcessorMaxPollRPS=100`,
		`system.enableActivityEagerExecution=true`,
		`matching.enableFairness=true`, // one environment's backlog must not starve another's
	} {
		args = append(args, "--dynamic-config-value", value)
	}
	return args
}

func (t *Temporal) ping(ctx context.Context) error {
	c, err := client.DialContext(ctx, client.Options{HostPort: t.Address(), Logger: quiet{}})
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = c.CheckHealth(ctx, &client.CheckHealthRequest{})
	return err
}

// quiet drops the client's messages about a server that is not up yet.
type quiet struct{}

var _ log.Logger = quiet{}

func (quiet) Debug(string, ...any) {}
func (quiet) Info(string, ...any)  {}
func (quiet) Warn(string, ...any)  {}
func (quiet) Error(string, ...any) {}
