// Package temporalpg runs a private Temporal server that keeps its state in PostgreSQL, for benchmarks and for
// scenarios of many workflows: the development server keeps it in SQLite, where each look for due timers reads all that
// there are. It does not own PostgreSQL.
package temporalpg

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/sdk/client"

	"perennial/internal/devstack"
)

// Version of the server: the one inside the pinned development server, so that the two can be compared.
const Version = "v1.29.1"

const module = "go.temporal.io/server"

// The databases, next to ours in the same PostgreSQL server.
const (
	storeName      = "temporal"
	visibilityName = "temporal_visibility"
)

// Databases lists them, for measurements of their sizes.
var Databases = []string{storeName, visibilityName}

// Config has the directory and the PostgreSQL server.
type Config struct {
	Dir         string // private: configuration and log
	DatabaseURL string // superuser of the PostgreSQL server
	Progress    io.Writer
}

// Server is a running one.
type Server struct {
	process *devstack.Process
	address string
	profile string
}

// Start installs missing programs, which takes minutes the first time, recreates the databases and starts the server.
func Start(ctx context.Context, c Config) (*Server, error) {
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return nil, err
	}
	server, err := devstack.EnsureTool(ctx, "server", module+"/cmd/server@"+Version, c.Progress)
	if err != nil {
		return nil, err
	}
	schemaTool, err := devstack.EnsureTool(ctx, "sql", module+"/cmd/tools/sql@"+Version, c.Progress)
	if err != nil {
		return nil, err
	}
	database, err := url.Parse(c.DatabaseURL)
	if err != nil {
		return nil, err
	}
	if err := dropDatabases(ctx, c.DatabaseURL); err != nil {
		return nil, err
	}
	for name, schema := range map[string]string{
		storeName: "postgresql/v12/temporal", visibilityName: "postgresql/v12/visibility",
	} {
		if err := makeDatabase(ctx, schemaTool, database, name, schema); err != nil {
			return nil, err
		}
	}
	p, err := choosePorts()
	if err != nil {
		return nil, err
	}
	if err := writeConfig(c.Dir, database, p); err != nil {
		return nil, err
	}
	s := &Server{address: "127.0.0.1:" + strconv.Itoa(p.frontend), profile: "127.0.0.1:" + strconv.Itoa(p.pprof)}
	s.process, err = devstack.StartProcess(devstack.ProcessConfig{
		Name: "Temporal on PostgreSQL", Path: server, Dir: c.Dir, LogFile: filepath.Join(c.Dir, "temporal.log"),
		Args: []string{"--root", c.Dir, "--env", "bench", "--allow-no-auth", "start"},
	})
	if err != nil {
		return nil, err
	}
	if err := s.await(ctx); err != nil {
		return nil, errors.Join(err, s.process.Kill())
	}
	return s, nil
}

// Address of the frontend.
func (s *Server) Address() string { return s.address }

// Profile is the address of its pprof.
func (s *Server) Profile() string { return s.profile }

// Stop ends it.
func (s *Server) Stop(ctx context.Context) error { return s.process.Stop(ctx) }

// dropDatabases drops the databases of an earlier server.
func dropDatabases(ctx context.Context, at string) (err error) {
	conn, err := pgx.Connect(ctx, at)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	for _, name := range Databases {
		if _, err := conn.Exec(ctx, "DROP DATABASE IF EXISTS "+pgx.Identifier{name}.Sanitize()+" WITH (FORCE)"); err != nil {
			return err
		}
	}
	return nil
}

// makeDatabase applies every version of a schema that the tool carries.
func makeDatabase(ctx context.Context, tool string, at *url.URL, name, schema string) error {
	password, _ := at.User.Password()
	common := []string{
		"--plugin", "postgres12_pgx", "--endpoint", at.Hostname(), "--port", at.Port(), "--user", at.User.Username(),
		"--database", name,
	}
	for _, step := range [][]string{
		{"create-database"},
		{"setup-schema", "--version", "0.0"},
		{"update-schema", "--schema-name", schema},
	} {
		cmd := exec.CommandContext(ctx, tool, append(append([]string(nil), common...), step...)...)
		cmd.Env = append(os.Environ(), "SQL_PASSWORD="+password) // not on the command line, which every user can read
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("temporal schema: %s of %s: %w\n%s", step[0], name, err, out)
		}
	}
	return nil
}

func choosePorts() (p ports, err error) {
	taken := map[int]bool{}
	for _, port := range []*int{
		&p.frontend, &p.frontendHTTP, &p.history, &p.matching, &p.worker,
		&p.frontendGossip, &p.historyGossip, &p.matchingGossip, &p.workerGossip, &p.pprof,
	} {
		for *port == 0 || taken[*port] {
			if *port, err = devstack.FreePort(0); err != nil {
				return p, err
			}
		}
		taken[*port] = true
	}
	return p, nil
}

func (s *Server) await(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 90*time.Second)
	defer cancel()
	for {
		err := s.ping(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-s.process.Done():
			return fmt.Errorf("Temporal on PostgreSQL ended while starting: %w; its log ends with:\n%s",
				s.process.Err(), s.process.Tail(20))
		case <-ctx.Done():
			return fmt.Errorf("Temporal on PostgreSQL does not answer: %w; its log ends with:\n%s", err, s.process.Tail(20))
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func (s *Server) ping(ctx context.Context) error {
	c, err := client.DialContext(ctx, client.Options{HostPort: s.address, Logger: devstack.Silent{}})
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = c.CheckHealth(ctx, &client.CheckHealthRequest{})
	return err
}
