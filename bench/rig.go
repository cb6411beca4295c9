package main

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
	"perennial/bench/stage"
	"perennial/db"
	"perennial/internal/devstack"
	"perennial/internal/temporalpg"
	"perennial/service/engine"
)

// The databases and namespaces of both sides.
const (
	oursName = "perennial"
	bareName = "bare"
)

// rig is everything that one run of scenarios uses: servers, both sides' processes, and the load generator's own way
// in. Its methods are for several scenarios; what one scenario alone does with it is a function of that scenario.
type rig struct {
	kind      string // of Temporal: dev or postgres
	dir       string
	say       func(format string, args ...any)
	stage     stage.Stage
	postgres  *devstack.Postgres
	address   string        // of Temporal
	simulator string        // URL of Stripe's
	pawapay   string        // URL of pawaPay's
	binary    string        // perennial
	patience  time.Duration // with our own processes, where they do not become quiet
	waveRate  float64       // renewals per second of the slowest side's small wave; 0: not tried yet
	others    float64       // share of the processors that others used before we began

	serverProfile string // address of Temporal's pprof; empty: nobody asked, or it has none
	waveProfiles  []profile
	profiling     bool

	ours ours
	bare bareSide
	http *http.Client

	pids  map[string]int                // of our own processes, by name
	stops []func(context.Context) error // in the order of starting
}

// ours is the product as this process sees it.
type ours struct {
	url         string
	apiMetrics  string // address of METRICS_ADDRESS
	workMetrics string
	apiProfile  string // address of pprof, where the binary has it
	workProfile string
	store       *db.Store     // for preparing
	pool        *pgxpool.Pool // for counting
	temporal    client.Client
	engine      *engine.Engine
	api, worker *devstack.Process
}

// bareSide is the other side.
type bareSide struct {
	url      string
	store    *db.Store // for preparing and counting; nothing measured goes through it
	pool     *pgxpool.Pool
	temporal client.Client
	script   *bare.Script
	process  *devstack.Process
}

// newRig starts everything. stop ends it, also after an error.
func newRig(ctx context.Context, o options, kind string, say func(string, ...any)) (*rig, error) {
	r := &rig{
		kind: kind, dir: filepath.Join(o.state, "bench", kind), binary: o.binary, say: say, pids: map[string]int{},
		patience: pick(o, 30*time.Second, 3*time.Minute), profiling: o.profile,
	}
	r.http = &http.Client{
		Timeout: time.Minute, Transport: &http.Transport{
			MaxIdleConnsPerHost: 256, MaxIdleConns: 512, DisableCompression: true,
		},
	}
	r.others = busy(ctx, 3*time.Second)
	say("others use %.0f %% of the processors", 100*r.others)
	for _, step := range []struct {
		name string
		do   func(context.Context) error
	}{
		{"servers", r.startServers}, {"databases", r.makeDatabases}, {"simulator", r.startSimulator},
		{"perennial", r.startOurs}, {"bare side", r.startBare},
	} {
		say("starting %s", step.name)
		if err := step.do(ctx); err != nil {
			return r, fmt.Errorf("%s: %w", step.name, err)
		}
	}
	return r, nil
}

func (r *rig) stop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	var errs []error
	for i := len(r.stops) - 1; i >= 0; i-- {
		errs = append(errs, r.stops[i](ctx))
	}
	return errors.Join(errs...)
}

func (r *rig) atEnd(stop func(context.Context) error) { r.stops = append(r.stops, stop) }

// startServers begins with nothing: results must not depend on what an earlier run left.
func (r *rig) startServers(ctx context.Context) (err error) {
	if err := errors.Join(devstack.Remove(filepath.Join(r.dir, "postgres")), os.RemoveAll(r.dir)); err != nil {
		return err
	}
	r.postgres, err = devstack.StartPostgres(ctx, devstack.PostgresConfig{
		Dir: filepath.Join(r.dir, "postgres"), Progress: os.Stderr,
	})
	if err != nil {
		return err
	}
	r.atEnd(func(ctx context.Context) error {
		return errors.Join(r.postgres.Stop(ctx), devstack.Remove(filepath.Join(r.dir, "postgres")))
	})
	if r.kind == "postgres" {
		server, err := temporalpg.Start(ctx, temporalpg.Config{
			Dir: filepath.Join(r.dir, "temporal"), DatabaseURL: r.postgres.URL(), Progress: os.Stderr,
		})
		if err != nil {
			return err
		}
		r.address = server.Address()
		if r.profiling {
			r.serverProfile = server.Profile()
		}
		r.atEnd(server.Stop)
		return nil
	}
	server, err := devstack.StartTemporal(ctx, devstack.TemporalConfig{
		Dir: filepath.Join(r.dir, "temporal"), Headless: true, Progress: os.Stderr,
	})
	if err != nil {
		return err
	}
	r.address = server.Address()
	r.atEnd(server.Stop)
	return nil
}

// makeDatabases gives each side one with the same content.
func (r *rig) makeDatabases(ctx context.Context) (err error) {
	if r.stage, err = stage.New(time.Now()); err != nil {
		return err
	}
	for _, name := range []string{oursName, bareName} {
		if err := createDatabase(ctx, r.postgres.URL(), name); err != nil {
			return err
		}
		if err := db.Migrate(ctx, r.database(name), nil); err != nil {
			return err
		}
		store, err := db.Open(ctx, db.Config{URL: r.database(name), MaxConns: 8, Clock: time.Now, ApplicationName: "bench"})
		if err != nil {
			return err
		}
		r.atEnd(func(context.Context) error { store.Close(); return nil })
		if err := r.stage.Build(ctx, store); err != nil {
			return err
		}
		if name == oursName {
			r.ours.store = store
			if r.ours.pool, err = pgxpool.New(ctx, r.database(name)); err != nil {
				return err
			}
			r.atEnd(func(context.Context) error { r.ours.pool.Close(); return nil })
		} else {
			r.bare.store = store
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

// database is the URL of one in the rig's server.
func (r *rig) database(name string) string {
	u, err := url.Parse(r.postgres.URL())
	if err != nil {
		return "" // devstack made it
	}
	u.Path = "/" + name
	return u.String()
}

// register makes a namespace and waits until it can be used.
func (r *rig) register(ctx context.Context, name string) error {
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
	return eventually(ctx, "namespace "+name, func() error {
		_, err := c.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{Namespace: name, PageSize: 1})
		return err
	})
}

func freeAddress() (string, error) {
	port, err := devstack.FreePort(0)
	return "127.0.0.1:" + strconv.Itoa(port), err
}

// eventuallyPatience is for a machine that others use too, and for what the scenario before has left to do.
const eventuallyPatience = 5 * time.Minute

// eventually repeats a check until it passes or patience ends.
func eventually(ctx context.Context, what string, check func() error) error {
	ctx, cancel := context.WithTimeout(ctx, eventuallyPatience)
	defer cancel()
	for {
		err := check()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready after %s: %w", what, eventuallyPatience, err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}
