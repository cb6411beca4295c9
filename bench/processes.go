package main

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
	"perennial/internal/devstack"
	"perennial/service/engine"
)

// bareEnv carries the bare side's configuration to its process: it holds secrets of this run.
const bareEnv = "PERENNIAL_BENCH_BARE"

// launch gives a process nothing of our environment but PATH and HOME: a setting in the shell of whoever measures would
// else change the product under test.
func (r *rig) launch(name, path string, args []string, settings map[string]string) (*devstack.Process, error) {
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}
	for key, value := range settings {
		env = append(env, key+"="+value)
	}
	p, err := devstack.StartProcess(devstack.ProcessConfig{
		Name: name, Path: path, Args: args, Env: env,
		LogFile: filepath.Join(r.dir, strings.ReplaceAll(name, " ", "-")+".log"), StopGrace: 40 * time.Second,
	})
	if err != nil {
		return nil, err
	}
	r.pids[name] = p.PID()
	r.atEnd(p.Stop)
	return p, nil
}

// answers waits until a process answers 200 at a URL.
func (r *rig) answers(ctx context.Context, p *devstack.Process, url string) error {
	err := eventually(ctx, url, func() error {
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

// anyPort is where the simulated providers listen that a benchmark does not use.
const anyPort = "127.0.0.1:0"

func (r *rig) startSimulator(ctx context.Context) error {
	address, err := freeAddress()
	if err != nil {
		return err
	}
	wallets, err := freeAddress()
	if err != nil {
		return err
	}
	p, err := r.launch("simulator", r.binary, []string{"simulator"}, map[string]string{
		"SIMULATOR_ADDRESS": address, "SIMULATOR_LEDGER": filepath.Join(r.dir, "ledger.jsonl"),
		"SIMULATOR_ADYEN_ADDRESS": anyPort, "SIMULATOR_PAWAPAY_ADDRESS": wallets,
		"SIMULATOR_FLUTTERWAVE_ADDRESS": anyPort, "SIMULATOR_CONTROL_ADDRESS": anyPort,
	})
	if err != nil {
		return err
	}
	r.simulator, r.pawapay = "http://"+address, "http://"+wallets
	return r.answers(ctx, p, r.simulator+"/_simulator/health")
}

// startOurs runs the product as an operator would: API and worker in processes of their own, with default settings.
// Tuned settings would measure the tuner.
func (r *rig) startOurs(ctx context.Context) (err error) {
	address, err := freeAddress()
	if err != nil {
		return err
	}
	r.ours.url = "http://" + address
	if err := r.startWorker(ctx); err != nil {
		return err
	}
	if r.ours.apiMetrics, err = freeAddress(); err != nil {
		return err
	}
	if r.ours.apiProfile, err = freeAddress(); err != nil {
		return err
	}
	settings := r.settings(r.ours.apiMetrics, r.ours.apiProfile)
	settings["LISTEN_ADDRESS"] = address
	settings["API_KEY_RATE"], settings["API_KEY_BURST"] = "1000000", "1000000" // one key makes all load
	settings["API_REQUESTS_AT_ONCE"] = "64"                                    // one environment has up to 32 clients
	if r.ours.api, err = r.launch("api", r.binary, []string{"api"}, settings); err != nil {
		return err
	}
	if err := r.answers(ctx, r.ours.api, "http://"+r.ours.apiMetrics+"/readyz"); err != nil {
		return err
	}
	if r.ours.temporal, err = client.DialContext(ctx,
		client.Options{HostPort: r.address, Namespace: oursName, Logger: devstack.Silent{}}); err != nil {
		return err
	}
	r.atEnd(func(context.Context) error { r.ours.temporal.Close(); return nil })
	r.ours.engine = engine.New(r.ours.temporal)
	return nil
}

// startWorker starts a worker and waits until new work is given to its build.
func (r *rig) startWorker(ctx context.Context) (err error) {
	if r.ours.workMetrics, err = freeAddress(); err != nil {
		return err
	}
	if r.ours.workProfile, err = freeAddress(); err != nil {
		return err
	}
	settings := r.settings(r.ours.workMetrics, r.ours.workProfile)
	if r.ours.worker, err = r.launch("worker", r.binary, []string{"worker", "--make-current"}, settings); err != nil {
		return err
	}
	if err := r.answers(ctx, r.ours.worker, "http://"+r.ours.workMetrics+"/readyz"); err != nil {
		return err
	}
	return eventually(ctx, "the current version", func() error {
		c, err := client.DialContext(ctx, client.Options{HostPort: r.address, Namespace: oursName, Logger: devstack.Silent{}})
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

func (r *rig) settings(metrics, profile string) map[string]string {
	return map[string]string{
		"DATABASE_URL": r.database(oursName), "TEMPORAL_ADDRESS": r.address, "TEMPORAL_NAMESPACE": oursName,
		"METRICS_ADDRESS": metrics, "PERENNIAL_KEK": r.stage.KEK, "PERENNIAL_BUILD_ID": "bench",
		"STRIPE_API_URL": r.simulator, "PAWAPAY_API_URL": r.pawapay,
		"WEBHOOK_LOCAL_RECEIVERS": "127.0.0.0/8", "LOG_LEVEL": "warn",
		"PPROF_ADDRESS": profile, // only a binary built with -tags pprof listens there
	}
}

func (r *rig) startBare(ctx context.Context) error {
	if err := r.register(ctx, bareName); err != nil {
		return err
	}
	address, err := freeAddress()
	if err != nil {
		return err
	}
	config := bare.Config{
		DatabaseURL: r.database(bareName), SimulatorURL: r.simulator, TemporalAddress: r.address, Namespace: bareName,
		ListenAddress: address, Stage: r.stage,
	}
	document, err := config.Text()
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if r.bare.process, err = r.launch("bare", self, nil, map[string]string{bareEnv: document}); err != nil {
		return err
	}
	r.bare.url = "http://" + address
	err = eventually(ctx, r.bare.url, func() error {
		return r.reachable(ctx, r.bare.url, r.bare.process)
	})
	if err != nil {
		return fmt.Errorf("%w; its log ends with:\n%s", err, r.bare.process.Tail(15))
	}
	if r.bare.pool, err = bare.Pool(ctx, r.database(bareName)); err != nil {
		return err
	}
	r.atEnd(func(context.Context) error { r.bare.pool.Close(); return nil })
	if r.bare.temporal, err = client.DialContext(ctx,
		client.Options{HostPort: r.address, Namespace: bareName, Logger: devstack.Silent{}}); err != nil {
		return err
	}
	r.atEnd(func(context.Context) error { r.bare.temporal.Close(); return nil })
	r.bare.script, err = bare.Record(ctx, bare.Source{
		DatabaseURL: r.database(bareName), SimulatorURL: r.simulator, Stage: r.stage,
	})
	return err
}

// reachable asks for any answer at all.
func (r *rig) reachable(ctx context.Context, url string, p *devstack.Process) error {
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
