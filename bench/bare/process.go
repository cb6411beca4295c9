package bare

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/gob"
	"errors"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"golang.org/x/sync/errgroup"

	"perennial/bench/stage"

	"perennial/internal/devstack"
)

// Config is the configuration of the bare side's process.
type Config struct {
	DatabaseURL     string
	SimulatorURL    string
	TemporalAddress string
	Namespace       string
	ListenAddress   string
	Stage           stage.Stage
}

// Text returns the configuration as one word, for an environment variable.
func (c Config) Text() (string, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(c)
	return base64.StdEncoding.EncodeToString(b.Bytes()), err
}

// ParseConfig is the reverse of Text.
func ParseConfig(text string) (c Config, err error) {
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return c, err
	}
	return c, gob.NewDecoder(bytes.NewReader(raw)).Decode(&c)
}

// The default bounds of the product's processes.
const (
	connections     = 20
	slots           = 32
	workflowSlots   = 64
	stickyPatience  = 20 * time.Second
	pollers         = 4
	cachedWorkflows = 1000
)

// Pool opens as many connections as the product does.
func Pool(ctx context.Context, url string) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	config.MaxConns = connections
	return pgxpool.NewWithConfig(ctx, config)
}

// Run runs the bare side's process: a worker, and a server for the reads.
func Run(ctx context.Context, c Config) error {
	source := Source{DatabaseURL: c.DatabaseURL, SimulatorURL: c.SimulatorURL, Stage: c.Stage}
	script, err := Record(ctx, source)
	if err != nil {
		return err
	}
	pool, err := Pool(ctx, c.DatabaseURL)
	if err != nil {
		return err
	}
	defer pool.Close()
	temporal, err := client.DialContext(ctx, client.Options{
		HostPort: c.TemporalAddress, Namespace: c.Namespace, Logger: devstack.Silent{},
	})
	if err != nil {
		return err
	}
	defer temporal.Close()

	transport := &http.Transport{MaxIdleConnsPerHost: slots, IdleConnTimeout: time.Minute}
	stop, err := work(temporal, &Activities{
		Pool: pool, Script: script, Writes: script.WritesOnly(),
		HTTP: &http.Client{Transport: transport, Timeout: 30 * time.Second}, Simulator: c.SimulatorURL,
	})
	if err != nil {
		return err
	}
	defer stop()
	server := &http.Server{Addr: c.ListenAddress, Handler: Handler(pool, source), ReadHeaderTimeout: 5 * time.Second}
	group, groupCtx := errgroup.WithContext(ctx)
	group.Go(func() error {
		if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	})
	group.Go(func() error {
		<-groupCtx.Done()
		return server.Close()
	})
	return group.Wait()
}

// work polls both queues, as the product does.
func work(c client.Client, a *Activities) (stop func(), err error) {
	worker.SetStickyWorkflowCacheSize(cachedWorkflows)
	options := worker.Options{
		MaxConcurrentActivityExecutionSize: slots, MaxConcurrentLocalActivityExecutionSize: slots,
		MaxConcurrentWorkflowTaskExecutionSize: workflowSlots, MaxConcurrentWorkflowTaskPollers: pollers,
		MaxConcurrentActivityTaskPollers: pollers, StickyScheduleToStartTimeout: stickyPatience,
	}
	billing := worker.New(c, QueueBilling, options)
	billing.RegisterWorkflow(Renewal)
	billing.RegisterWorkflow(Commanded)
	billing.RegisterWorkflow(Idle)
	billing.RegisterWorkflow(Payment)
	billing.RegisterActivity(a)
	options.DisableWorkflowWorker = true
	payments := worker.New(c, QueuePayments, options)
	payments.RegisterActivity(a)
	if err := billing.Start(); err != nil {
		return nil, err
	}
	if err := payments.Start(); err != nil {
		billing.Stop()
		return nil, err
	}
	return func() { payments.Stop(); billing.Stop() }, nil
}
