package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/cmd/perennial/cli"
	"perennial/internal/devstack"
	"perennial/internal/testkit"
	"perennial/internal/testkit/wait"
)

// running is a command that runs until it is stopped.
type running struct {
	cancel context.CancelFunc
	ended  chan outcome
}

func start(t *testing.T, env map[string]string, args ...string) *running {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	r := &running{cancel: cancel, ended: make(chan outcome, 1)}
	go func() { r.ended <- perennialUntil(ctx, env, "", args...) }()
	t.Cleanup(cancel)
	return r
}

// stop asks for the orderly end, as a signal does.
func (r *running) stop() outcome {
	r.cancel()
	return <-r.ended
}

// stackEnvironment returns the settings that serve needs, with free ports.
func stackEnvironment(t *testing.T) map[string]string {
	t.Helper()
	env := database(t)
	temporal := testkit.Temporal(t)
	maps.Copy(env, map[string]string{
		"TEMPORAL_ADDRESS": temporal.Address, "TEMPORAL_NAMESPACE": temporal.Name, "PERENNIAL_BUILD_ID": "test-1",
		"SIMULATOR_LEDGER": filepath.Join(t.TempDir(), "ledger.jsonl"),
	})
	for _, name := range []string{"LISTEN_ADDRESS", "METRICS_ADDRESS", "SIMULATOR_ADDRESS"} {
		port, err := devstack.FreePort(0)
		require.NoError(t, err)
		env[name] = fmt.Sprintf("127.0.0.1:%d", port)
	}
	maps.Copy(env, otherSimulatorPorts)
	env["STRIPE_API_URL"] = "http://" + env["SIMULATOR_ADDRESS"]
	return env
}

// eventually polls until the condition holds; the deadline is for busy machines.
func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	require.Eventually(t, so, wait.Patience, 50*time.Millisecond, what)
}

// The verdicts of a check.
const (
	good    = "ok"
	warning = "warning"
	bad     = "failed"
)

// finding is one check, as doctor --json has it.
type finding struct{ Check, Verdict, Detail, Fix string }

type diagnosis struct {
	Healthy bool
	Checks  []finding
}

func diagnose(t *testing.T, env map[string]string) (diagnosis, outcome) {
	t.Helper()
	got := perennial(t, env, "doctor", "--json", "--timeout", wait.Patience.String())
	var d diagnosis
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &d), got.stderr)
	return d, got
}

// verdicts returns the doctor's verdicts of one check.
func (d diagnosis) verdicts(check string) (all []string) {
	for _, f := range d.Checks {
		if f.Check == check {
			all = append(all, f.Verdict)
		}
	}
	return all
}

