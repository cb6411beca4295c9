package main

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"perennial/cmd/perennial/cli"
	"perennial/contract"
	"perennial/internal/testkit"
)

// Each of these faults was made on a running installation whose doctor found all well.

func TestService_RefusesAKeyThatOpensNothing(t *testing.T) {
	t.Parallel()
	env := stackEnvironment(t)
	create(t, env)
	right := env["PERENNIAL_KEK"]
	env["PERENNIAL_KEK"] = strings.TrimSpace(perennial(t, nil, "key", "kek").stdout)
	for _, command := range []string{"worker", "api", "serve"} {
		got := perennial(t, env, command)
		require.Equal(t, cli.ExitFailed, got.code)
		require.Contains(t, got.stderr, "PERENNIAL_KEK opens none of the 1 stored keysets")
		require.NotContains(t, got.stderr, env["PERENNIAL_KEK"])
	}

	// A second app, made with the second key: the process runs for the first one, and says whose does not open.
	second := env["PERENNIAL_KEK"]
	require.Equal(t, cli.ExitDone, perennial(t, env, "key", "create", "--tenant", "Acme", "--app", "Second", "--mode",
		"test").code)
	env["PERENNIAL_KEK"] = right
	api := start(t, env, "api")
	eventually(t, "it starts", func() bool { return perennial(t, env, "healthcheck").code == cli.ExitDone })
	require.Contains(t, metricsOf(t, env), "\nperennial_keysets_unreadable 1\n")
	out := api.stop()
	require.Equal(t, cli.ExitDone, out.code, out.stderr)
	require.Contains(t, out.stderr, "the keyset of an app does not decrypt")
	require.Contains(t, out.stderr, `"appId":"app_`)
	require.NotContains(t, out.stderr, second)
}

// sql runs statements on a test's database.
func sql(t *testing.T, env map[string]string, statements ...string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), env["DATABASE_URL"])
	require.NoError(t, err)
	defer conn.Close(t.Context())
	for _, s := range statements {
		_, err := conn.Exec(t.Context(), s)
		require.NoError(t, err, s)
	}
}

// found returns the details and fixes of the faults that the doctor finds in one check.
func (d diagnosis) found(check string) string { return d.with(check, bad) }

func (d diagnosis) warned(check string) string { return d.with(check, "warning") }

func (d diagnosis) with(check, verdict string) string {
	var all []string
	for _, f := range d.Checks {
		if f.Check == check && f.Verdict == verdict {
			all = append(all, f.Detail+"; "+f.Fix)
		}
	}
	return strings.Join(all, "\n")
}

func TestReadOnlyDatabase_Is503AndFoundByTheDoctor(t *testing.T) {
	t.Parallel()
	env := stackEnvironment(t)
	key := create(t, env)
	name := env["DATABASE_URL"][strings.LastIndex(env["DATABASE_URL"], "/")+1:]
	name, _, _ = strings.Cut(name, "?")
	sql(t, env, `alter database "`+name+`" set default_transaction_read_only = on`)
	api := start(t, env, "api")
	eventually(t, "it starts", func() bool { return perennial(t, env, "healthcheck").code == cli.ExitDone })

	status, header, text := post(t, env, key, "/v1/customers", `{"email":"a@example.com","name":"A"}`)
	require.Equal(t, http.StatusServiceUnavailable, status, text)
	require.Equal(t, "5", header.Get("Retry-After"))
	require.Contains(t, text, "read-only")

	d, got := diagnose(t, env)
	require.Equal(t, cli.ExitFailed, got.code)
	require.Contains(t, d.found("database"), "takes no writes")
	metrics := metricsOf(t, env)
	require.Contains(t, metrics, "\nperennial_database_writable 0\n")
	require.Contains(t, metrics, "\nperennial_database_reachable 1\n")
	require.NotContains(t, metrics, "\nperennial_workers ", "no beat can be written")
	out := api.stop()
	require.Equal(t, cli.ExitDone, out.code)
	require.Contains(t, out.stderr, "the database takes no writes")
}

