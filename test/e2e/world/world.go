package world

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"perennial/db"
	"perennial/internal/devstack"
	"perennial/internal/testkit"
	"perennial/internal/testkit/rule"
	"perennial/internal/vault"
	"perennial/test/testdb"
)

// Windows are the times for which the provider remembers keys, and for which we rely on them.
type Windows struct {
	Provider   time.Duration // the simulator forgets a key after this
	Replay     time.Duration // STRIPE_REPLAY_WINDOW
	AbsenceGap time.Duration // PAYMENT_ABSENCE_GAP
}

// Usual are a real provider's windows: nothing in a test outlasts them.
var Usual = Windows{Provider: 24 * time.Hour, Replay: 20 * time.Hour, AbsenceGap: time.Hour}

// Middle are windows in which replays work, and after which a test can wait for the proof that a charge never arrived:
// a charge that was lost on the way and then canceled is not decided before.
var Middle = Windows{Provider: 2 * time.Minute, Replay: 40 * time.Second, AbsenceGap: 2 * time.Second}

// Short are windows that a test outlasts. The provider remembers for much longer than we rely on it, as real ones do:
// the difference covers the time of a request.
var Short = Windows{Provider: 10 * time.Second, Replay: 2 * time.Second, AbsenceGap: 2 * time.Second}

// Config chooses the parts of an installation.
// Zero: the servers that all tests share, the usual windows, one environment.
type Config struct {
	Postgres     *devstack.Postgres // of the test's own, to be killed
	Temporal     *devstack.Temporal
	Windows      Windows
	Environments int
	TimeZone     string   // of the environments; "": UTC
	Env          []string // of the service
	Workerless   bool     // the service is an API alone; Worker starts workers
}

// World is one running installation.
type World struct {
	Pool         *pgxpool.Pool // for the checker and the supervisor; nothing is written through it
	Service      *Program      // API and worker
	Provider     *Program      // the simulator
	Simulator    *Simulator
	Environments []*Environment
	Secrets      map[string]string // secrets that must never be seen outside, by their names

	URL, Metrics string
	Address      string // of Temporal
	Namespace    string
	Dir          string

	base     []string // the environment of a process with all settings but its own addresses and build
	programs []*Program
}

// Programs are all processes that were made for the installation, started or not.
func (w *World) Programs() []*Program { return w.programs }

// Environment is one environment with its key.
type Environment struct {
	*Client
	ID               string
	ProviderConfigID string
	WebhookSecret    string
}

// New starts an installation; everything ends with the test.
func New(t testing.TB, c Config) *World {
	t.Helper()
	if c.Windows == (Windows{}) {
		c.Windows = Usual
	}
	w := &World{Secrets: map[string]string{}, Dir: workDir(t)}
	databaseURL := w.database(t, c)
	w.temporal(t, c)
	kek := vault.NewKEK()
	w.Secrets["key-encryption key"] = kek
	base := append(plainEnv(), "DATABASE_URL="+databaseURL, "PERENNIAL_KEK="+kek)

	w.startProvider(t, c)
	w.URL, w.Metrics = "http://"+address(t), "http://"+address(t)
	w.base = append(append(append([]string{}, base...),
		"TEMPORAL_ADDRESS="+w.Address, "TEMPORAL_NAMESPACE="+w.Namespace,
		"RECONCILE_EVERY=10s", "BOOTSTRAP_EVERY=10s",
		"DATABASE_POOL_API=8", "DATABASE_POOL_ACTIVITIES=8", "PUBLIC_URL="+w.URL,
		"STRIPE_TIMEOUT=2s",
		"API_KEY_RATE=100000", "API_KEY_BURST=100000", "API_REQUESTS_AT_ONCE=10000", // one test is many callers
		"STRIPE_REPLAY_WINDOW="+c.Windows.Replay.String(), "PAYMENT_ABSENCE_GAP="+c.Windows.AbsenceGap.String(),
	), append(w.Simulator.addresses(), c.Env...)...)
	command := "serve"
	if c.Workerless {
		command = "api"
	}
	w.Service = w.service(t, command, "e2e", command)
	for i := range max(c.Environments, 1) {
		w.Environments = append(w.Environments, w.environment(t, base, i, c.TimeZone))
	}
	t.Cleanup(func() {
		if t.Failed() {
			w.tellRows(t)
			w.tellWorkflows(t)
		}
	})
	first := w.Environments[0]
	w.Simulator.Callbacks(t, w.URL+"/callbacks/"+first.ProviderConfigID, first.WebhookSecret)
	return w
}

// service is a process with the API as one build, at the addresses of w.Service.
func (w *World) service(t testing.TB, name, build, command string) *Program {
	t.Helper()
	return w.program(t, name, w.Metrics+"/readyz", append(append([]string{}, w.base...),
		"LISTEN_ADDRESS="+host(w.URL), "METRICS_ADDRESS="+host(w.Metrics), "PERENNIAL_BUILD_ID="+build), command)
}

// Worker is a worker process of one build, with its operations address; it is not started yet.
func (w *World) Worker(t testing.TB, build string, args ...string) (p *Program, metrics string) {
	t.Helper()
	metrics = "http://" + address(t)
	return w.program(t, "worker-"+build, metrics+"/readyz", append(append([]string{}, w.base...),
		"METRICS_ADDRESS="+host(metrics), "PERENNIAL_BUILD_ID="+build), append([]string{"worker"}, args...)...), metrics
}

