// Package rig runs the product and the bare side with the servers that both use, and prepares subscriptions in both.
package rig

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/types/known/durationpb"

	"perennial/bench/bare"
	"perennial/bench/internal/load"
	"perennial/bench/internal/machine"
	"perennial/bench/internal/result"
	"perennial/bench/stage"
	"perennial/db"
	"perennial/internal/devstack"
	"perennial/internal/temporalpg"
	"perennial/service/engine"
)

// The databases and namespaces of both sides.
const (
	OursName = "perennial"
	BareName = "bare"
)

// Rig has the servers, both sides' processes, and the load generator's own access. Its methods are for several
// scenarios; functions for one scenario are in that scenario.
type Rig struct {
	Kind      string // of Temporal: dev or postgres
	Dir       string
	Say       func(format string, args ...any)
	Stage     stage.Stage
	postgres  *devstack.Postgres
	address   string        // of Temporal
	simulator string        // URL of Stripe's
	PawaPay   string        // URL of pawaPay's
	Binary    string        // perennial
	patience  time.Duration // the time to wait for own processes to become quiet
	waveRate  float64       // renewals per second of the slowest side's small wave; 0: not measured yet
	Others    float64       // share of the processors that others used before the run

	serverProfile string // address of Temporal's pprof; empty: not requested, or not available
	waveProfiles  []result.Profile
	profiling     bool

	Ours ours
	Bare bareSide
	http *http.Client

	pids  map[string]int                // of own processes, by name
	stops []func(context.Context) error // in the order of starts
}

// ours is this process's access to the product.
type ours struct {
	URL         string
	apiMetrics  string // address of METRICS_ADDRESS
	workMetrics string
	apiProfile  string // address of pprof, where the binary has it
	workProfile string
	Store       *db.Store     // for preparing
	Pool        *pgxpool.Pool // for counting
	Temporal    client.Client
	Engine      *engine.Engine
	api, Worker *devstack.Process
}

// bareSide is the bare side.
type bareSide struct {
	URL      string
	Store    *db.Store // for preparation and counts, not for measurements
	Pool     *pgxpool.Pool
	Temporal client.Client
	Script   *bare.Script
	process  *devstack.Process
}

// Config is the configuration of a rig.
type Config struct {
	Kind      string // of Temporal: dev or postgres
	State     string // directory for servers and tools
	Binary    string // perennial
	Profiling bool
	Patience  time.Duration // the time to wait for own processes to become quiet
	Say       func(format string, args ...any)
}

// New starts all servers and processes. Stop ends them, also after an error.
func New(ctx context.Context, c Config) (*Rig, error) {
	r := &Rig{
		Kind: c.Kind, Dir: filepath.Join(c.State, "bench", c.Kind), Binary: c.Binary, Say: c.Say, pids: map[string]int{},
		patience: c.Patience, profiling: c.Profiling,
	}
	r.http = &http.Client{
		Timeout: time.Minute, Transport: &http.Transport{
			MaxIdleConnsPerHost: 256, MaxIdleConns: 512, DisableCompression: true,
		},
	}
	r.Others = machine.Busy(ctx, 3*time.Second)
	r.Say("others use %.0f %% of the processors", 100*r.Others)
	for _, step := range []struct {
		name string
		do   func(context.Context) error
	}{
		{"servers", r.startServers}, {"databases", r.makeDatabases}, {"simulator", r.startSimulator},
		{"perennial", r.startOurs}, {"bare side", r.startBare},
	} {
		r.Say("starting %s", step.name)
		if err := step.do(ctx); err != nil {
			return r, fmt.Errorf("%s: %w", step.name, err)
		}
	}
	return r, nil
}

// Stop ends all servers and processes, the last first.
func (r *Rig) Stop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	var errs []error
	for i := len(r.stops) - 1; i >= 0; i-- {
		errs = append(errs, r.stops[i](ctx))
	}
	return errors.Join(errs...)
}

// AtEnd makes Stop call a function.
func (r *Rig) AtEnd(stop func(context.Context) error) { r.stops = append(r.stops, stop) }

