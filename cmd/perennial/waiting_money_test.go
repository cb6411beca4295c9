package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	logged "go.uber.org/zap/zaptest/observer"

	"perennial/cmd/perennial/backlog"
	"perennial/cmd/perennial/cli"
	"perennial/db"
	"perennial/internal/telemetry"
)

// The provider refuses everything, so that each charge is looked at again later and nothing is overdue.
func TestWaitingMoney_IsInMetricsAndDoctor(t *testing.T) {
	t.Parallel()
	env := stackEnvironment(t)
	env["S"], env["W"] = "sk_test_abc", "whsec_abc"
	key := create(t, env, "--stripe-secret-key-env", "S", "--stripe-webhook-secret-env", "W")
	api := start(t, env, "api")
	eventually(t, "it starts", func() bool { return perennial(t, env, "healthcheck").code == cli.ExitDone })
	quiet := metricsOf(t, env)
	require.Contains(t, quiet, "\nperennial_untaken_charges 0\n")
	require.Contains(t, quiet, "\nperennial_refunds_owed 0\n")
	charge := `insert into transactions (id, environment_id, type, status, customer_id, amount, currency, description, trigger, amount_refunded,
		refund_owed, refund_owed_at, send_number, checks, not_found_count, send_due_at, next_check_at, due_at, completed_at, created_at) `
	sql(t, env,
		`insert into customers (id, environment_id, metadata, created_at) select 'cust_1', id, '{}', now() from environments`,
		charge+`select 'txn_00000000000000000000000001', id, 'charge', 'pending', 'cust_1', 700, 'EUR', '', 'manual', 0,
			0, null, 1, 1, 0, now() - interval '70 seconds', now() + interval '1 hour', now(), null, now() from environments`,
		charge+`select 'txn_00000000000000000000000003', id, 'charge', 'pending', 'cust_1', 900, 'EUR', '', 'manual', 0,
			0, null, 1, 1, 0, now() - interval '2 days', now() + interval '1 hour', now(), null, now() from environments`,
		`update transactions set provider_ref = 'pi_1', first_sent_at = now() - interval '25 hours'
			where id = 'txn_00000000000000000000000003'`,
		charge+`select 'txn_00000000000000000000000002', id, 'charge', 'success', 'cust_1', 1000, 'XAF', '', 'manual', 0,
			1000, now() - interval '2 hours', 1, 1, 0, now(), null, now(), now(), now() from environments`)

	metrics := metricsOf(t, env)
	for _, want := range []string{
		"perennial_overdue_payments 0", "perennial_untaken_charges 1", "perennial_undecided_payments 1",
		"perennial_refunds_owed 1",
		`perennial_untaken_charges_amount{currency="EUR",mode="test"} 700`,
		`perennial_refunds_owed_amount{currency="XAF",mode="test"} 1000`,
	} {
		require.Contains(t, metrics, "\n"+want+"\n")
	}
	d, _ := diagnose(t, env)
	require.Contains(t, d.found("charges not taken"),
		"7.00 EUR for Acme, Shop (test; 1 charge from txn_00000000000000000000000001 on)")
	require.Contains(t, d.found("undecided payments"), "9.00 EUR for Acme, Shop")
	require.Contains(t, d.found("undecided payments"), "oldest for 25h0m")
	require.Contains(t, d.found("refunds owed"), "1 charge, the oldest for 2h0m")
	require.Contains(t, d.found("refunds owed"), "1000 XAF for Acme, Shop")
	require.Contains(t, d.found("refunds owed"), "retry-refund")

	list := get(t, "http://"+env["LISTEN_ADDRESS"]+"/v1/payments?refundOwed=true", key)
	require.Contains(t, list, "txn_00000000000000000000000002")
	require.NotContains(t, list, "txn_00000000000000000000000001")
	require.Equal(t, cli.ExitDone, api.stop().code)
}

func TestAlarm_NamesWhoseMoneyWaits(t *testing.T) {
	t.Parallel()
	core, logs := logged.New(zapcore.InfoLevel)
	s := &server{telemetry: &telemetry.Telemetry{Logger: zap.New(core)}}
	memory, at := &said{at: map[string]time.Time{}}, time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	sums := []db.WaitingMoney{{
		EnvironmentID: "env_1", Tenant: "Acme", App: "Shop", Mode: "live", Currency: "EUR", Count: 3, Amount: 2700,
		Oldest: at.Add(-70 * time.Second), FirstID: "txn_1",
	}, {EnvironmentID: "env_2", Currency: "XAF", Count: 1, Amount: 500, Oldest: at.Add(-time.Minute)}}
	by := map[string]backlog.Waiting{}
	for _, w := range backlog.AllWaiting {
		by[w.Metric] = w
	}
	for range 2 {
		s.soundWaiting(by["untaken_charges"], sums, memory, at)
	}
	for _, w := range backlog.AllWaiting[:3] {
		s.soundWaiting(w, sums[:1], memory, at)
	}
	s.soundWaiting(by["refunds_owed"], nil, memory, at)
	require.Equal(t, 2+3, logs.FilterLevelExact(zapcore.ErrorLevel).Len(),
		"one for each environment and currency, once a minute")
	for i, idField := range []string{"subscriptionId", "transactionId", "transactionId"} { // actions, payments, reviews
		fields := logs.All()[2+i].ContextMap()
		require.Equal(t, "Acme", fields["tenant"])
		require.Equal(t, "27.00 EUR", fields["amount"])
		require.Equal(t, at.Add(-70*time.Second), fields["since"].(time.Time).UTC())
		require.Equal(t, "txn_1", fields[idField])
	}
	fields := logs.All()[0].ContextMap()
	require.Equal(t, "27.00 EUR", fields["amount"])
	require.Equal(t, "Acme", fields["tenant"])
	require.Equal(t, "Shop", fields["app"])
	require.Equal(t, 70*time.Second, fields["oldest"])
	require.Equal(t, "500 XAF", logs.All()[1].ContextMap()["amount"])
}