// The disk of the database is full: its settings allow writes, and no write goes through.
func TestFullDisk_IsFoundByTheDoctorAndTheMetrics(t *testing.T) {
	t.Parallel()
	env := stackEnvironment(t)
	key := create(t, env)
	api := start(t, env, "api")
	eventually(t, "it starts", func() bool { return perennial(t, env, "healthcheck").code == cli.ExitDone })
	require.Contains(t, metricsOf(t, env), "\nperennial_database_writable 1\n")
	sql(t, env, `create function full_disk() returns trigger language plpgsql as $$
		begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`,
		"create trigger full_disk before insert on customers execute function full_disk()",
		"create trigger full_disk before update on write_probe execute function full_disk()")

	status, _, text := post(t, env, key, "/v1/customers", `{"email":"a@example.com","name":"A"}`)
	require.Equal(t, http.StatusServiceUnavailable, status, text)
	d, got := diagnose(t, env)
	require.Equal(t, cli.ExitFailed, got.code)
	require.Contains(t, d.found("database"), "takes no writes")
	require.Contains(t, d.found("database"), "No space left on device")
	require.Contains(t, metricsOf(t, env), "\nperennial_database_writable 0\n")
	require.Equal(t, cli.ExitDone, api.stop().code)
}

func TestDoctor_FindsPausedReconcilerAndOverdueWork(t *testing.T) {
	t.Parallel()
	env := stackEnvironment(t)
	env["S"], env["W"] = "sk_test_abc", "whsec_abc"
	create(t, env, "--stripe-secret-key-env", "S", "--stripe-webhook-secret-env", "W")
	simulator, serve := start(t, env, "simulator"), start(t, env, "serve")
	eventually(t, "the doctor finds everything in order", func() bool {
		d, _ := diagnose(t, env)
		return d.Healthy
	})
	eventually(t, "its worker has seen that new work reaches it", func() bool {
		return strings.Contains(metricsOf(t, env), "\nperennial_dispatch_stopped 0\n")
	})
	metrics := metricsOf(t, env)
	for _, zero := range []string{
		"perennial_callbacks_lost 0", "perennial_overdue_actions 0",
		"perennial_overdue_actions_age_seconds 0",
		"perennial_overdue_payments 0", "perennial_overdue_payments_age_seconds 0", "perennial_payments_in_review 0",
		"perennial_payments_in_review_age_seconds 0", "perennial_keysets_unreadable 0", "perennial_workers 1",
		"perennial_database_writable 1", `perennial_payments_review_total{provider="stripe"} 0`,
	} {
		require.Contains(t, metrics, "\n"+zero+"\n", "it exists from the start")
	}

	n := testkit.Namespace{Address: env["TEMPORAL_ADDRESS"], Name: env["TEMPORAL_NAMESPACE"]}
	schedule := n.Client(t).ScheduleClient().GetHandle(t.Context(), contract.ReconcilerScheduleID)
	require.NoError(t, schedule.Pause(t.Context(), client.SchedulePauseOptions{Note: "maintenance"}))
	sql(t, env, "update temporal_epoch set reconciled_at = now() - interval '10 minutes'")
	d, got := diagnose(t, env)
	require.Equal(t, cli.ExitFailed, got.code)
	require.Contains(t, d.found("reconciler"), `its schedule is paused ("maintenance")`)
	require.Contains(t, d.found("reconciler"), "toggle --unpause")
	require.Contains(t, d.found("reconciler"), "its last pass ended 10m")
	require.Equal(t, cli.ExitDone, serve.stop().code)

	d, _ = diagnose(t, env)
	require.Contains(t, d.found("worker version"), "has no workers",
		"its pollers are gone; Temporal shows them for minutes")
	require.Equal(t, cli.ExitDone, simulator.stop().code)
}

// metricsOf returns our own metrics, one a line.
func metricsOf(t *testing.T, env map[string]string) string {
	t.Helper()
	var ours strings.Builder
	for line := range strings.Lines(get(t, "http://"+env["METRICS_ADDRESS"]+"/metrics", "")) {
		if strings.HasPrefix(line, "perennial_") {
			ours.WriteString("\n" + line)
		}
	}
	return ours.String()
}