// startServers begins with empty directories: results must not depend on an earlier run.
func (r *Rig) startServers(ctx context.Context) (err error) {
	if err := errors.Join(devstack.Remove(filepath.Join(r.Dir, "postgres")), os.RemoveAll(r.Dir)); err != nil {
		return err
	}
	r.postgres, err = devstack.StartPostgres(ctx, devstack.PostgresConfig{
		Dir: filepath.Join(r.Dir, "postgres"), Progress: os.Stderr,
	})
	if err != nil {
		return err
	}
	r.AtEnd(func(ctx context.Context) error {
		return errors.Join(r.postgres.Stop(ctx), devstack.Remove(filepath.Join(r.Dir, "postgres")))
	})
	if r.Kind == "postgres" {
		server, err := temporalpg.Start(ctx, temporalpg.Config{
			Dir: filepath.Join(r.Dir, "temporal"), DatabaseURL: r.postgres.URL(), Progress: os.Stderr,
		})
		if err != nil {
			return err
		}
		r.address = server.Address()
		if r.profiling {
			r.serverProfile = server.Profile()
		}
		r.AtEnd(server.Stop)
		return nil
	}
	server, err := devstack.StartTemporal(ctx, devstack.TemporalConfig{
		Dir: filepath.Join(r.Dir, "temporal"), Headless: true, Progress: os.Stderr,
	})
	if err != nil {
		return err
	}
	r.address = server.Address()
	r.AtEnd(server.Stop)
	return nil
}

// makeDatabases creates a database for each side, with the same content.
func (r *Rig) makeDatabases(ctx context.Context) (err error) {
	if r.Stage, err = stage.New(time.Now()); err != nil {
		return err
	}
	for _, name := range []string{OursName, BareName} {
		if err := createDatabase(ctx, r.postgres.URL(), name); err != nil {
			return err
		}
		if err := db.Migrate(ctx, r.Database(name), nil); err != nil {
			return err
		}
		store, err := db.Open(ctx, db.Config{URL: r.Database(name), MaxConns: 8, Clock: time.Now, ApplicationName: "bench"})
		if err != nil {
			return err
		}
		r.AtEnd(func(context.Context) error { store.Close(); return nil })
		if err := r.Stage.Build(ctx, store); err != nil {
			return err
		}
		if name == OursName {
			r.Ours.Store = store
			if r.Ours.Pool, err = pgxpool.New(ctx, r.Database(name)); err != nil {
				return err
			}
			r.AtEnd(func(context.Context) error { r.Ours.Pool.Close(); return nil })
		} else {
			r.Bare.Store = store
		}
	}
	return nil
}

func createDatabase(ctx context.Context, server, name string) error {
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }() // nothing is pending on it
	var there bool
	if err := conn.QueryRow(ctx, "select exists (select from pg_database where datname = $1)",
		name).Scan(&there); err != nil || there {
		return err
	}
	_, err = conn.Exec(ctx, "create database "+pgx.Identifier{name}.Sanitize())
	return err
}

// Database returns the URL of a database in the rig's server.
func (r *Rig) Database(name string) string {
	u, err := url.Parse(r.postgres.URL())
	if err != nil {
		return "" // devstack made it
	}
	u.Path = "/" + name
	return u.String()
}

// register creates a namespace and waits until it can be used.
func (r *Rig) register(ctx context.Context, name string) error {
	c, err := client.DialContext(ctx, client.Options{HostPort: r.address, Namespace: name, Logger: devstack.Silent{}})
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = c.WorkflowService().RegisterNamespace(ctx, &workflowservice.RegisterNamespaceRequest{
		Namespace: name, WorkflowExecutionRetentionPeriod: durationpb.New(24 * time.Hour),
	})
	if err != nil {
		return err
	}
	return load.Eventually(ctx, "namespace "+name, func() error {
		_, err := c.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{Namespace: name, PageSize: 1})
		return err
	})
}

func freeAddress() (string, error) {
	port, err := devstack.FreePort(0)
	return "127.0.0.1:" + strconv.Itoa(port), err
}

// Versions adds the versions of the rig's servers.
func (r *Rig) Versions(ctx context.Context, m *machine.Machine) error {
	err := r.Bare.Pool.QueryRow(ctx, "show server_version").Scan(&m.Postgres)
	if err != nil {
		return err
	}
	info, err := r.Bare.Temporal.WorkflowService().GetSystemInfo(ctx, &workflowservice.GetSystemInfoRequest{})
	if err != nil {
		return err
	}
	m.Temporal[r.Kind] = info.GetServerVersion()
	return nil
}
