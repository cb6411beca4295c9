package rig

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"go.temporal.io/sdk/client"

	"perennial/bench/bare"
	"perennial/bench/internal/load"
	"perennial/internal/devstack"
	"perennial/service/engine"
)

// BareEnv passes the bare side's configuration to its process: it has secrets of this run.
const BareEnv = "PERENNIAL_BENCH_BARE"

// launch passes a process only PATH and HOME of the present environment: otherwise a setting in the user's shell would
// change the measured product.
func (r *Rig) launch(name, path string, args []string, settings map[string]string) (*devstack.Process, error) {
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}
	for key, value := range settings {
		env = append(env, key+"="+value)
	}
	p, err := devstack.StartProcess(devstack.ProcessConfig{
		Name: name, Path: path, Args: args, Env: env,
		LogFile: filepath.Join(r.Dir, strings.ReplaceAll(name, " ", "-")+".log"), StopGrace: 40 * time.Second,
	})
	if err != nil {
		return nil, err
	}
	r.pids[name] = p.PID()
	r.AtEnd(p.Stop)
	return p, nil
}

// answers waits until a process answers 200 at a URL.
func (r *Rig) answers(ctx context.Context, p *devstack.Process, url string) error {
	err := load.Eventually(ctx, url, func() error {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		answer, err := r.http.Do(request)
		if err != nil {
			return err
		}
		defer func() { _ = answer.Body.Close() }() // it was read to its end
		body, err := io.ReadAll(answer.Body)
		if err == nil && answer.StatusCode != http.StatusOK {
			err = fmt.Errorf("%d %s", answer.StatusCode, body)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("%w; its log ends with:\n%s", err, p.Tail(15))
	}
	return nil
}

// anyPort is the address of simulated providers without use in a benchmark.
const anyPort = "127.0.0.1:0"

func (r *Rig) startSimulator(ctx context.Context) error {
	address, err := freeAddress()
	if err != nil {
		return err
	}
	wallets, err := freeAddress()
	if err != nil {
		return err
	}
	p, err := r.launch("simulator", r.Binary, []string{"simulator"}, map[string]string{
		"SIMULATOR_ADDRESS": address, "SIMULATOR_LEDGER": filepath.Join(r.Dir, "ledger.jsonl"),
		"SIMULATOR_ADYEN_ADDRESS": anyPort, "SIMULATOR_PAWAPAY_ADDRESS": wallets,
		"SIMULATOR_FLUTTERWAVE_ADDRESS": anyPort, "SIMULATOR_CONTROL_ADDRESS": anyPort,
	})
	if err != nil {
		return err
	}
	r.simulator, r.PawaPay = "http://"+address, "http://"+wallets
	return r.answers(ctx, p, r.simulator+"/_simulator/health")
}

// startOurs runs the product as an operator would: API and worker in separate processes, with default settings. Tuned
// settings would measure the tuning.
func (r *Rig) startOurs(ctx context.Context) (err error) {
	address, err := freeAddress()
	if err != nil {
		return err
	}
	r.Ours.URL = "http://" + address
	if err := r.StartWorker(ctx); err != nil {
		return err
	}
	if r.Ours.apiMetrics, err = freeAddress(); err != nil {
		return err
	}
	if r.Ours.apiProfile, err = freeAddress(); err != nil {
		return err
	}
	settings := r.Settings(r.Ours.apiMetrics, r.Ours.apiProfile)
	settings["LISTEN_ADDRESS"] = address
	settings["API_KEY_RATE"], settings["API_KEY_BURST"] = "1000000", "1000000" // one key has all load
	settings["API_REQUESTS_AT_ONCE"] = "64"                                    // one environment has up to 32 clients
	if r.Ours.api, err = r.launch("api", r.Binary, []string{"api"}, settings); err != nil {
		return err
	}
	if err := r.answers(ctx, r.Ours.api, "http://"+r.Ours.apiMetrics+"/readyz"); err != nil {
		return err
	}
	if r.Ours.Temporal, err = client.DialContext(ctx,
		client.Options{HostPort: r.address, Namespace: OursName, Logger: devstack.Silent{}}); err != nil {
		return err
	}
	r.AtEnd(func(context.Context) error { r.Ours.Temporal.Close(); return nil })
	r.Ours.Engine = engine.New(r.Ours.Temporal)
	return nil
}

// StartWorker starts a worker and waits until its build gets new work.
func (r *Rig) StartWorker(ctx context.Context) (err error) {
	if r.Ours.workMetrics, err = freeAddress(); err != nil {
		return err
	}
	if r.Ours.workProfile, err = freeAddress(); err != nil {
		return err
	}
	settings := r.Settings(r.Ours.workMetrics, r.Ours.workProfile)
	if r.Ours.Worker, err = r.launch("worker", r.Binary, []string{"worker", "--make-current"}, settings); err != nil {
		return err
	}
	if err := r.answers(ctx, r.Ours.Worker, "http://"+r.Ours.workMetrics+"/readyz"); err != nil {
		return err
	}
	return load.Eventually(ctx, "the current version", func() error {
		c, err := client.DialContext(ctx, client.Options{HostPort: r.address, Namespace: OursName, Logger: devstack.Silent{}})
		if err != nil {
			return err
		}
		defer c.Close()
		d, err := c.WorkerDeploymentClient().GetHandle("perennial").Describe(ctx, client.WorkerDeploymentDescribeOptions{})
		if err == nil && d.Info.RoutingConfig.CurrentVersion == nil {
			err = fmt.Errorf("no build is current")
		}
		return err
	})
}

// Settings returns the environment of the product. An empty address has no listener.
func (r *Rig) Settings(metrics, profile string) map[string]string {
	return map[string]string{
		"DATABASE_URL": r.Database(OursName), "TEMPORAL_ADDRESS": r.address, "TEMPORAL_NAMESPACE": OursName,
		"METRICS_ADDRESS": metrics, "PERENNIAL_KEK": r.Stage.KEK, "PERENNIAL_BUILD_ID": "bench",
		"STRIPE_API_URL": r.simulator, "PAWAPAY_API_URL": r.PawaPay,
		"WEBHOOK_LOCAL_RECEIVERS": "127.0.0.0/8", "LOG_LEVEL": "warn",
		"PPROF_ADDRESS": profile, // only for a binary built with -tags pprof
	}
}

func (r *Rig) startBare(ctx context.Context) error {
	if err := r.register(ctx, BareName); err != nil {
		return err
	}
	address, err := freeAddress()
	if err != nil {
		return err
	}
	config := bare.Config{
		DatabaseURL: r.Database(BareName), SimulatorURL: r.simulator, TemporalAddress: r.address, Namespace: BareName,
		ListenAddress: address, Stage: r.Stage,
	}
	document, err := config.Text()
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if r.Bare.process, err = r.launch("bare", self, nil, map[string]string{BareEnv: document}); err != nil {
		return err
	}
	r.Bare.URL = "http://" + address
	err = load.Eventually(ctx, r.Bare.URL, func() error {
		return r.reachable(ctx, r.Bare.URL, r.Bare.process)
	})
	if err != nil {
		return fmt.Errorf("%w; its log ends with:\n%s", err, r.Bare.process.Tail(15))
	}
	if r.Bare.Pool, err = bare.Pool(ctx, r.Database(BareName)); err != nil {
		return err
	}
	r.AtEnd(func(context.Context) error { r.Bare.Pool.Close(); return nil })
	if r.Bare.Temporal, err = client.DialContext(ctx,
		client.Options{HostPort: r.address, Namespace: BareName, Logger: devstack.Silent{}}); err != nil {
		return err
	}
	r.AtEnd(func(context.Context) error { r.Bare.Temporal.Close(); return nil })
	r.Bare.Script, err = bare.Record(ctx, bare.Source{
		DatabaseURL: r.Database(BareName), SimulatorURL: r.simulator, Stage: r.Stage,
	})
	return err
}

// StopBare ends the bare side's process, for measurements of only the product.
func (r *Rig) StopBare(ctx context.Context) error {
	if err := r.Bare.process.Stop(ctx); err != nil {
		return err
	}
	delete(r.pids, "bare")
	return nil
}

// reachable requires an answer with any status.
func (r *Rig) reachable(ctx context.Context, url string, p *devstack.Process) error {
	if !p.Running() {
		return fmt.Errorf("it ended: %w", p.Err())
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	answer, err := r.http.Do(request)
	if err != nil {
		return err
	}
	return answer.Body.Close()
}
