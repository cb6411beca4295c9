package devstack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// pgUser is the name of the superuser and of the database that StartPostgres makes.
const pgUser = "perennial"

// PostgresConfig configures a private PostgreSQL server.
type PostgresConfig struct {
	// Dir holds the data, the password and the log; it is made when absent and kept across starts. As root it may
	// become a symbolic link, see place; Remove deletes it.
	Dir string
	// Port on 127.0.0.1 that we like best; a free one is taken where it is in use, or 0.
	Port int
	// Unsafe switches fsync off. Only for databases that may be lost in a power cut: a test's. A killed server still
	// keeps what it acknowledged.
	Unsafe bool
	// Progress receives a line for each thing that takes time; nil is quiet.
	Progress io.Writer
}

// Postgres is a running private server. It listens on the loopback address only and asks for a random password (SCRAM)
// that lies in a file only its user can read, so that other users of the machine cannot use it.
type Postgres struct {
	cfg      PostgresConfig
	binaries pgBinaries
	account  *Account
	home     string // real path of cfg.Dir
	password string
	port     int
	held     *fileLock
	proc     *Process
}

// StartPostgres starts a server in cfg.Dir with binaries of this machine, or else downloaded ones,
// and returns when the database answers.
func StartPostgres(ctx context.Context, cfg PostgresConfig) (_ *Postgres, err error) {
	if cfg.Dir, err = filepath.Abs(cfg.Dir); err != nil {
		return nil, err
	}
	p := &Postgres{cfg: cfg}
	if p.account, err = unprivileged(); err != nil {
		return nil, err
	}
	if p.home, err = place(cfg.Dir, p.account); err != nil {
		return nil, fmt.Errorf("directory for PostgreSQL: %w", err)
	}
	var free bool
	if p.held, free, err = tryLock(p.path("lock")); err != nil {
		return nil, err
	}
	if !free {
		return nil, fmt.Errorf("PostgreSQL in %s: %w", cfg.Dir, ErrInUse)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.held.release())
		}
	}()
	if err = p.chooseBinaries(ctx); err != nil {
		return nil, err
	}
	if err = p.initialise(ctx); err != nil {
		return nil, err
	}
	if err = startOn(ctx, []int{cfg.Port}, func(ports []int) error {
		p.port = ports[0]
		return p.start(ctx)
	}); err != nil {
		return nil, err
	}
	say(cfg.Progress, "postgres: version %d is ready on 127.0.0.1:%d, data in %s", p.binaries.major, p.port, cfg.Dir)
	return p, nil
}

// Port returns its port on 127.0.0.1.
func (p *Postgres) Port() int { return p.port }

// URL returns the URL for a superuser of an initially empty database.
func (p *Postgres) URL() string { return p.urlOf(pgUser) }

func (p *Postgres) urlOf(database string) string {
	u := url.URL{
		Scheme: "postgres", User: url.UserPassword(pgUser, p.password),
		Host: loopback(p.port), Path: "/" + database, RawQuery: "sslmode=disable",
	}
	return u.String()
}

// Stop ends the server in order: sessions are cut, everything is written.
func (p *Postgres) Stop(ctx context.Context) error {
	return errors.Join(p.proc.Stop(ctx), p.held.release())
}

// Kill ends the server and all its backends at once, as a power cut would. Restart recovers it.
func (p *Postgres) Kill() error { return p.proc.Kill() }

// Restart starts the server again on the same port, after Kill or by stopping it first.
func (p *Postgres) Restart(ctx context.Context) error {
	if err := p.proc.Stop(ctx); err != nil {
		return err
	}
	return p.start(ctx)
}

// Done is closed when the server process of the last start has ended.
func (p *Postgres) Done() <-chan struct{} { return p.proc.Done() }

func (p *Postgres) path(name string) string { return filepath.Join(p.home, name) }

// chooseBinaries prefers an installed server, of the version that made the data where there is data.
func (p *Postgres) chooseBinaries(ctx context.Context) (err error) {
	major, err := dataVersion(p.path("data"))
	if err != nil {
		return err
	}
	if b, ok := findPostgres(ctx, major); ok {
		p.binaries = b
		return nil
	}
	c, err := userCache()
	if err != nil {
		return err
	}
	p.binaries, err = c.postgres(ctx, mavenCentral, major, p.cfg.Progress)
	if err != nil && major != 0 {
		return fmt.Errorf("the data in %s was made by PostgreSQL %d: %w. "+
			"Deleting that directory (make clean-dev) forgets the data", p.cfg.Dir, major, err)
	}
	return err
}

// start runs the server and waits until it answers and our database exists. Where a killed server's backends have not
// all gone yet, PostgreSQL refuses to share their memory; that passes.
func (p *Postgres) start(ctx context.Context) error {
	for try := 1; ; try++ {
		err := p.startOnce(ctx)
		if err == nil || try == 20 || !strings.Contains(err.Error(), "shared memory block") {
			return err
		}
		if err := pause(ctx, 250*time.Millisecond); err != nil {
			return err
		}
	}
}

func (p *Postgres) startOnce(ctx context.Context) error {
	if err := p.clearStale(ctx); err != nil {
		return err
	}
	fsync := "on"
	if p.cfg.Unsafe {
		fsync = "off"
	}
	args := []string{"-D", p.path("data"), "-p", fmt.Sprint(p.port)}
	for _, setting := range []string{
		"listen_addresses=127.0.0.1",
		"unix_socket_directories=", // the path of a deep directory would be too long for a socket, and none is needed
		"max_connections=200",
		"fsync=" + fsync, "full_page_writes=" + fsync, // never synchronous_commit: without it even a kill forgets commits
		"timezone=UTC", "log_timezone=UTC",
	} {
		args = append(args, "-c", setting)
	}
	var err error
	p.proc, err = StartProcess(ProcessConfig{
		Name: "PostgreSQL", Path: p.binaries.program("postgres"), Args: args, Env: cleanEnv(), Dir: p.home,
		LogFile: p.path("postgres.log"), Account: p.account,
		StopSignal:  syscall.SIGINT, // PostgreSQL's fast shutdown: SIGTERM would wait until every client has gone
		DeathSignal: syscall.SIGINT,
	})
	if err != nil {
		return err
	}
	if err := await(ctx, p.proc, p.ping); err != nil {
		return errors.Join(err, p.proc.Kill())
	}
	if err := p.ensureDatabase(ctx); err != nil {
		return errors.Join(err, p.proc.Kill())
	}
	return nil
}

func (p *Postgres) ping(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, p.urlOf("postgres"))
	if err != nil {
		return err
	}
	return conn.Close(ctx)
}

func (p *Postgres) ensureDatabase(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, p.urlOf("postgres"))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }() // nothing is pending on it
	var there bool
	err = conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", pgUser).Scan(&there)
	if err != nil {
		return err
	}
	if there {
		return nil
	}
	_, err = conn.Exec(ctx, "CREATE DATABASE "+pgx.Identifier{pgUser}.Sanitize())
	return err
}

// cleanEnv is our environment without PG… variables: they are meant for clients of another server.
func cleanEnv() []string {
	var kept []string
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "PG") {
			kept = append(kept, kv)
		}
	}
	return kept
}
