package testkit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"perennial/internal/devstack"
	"perennial/internal/temporalpg"
)

// The variables through which `make test` passes the addresses of the servers that all packages share.
const (
	EnvDatabaseURL     = "TEST_DATABASE_URL"
	EnvTemporalAddress = "TEST_TEMPORAL_ADDRESS"
)

// maxSlots bounds how many test processes have servers of their own at one time.
const maxSlots = 64

// The servers this process started itself.
var own struct {
	mu    sync.Mutex
	stops []func(context.Context) error
}

var postgresURL = sync.OnceValues(func() (string, error) {
	if url := os.Getenv(EnvDatabaseURL); url != "" {
		return url, nil
	}
	url, stop, err := StartPostgres(context.Background(), os.Stderr)
	remember(stop)
	return url, err
})

var temporalAddress = sync.OnceValues(func() (string, error) {
	if address := os.Getenv(EnvTemporalAddress); address != "" {
		return address, nil
	}
	address, stop, err := StartTemporal(context.Background(), os.Stderr)
	remember(stop)
	return address, err
})

func remember(stop func(context.Context) error) {
	own.mu.Lock()
	defer own.mu.Unlock()
	if stop != nil {
		own.stops = append(own.stops, stop)
	}
}

// Main runs a package's tests and then stops the servers they made this process start. Call it from TestMain.
func Main(m *testing.M) {
	code := m.Run()
	if err := Stop(); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err) // there is no other place to report it
		code = max(code, 1)
	}
	os.Exit(code)
}

// Stop drops the databases that this process made, and stops the servers that it started; for a TestMain that does more
// than Main.
func Stop() error {
	own.mu.Lock()
	defer own.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	errs := []error{dropIdle(ctx)}
	for _, stop := range own.stops {
		errs = append(errs, stop(ctx))
	}
	own.stops = nil
	return errors.Join(errs...)
}

// StartPostgres starts a server for tests: without fsync, since no test outlives a power cut, and empty of the
// databases that earlier tests left behind.
func StartPostgres(ctx context.Context, progress io.Writer) (url string, stop func(context.Context) error, err error) {
	err = eachSlot(func(slot string) error {
		p, err := devstack.StartPostgres(ctx, devstack.PostgresConfig{
			Dir: filepath.Join(slot, "postgres"), Unsafe: true, Progress: slow(progress),
		})
		if err != nil {
			return err
		}
		url, stop = p.URL(), p.Stop
		if err := dropLeftovers(ctx, url); err != nil {
			return errors.Join(err, p.Stop(ctx))
		}
		return nil
	})
	return url, stop, err
}

// StartTemporal starts a server for tests: in memory, without metrics and without a UI.
func StartTemporal(
	ctx context.Context, progress io.Writer,
) (address string, stop func(context.Context) error, err error) {
	err = eachSlot(func(slot string) error {
		s, err := devstack.StartTemporal(ctx, devstack.TemporalConfig{
			Dir: filepath.Join(slot, "temporal"), InMemory: true, NoMetrics: true, Progress: slow(progress),
		})
		if err != nil {
			return err
		}
		address, stop = s.Address(), s.Stop
		return nil
	})
	return address, stop, err
}

// StartTemporalOnPostgres starts a server that keeps its state in the PostgreSQL server of the tests. It takes longer
// to start than the one in memory, but stays fast with tens of thousands of workflows.
func StartTemporalOnPostgres(
	ctx context.Context, progress io.Writer,
) (address string, stop func(context.Context) error, err error) {
	database, err := postgresURL()
	if err != nil {
		return "", nil, err
	}
	state, err := stateDir()
	if err != nil {
		return "", nil, err
	}
	s, err := temporalpg.Start(ctx, temporalpg.Config{
		Dir: filepath.Join(state, "test", "temporal-on-postgresql"), DatabaseURL: database, Progress: slow(progress),
	})
	if err != nil {
		return "", nil, err
	}
	return s.Address(), s.Stop, nil
}

// eachSlot tries one directory after the other until start finds one that no other test process uses.
func eachSlot(start func(slot string) error) error {
	state, err := stateDir()
	if err != nil {
		return err
	}
	for i := range maxSlots {
		err = start(filepath.Join(state, "test", fmt.Sprint(i)))
		if !errors.Is(err, devstack.ErrInUse) {
			return err
		}
	}
	return err
}

// stateDir returns the directory .perennial next to go.mod.
func stateDir() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, ".perennial"), nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("testkit: no go.mod above the working directory")
		}
		dir = parent
	}
}

// slow passes on only lines that a test's output needs: about an installation, not about every start.
func slow(w io.Writer) io.Writer {
	if w == nil {
		return nil
	}
	return quiet{w}
}
