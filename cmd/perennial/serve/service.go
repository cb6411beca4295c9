package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"go.temporal.io/sdk/client"
	"go.uber.org/zap"

	"perennial/api/httpkit"
	"perennial/cmd/perennial/cli"
	"perennial/cmd/perennial/wire"
	"perennial/db"
	"perennial/internal/config"
	"perennial/internal/failpoint"
	"perennial/internal/telemetry"
	"perennial/internal/vault"
	"perennial/service/dispatch"
	"perennial/service/engine"
	"perennial/service/gateway"
)

// flushBudget is the time that sending the last metrics and traces may take.
const flushBudget = 5 * time.Second

// Plan says which parts one process runs.
type Plan struct {
	Name        string // of the service, in logs and traces
	API, Worker bool
	MakeCurrent bool // the worker makes its build the current one, which Temporal gives new work to
	Logs        io.Writer
}

// Server is a running process: API, worker or both. Make it with Start, end it with stop. Start sets the fields one
// after the other, and stop checks each: it also ends a start that failed half-way.
type Server struct {
	config     config.Config
	telemetry  *telemetry.Telemetry
	Temporal   client.Client
	gateway    *gateway.Gateway
	vault      *vault.Vault
	needs      []httpkit.Requirement // before the process takes work
	health     *httpkit.Health       // set once all needs are known
	operations *listener
	api        *apiPart
	worker     *workerPart
	closers    []func() // in the order of opening
	Failed     chan error
}

// Start wires everything, in the order in which it depends on each other, and returns when the API listens.
func Start(ctx context.Context, p *cli.Process, c config.Config, do Plan) (_ *Server, err error) {
	if err := failpoint.Enable(p.Lookup); err != nil {
		return nil, err
	}
	s := &Server{config: c, Failed: make(chan error, 4)}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Stop(ctx))
		}
	}()
	if s.telemetry, err = telemetry.Start(ctx, telemetry.Options{
		Service: do.Name, BuildID: c.BuildID, LogLevel: c.Telemetry.LogLevel, LogOutput: do.Logs,
		OTLPEndpoint: c.Telemetry.OTLPEndpoint, Now: p.Now,
	}); err != nil {
		return s, err
	}
	// Before Temporal and the pools: the usual mistake of a deployment is a forgotten migration,
	// and this says so first.
	if err = checkSchema(ctx, c.Database.URL.Reveal()); err != nil {
		return s, err
	}
	if s.Temporal, err = wire.Temporal(c.Temporal, s.telemetry); err != nil {
		return s, err
	}
	s.closers = append(s.closers, s.Temporal.Close)
	keys, err := vault.New(c.KEK.Reveal())
	if err != nil {
		return s, err
	}
	s.vault = keys
	if err = s.checkKeysets(ctx, p, keys); err != nil {
		return s, err
	}
	s.gateway = wire.GatewayOf(c, keys)
	if do.Worker {
		if s.worker, err = s.newWorker(ctx, p, do); err != nil {
			return s, err
		}
	}
	if do.API {
		if s.api, err = s.startAPI(ctx, p); err != nil {
			return s, err
		}
	}
	s.health = httpkit.NewHealth(s.telemetry.Logger, s.needs...)
	if s.operations, err = listenOn(ctx, c.HTTP.MetricsAddress, operations(s.telemetry.Metrics(), s.health)); err != nil {
		return s, fmt.Errorf("METRICS_ADDRESS: %w", err)
	}
	if s.worker != nil {
		s.worker.begin() // last: when the worker works, all of the process is ready
	}
	s.telemetry.Logger.Info("started",
		zap.Bool("api", do.API), zap.Bool("worker", do.Worker), zap.String("metrics", s.MetricsURL()))
	return s, nil
}

// URL returns the address of the API, for people on this machine.
func (s *Server) URL() string { return s.api.url }

// MetricsURL returns the address of the metrics and health checks.
func (s *Server) MetricsURL() string { return s.operations.url() }

// wait blocks until the process is asked to end, or a part of it broke.
func (s *Server) wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case err := <-s.Failed:
		return err
	}
}

// Stop drains: first it says that it wants no more work, then the API finishes its requests while the worker still
// serves their commands, then the worker finishes its activities, and at last the logs and metrics leave.
func (s *Server) Stop(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	if s.health != nil {
		s.health.Drain()
	}
	var errs []error
	if s.api != nil {
		errs = append(errs, s.api.stop(ctx, s.config.HTTP.DrainDelay+s.config.HTTP.DrainTimeout))
	}
	if s.worker != nil {
		errs = append(errs, s.worker.stop())
	}
	if s.operations != nil {
		errs = append(errs, s.operations.stop(ctx, time.Second))
	}
	// The last opened is closed first: a later part may use an earlier one.
	for i := len(s.closers) - 1; i >= 0; i-- {
		s.closers[i]()
	}
	if s.telemetry != nil {
		s.telemetry.Logger.Info("stopped")
		ctx, cancel := context.WithTimeout(ctx, flushBudget)
		defer cancel()
		errs = append(errs, s.telemetry.Close(ctx))
	}
	return errors.Join(errs...)
}

// openStore opens one of the pools. Each kind of work has its own, so that none can starve another. The name shows in
// pg_stat_activity, so that an operator sees which kind of work holds connections.
func (s *Server) openStore(ctx context.Context, p *cli.Process, name string, connections int) (*db.Store, error) {
	store, err := db.Open(ctx, db.Config{
		URL: s.config.Database.URL.Reveal(), MaxConns: int32(connections), Clock: p.Now, Limits: gateway.Limits,
		ApplicationName: "perennial " + name,
	})
	if err != nil {
		return nil, err
	}
	s.closers = append(s.closers, store.Close)
	return store, nil
}

// dispatching returns a store whose transactions dispatch their effects after the commit.
func (s *Server) dispatching(p *cli.Process, store *db.Store) *db.Store {
	d := dispatch.New(dispatch.Config{Store: store, Engine: engine.New(s.Temporal), Now: p.Now, Log: s.telemetry.Logger})
	s.closers = append(s.closers, d.Close) // before the store, which was opened earlier
	return store.With(d)
}

// checkSchema refuses to run on a database that lacks tables this program needs. A newer one is fine: migrations expand
// before they contract, so that the old program runs during a deployment.
func checkSchema(ctx context.Context, url string) error {
	current, wanted, err := db.SchemaVersion(ctx, url)
	if err != nil {
		return err
	}
	if current < wanted {
		return fmt.Errorf("the database has schema version %d and this program needs %d: run `perennial migrate` first",
			current, wanted)
	}
	return nil
}