// Doctor runs `perennial doctor` as a build, and returns its output; the error is of its exit code.
func (w *World) Doctor(t testing.TB, build string) (string, error) {
	t.Helper()
	out, _, err := Run(t, append(append([]string{}, w.base...), "PERENNIAL_BUILD_ID="+build), "doctor")
	return out, err
}

// Client speaks to Temporal.
func (w *World) Client(t testing.TB) client.Client {
	t.Helper()
	n := testkit.Namespace{Address: w.Address, Name: w.Namespace}
	return n.Client(t)
}

func (w *World) database(t testing.TB, c Config) string {
	t.Helper()
	var url string
	if c.Postgres != nil {
		url = c.Postgres.URL()
		require.NoError(t, db.Migrate(t.Context(), url, nil))
	} else {
		url = testdb.Migrated(t).URL
	}
	config, err := pgxpool.ParseConfig(url)
	require.NoError(t, err)
	config.MaxConns = 4
	w.Pool, err = pgxpool.NewWithConfig(t.Context(), config)
	require.NoError(t, err)
	t.Cleanup(w.Pool.Close)
	return url
}

func (w *World) temporal(t testing.TB, c Config) {
	t.Helper()
	if c.Temporal != nil {
		w.Address, w.Namespace = c.Temporal.Address(), "perennial"
		return
	}
	n := testkit.Temporal(t)
	w.Address, w.Namespace = n.Address, n.Name
}

func (w *World) startProvider(t testing.TB, c Config) {
	t.Helper()
	w.Simulator = newSimulator(t)
	w.Provider = w.program(t, "simulator", w.Simulator.url+"/_simulator/health", append(
		append(plainEnv(), w.Simulator.ports(filepath.Join(w.Dir, "ledger.jsonl"))...),
		"SIMULATOR_KEY_WINDOW="+c.Windows.Provider.String(), "SIMULATOR_HANG=20s",
	), "simulator")
	w.Provider.Start(t)
	require.True(t, w.Provider.Running(), "the simulator has ended")
	rule.Watch(t, w.Simulator.takenTwice)
}

// SimulatorOn runs a simulator of its own on a ledger that exists, until the function that it is for has steered it.
func SimulatorOn(t testing.TB, ledger string, steer func(*Simulator)) {
	t.Helper()
	w := &World{Dir: workDir(t), Simulator: newSimulator(t)}
	p := w.program(t, "simulator", w.Simulator.url+"/_simulator/health",
		append(plainEnv(), w.Simulator.ports(ledger)...), "simulator")
	p.Start(t)
	steer(w.Simulator)
	require.NoError(t, p.stop(t.Context()))
}

func (w *World) program(t testing.TB, name, ready string, env []string, args ...string) *Program {
	t.Helper()
	p := &Program{name: name, path: Binary(t), args: args, env: env, log: filepath.Join(w.Dir, name+".log"), ready: ready}
	w.programs = append(w.programs, p)
	t.Cleanup(func() {
		if t.Failed() {
			p.tell(t)
		}
		if err := p.stop(context.WithoutCancel(t.Context())); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	})
	return p
}

// environment is made as an operator makes one: by the command line.
func (w *World) environment(t testing.TB, base []string, n int, zone string) *Environment {
	t.Helper()
	secret, webhook := fmt.Sprintf("sk_test_canarysecret%d", n), fmt.Sprintf("whsec_canarysecret%d", n)
	out, _, err := Run(t, append(append([]string{}, base...), "STRIPE_KEY="+secret, "STRIPE_WEBHOOK="+webhook),
		"key", "create", "--tenant", "E2E", "--app", fmt.Sprintf("App %d", n), "--mode", "test", "--time-zone",
		cmp.Or(zone, "UTC"),
		"--stripe-secret-key-env", "STRIPE_KEY", "--stripe-webhook-secret-env", "STRIPE_WEBHOOK")
	require.NoError(t, err)
	key := strings.TrimSpace(out)
	w.Secrets[fmt.Sprintf("API key %d", n)] = key
	w.Secrets[fmt.Sprintf("provider's secret key %d", n)] = secret
	w.Secrets[fmt.Sprintf("provider's webhook secret %d", n)] = webhook
	e := &Environment{Client: newClient(w.URL, key), WebhookSecret: webhook}
	newest := "select c.environment_id, c.id from provider_configs c order by c.environment_id desc limit 1"
	require.NoError(t, w.Pool.QueryRow(t.Context(), newest).Scan(&e.ID, &e.ProviderConfigID))
	return e
}

// workDir is kept when the test fails, for an analysis.
func workDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "perennial-e2e-world-") //nolint:usetesting // t.TempDir forgets also what a failed test left
	require.NoError(t, err)
	t.Cleanup(func() {
		if !t.Failed() {
			require.NoError(t, os.RemoveAll(dir))
		}
	})
	return dir
}

// plainEnv returns the variables of ours that a program needs, without the settings of the user.
func plainEnv() []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "TZ=UTC", "GORACE=halt_on_error=0 exitcode=66",
	}
}

func address(t testing.TB) string {
	t.Helper()
	port, err := devstack.FreePort(0)
	require.NoError(t, err)
	return fmt.Sprintf("127.0.0.1:%d", port)
}

func host(url string) string { return strings.TrimPrefix(url, "http://") }

// answers reports whether the URL responds with 200.
func answers(url string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false
	}
	res, err := http.DefaultClient.Do(r)
	return err == nil && res.Body.Close() == nil && res.StatusCode == http.StatusOK
}