// No worker runs: everything that is created waits, and the API shows how long.
func TestDoctor_NamesOverdueSubscriptionsAndPaymentsInReview(t *testing.T) {
	t.Parallel()
	env := stackEnvironment(t)
	env["S"], env["W"] = "sk_test_abc", "whsec_abc"
	key := create(t, env, "--stripe-secret-key-env", "S", "--stripe-webhook-secret-env", "W")
	api := start(t, env, "api")
	eventually(t, "it starts", func() bool { return perennial(t, env, "healthcheck").code == cli.ExitDone })
	made := func(path, body string) string {
		status, _, text := post(t, env, key, path, body)
		require.Equal(t, http.StatusCreated, status, text)
		var out struct{ ID string }
		require.NoError(t, json.Unmarshal([]byte(text), &out))
		return out.ID
	}
	customer := made("/v1/customers", `{"email":"a@example.com","name":"A","paymentMethod":"card",`+
		`"paymentDetails":{"provider":"stripe","customerToken":"cus_1","paymentMethodToken":"pm_card_visa"}}`)
	plan := made("/v1/plans", `{"name":"P","currency":"EUR","interval":"month","amount":1000}`)
	sub := made("/v1/subscriptions", `{"customerId":"`+customer+`","planId":"`+plan+`","trialDays":0}`)
	txn := made("/v1/payments", `{"customerId":"`+customer+`","amount":500,"currency":"EUR"}`)
	sql(t, env, "update subscriptions set next_action_at = now() - interval '10 minutes'",
		"update transactions set parked_at = now() - interval '1 hour', next_check_at = null where id = '"+txn+"'",
		`insert into provider_callbacks (id, environment_id, provider_config_id, provider_event_id, type, provider_ref, received_at,
			lost_transaction_id)
		select 'cb_1', p.environment_id, p.id, 'evt_1', 'payment_intent.succeeded', 'pi_1', now() - interval '1 hour', 'txn_lost'
		from provider_configs p`)

	d, got := diagnose(t, env)
	require.Equal(t, cli.ExitFailed, got.code)
	require.Contains(t, d.found("overdue work"), "1 subscription: the next action is overdue, the oldest for 10m")
	require.Contains(t, d.found("overdue work"), "10.00 EUR for Acme, Shop (test; 1 subscription from "+sub+" on)")
	require.Contains(t, d.found("overdue work"), "the oldest: "+sub+" (begin)")
	require.Contains(t, d.found("payments in review"), "1 payment, the oldest for 1h0m")
	require.Contains(t, d.found("payments in review"), "5.00 EUR for Acme, Shop (test; 1 payment from "+txn+" on)")
	require.Contains(t, d.found("lost payments"),
		"1 callback about payments that the database does not have, the oldest for 1h0m")
	require.Contains(t, d.found("lost payments"), "txn_lost (pi_1, callback cb_1)")
	metrics := metricsOf(t, env)
	for _, want := range []string{
		"perennial_callbacks_lost 1", `perennial_overdue_actions_amount{currency="EUR",mode="test"} 1000`,
		`perennial_payments_in_review_amount{currency="EUR",mode="test"} 500`, "perennial_overdue_actions 1",
		"perennial_payments_in_review 1", "perennial_workers 0",
		"perennial_reconciler_age_seconds -1",
	} {
		require.Contains(t, metrics, "\n"+want+"\n")
	}
	require.Regexp(t, `\nperennial_overdue_actions_age_seconds 6\d\d`, metrics)
	require.Equal(t, cli.ExitDone, api.stop().code)
}

func post(t *testing.T, env map[string]string, key, path, body string) (status int, header http.Header, text string) {
	t.Helper()
	ask, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+env["LISTEN_ADDRESS"]+path,
		strings.NewReader(body))
	require.NoError(t, err)
	ask.Header.Set("Authorization", "Bearer "+key)
	ask.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(ask)
	require.NoError(t, err)
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer.StatusCode, answer.Header, string(raw)
}

// The workers are well and cannot say so: their beats are not written.
func TestDoctor_AccusesNoWorkerWhileTheDatabaseIsReadOnly(t *testing.T) {
	t.Parallel()
	env := stackEnvironment(t)
	create(t, env)
	worker := start(t, env, "worker")
	healthy := func() bool {
		d, _ := diagnose(t, env)
		return d.found("worker version") == "" && d.found("queue payments") == ""
	}
	eventually(t, "it works", healthy)
	name := env["DATABASE_URL"][strings.LastIndex(env["DATABASE_URL"], "/")+1:]
	name, _, _ = strings.Cut(name, "?")
	sql(t, env, `alter database "`+name+`" set default_transaction_read_only = on`, // for connections made from now on
		"select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> "+
			"pg_backend_pid()",
		"update workers set seen_at = now() - interval '10 minutes'")
	d, _ := diagnose(t, env)
	require.Contains(t, d.found("database"), "takes no writes")
	require.Empty(t, d.found("worker version"))
	require.Equal(t, cli.ExitDone, worker.stop().code)
}