// One stack's life: nothing runs, everything runs, it drains; the doctor is run at each stage.
func TestServeAndDoctor(t *testing.T) {
	t.Parallel()
	env := stackEnvironment(t)
	env["S"], env["W"] = "sk_test_abc", "whsec_abc"
	key := create(t, env, "--stripe-secret-key-env", "S", "--stripe-webhook-secret-env", "W")

	sick, got := diagnose(t, env)
	require.Equal(t, cli.ExitFailed, got.code)
	require.False(t, sick.Healthy)
	for check, verdicts := range map[string][]string{
		"configuration": {good}, "database": {good}, "clock": {good}, "schema": {good}, "key-encryption key": {good},
		"usage partitions": {good}, "environment": {good},
		"payment provider": {
			bad}, "Temporal": {good}, "namespace": {good}, "search attributes": {bad}, "worker version": {bad},
		"queue billing": {bad, bad}, "queue payments": {bad}, "reconciler": {
			bad, bad,
		}, "overdue work": {good}, "payments in review": {good},
	} {
		require.Equal(t, verdicts, sick.verdicts(check), check)
	}
	for _, f := range sick.Checks {
		require.Equal(t, f.Verdict != good, f.Fix != "", "what is not good says how to fix it: %+v", f)
	}

	simulator := start(t, env, "simulator")
	serve := start(t, env, "serve") // the first build makes itself current
	eventually(t, "the doctor finds everything in order", func() bool {
		d, got := diagnose(t, env)
		return d.Healthy && got.code == cli.ExitDone
	})
	env["PUBLIC_URL"] = "https://billing.example.com"
	var lines string
	eventually(t, "the doctor says so in plain text", func() bool { // a busy Temporal may leave one question unanswered
		got := perennial(t, env, "doctor", "--timeout", wait.Patience.String())
		lines = got.stdout
		return got.code == cli.ExitDone
	})
	require.Contains(t, lines, "takes our key; its callbacks come to https://billing.example.com/callbacks/stripe/pp_")
	require.Contains(t, lines, ": time zone UTC; retries after 24h, 48h, 96h and at most 1h of jitter; ")
	require.Contains(t, lines, "ok       worker version         build test-1 is current\n")
	require.NotContains(t, lines, "fix:")

	require.Equal(t, cli.ExitDone, perennial(t, env, "healthcheck").code)
	require.Contains(t, get(t, "http://"+env["METRICS_ADDRESS"]+"/metrics", ""), "temporal_")
	require.Contains(t, get(t, "http://"+env["LISTEN_ADDRESS"]+"/v1/apps", key), "Shop")

	out := serve.stop()
	require.Equal(t, cli.ExitDone, out.code, out.stderr)
	for line := range strings.Lines(out.stderr) {
		require.True(t, json.Valid([]byte(line)), "a log line that is no JSON: %s", line)
		require.NotContains(t, line, key)
	}
	require.Contains(t, out.stderr, `"message":"stopped"`)
	require.Equal(t, cli.ExitFailed, perennial(t, env, "healthcheck").code)
	out = simulator.stop()
	require.Equal(t, cli.ExitDone, out.code, out.stderr)
}

func get(t *testing.T, url, key string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+key)
	answer, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, answer.StatusCode, string(text))
	return string(text)
}

func TestDoctor_NamesKeyThatDoesNotOpen(t *testing.T) {
	t.Parallel()
	env := stackEnvironment(t)
	create(t, env)
	env["PERENNIAL_KEK"] = strings.TrimSpace(perennial(t, nil, "key", "kek").stdout)
	d, got := diagnose(t, env)
	require.Equal(t, cli.ExitFailed, got.code)
	require.Equal(t, []string{bad}, d.verdicts("key-encryption key"))
	require.Empty(t, d.verdicts("payment provider"), "one cause, one line")
}

func TestDoctor_NothingRuns(t *testing.T) {
	t.Parallel()
	d, got := diagnose(t, nil)
	require.Equal(t, cli.ExitFailed, got.code)
	require.Equal(t, []string{bad, bad, bad}, d.verdicts("configuration"))
	require.Len(t, d.Checks, 3)

	env := map[string]string{
		"DATABASE_URL": "postgres://somebody:hidden@127.0.0.1:1/none", "TEMPORAL_ADDRESS": "127.0.0.1:1",
		"PERENNIAL_KEK": "kek_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
	}
	got = perennial(t, env, "doctor", "--timeout", "2s")
	require.Equal(t, cli.ExitFailed, got.code)
	require.Contains(t, got.stdout, "failed   database ")
	require.Contains(t, got.stdout, "failed   Temporal ")
	require.Contains(t, got.stdout, "fix: check TEMPORAL_ADDRESS")
	require.NotContains(t, got.stdout, "hidden")
}

func TestServe_RefusesEmptyDatabase(t *testing.T) {
	t.Parallel()
	env := map[string]string{
		"DATABASE_URL": testkit.Postgres(t, nil).URL, "TEMPORAL_ADDRESS": "127.0.0.1:1",
		"PERENNIAL_KEK": "kek_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
	}
	got := perennial(t, env, "api")
	require.Equal(t, cli.ExitFailed, got.code)
	require.Contains(t, got.stderr, "run `perennial migrate` first")
}
