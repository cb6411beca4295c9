package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/cmd/perennial/cli"
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
	require.Contains(t, quiet, "\nperennial_unrated_usage 0\n")
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
			1000, now() - interval '2 hours', 1, 1, 0, now(), null, now(), now(), now() from environments`,
		`insert into plans (id, environment_id, name, currency, interval_unit, interval_count, trial_days, active, metadata,
				created_at)
			select 'plan_1', id, 'P', 'EUR', 'month', 1, 0, true, '{}', now() from environments`,
		`insert into subscriptions (id, environment_id, customer_id, plan_id, status, currency, time_zone, anchor_at,
				interval_unit, interval_count, current_period_start, current_period_end, next_period, cancel_at_period_end,
				metadata, next_action, next_action_at, created_at, updated_at)
			select 'sub_1', id, 'cust_1', 'plan_1', 'active', 'EUR', 'UTC', now(), 'month', 1, now(),
				now() + interval '1 month', 2, false, '{}', 'bill_usage', now() + interval '1 hour', now(), now() from environments`,
		`insert into invoices (id, environment_id, customer_id, subscription_id, status, reason, currency, total,
				credit_applied, amount_due, amount_paid, period_start, period_end, phase, automatic_attempts, attempts,
				finalizes_at, usage_until, usage_failure, created_at)
			select 'in_1', id, 'cust_1', 'sub_1', 'draft', 'subscription_cycle', 'EUR', 1900, 0, 1900, 0, now(),
				now() + interval '1 month', 'waiting', 0, 0, now(), now(),
				jsonb_build_object('code', 'amount_too_large', 'detail', 'Too large.', 'times', 3,
					'since', now() - interval '3 hours', 'retryAt', now() + interval '1 hour'), now() from environments`)

	metrics := metricsOf(t, env)
	for _, want := range []string{
		"perennial_overdue_payments 0", "perennial_untaken_charges 1", "perennial_undecided_payments 1",
		"perennial_refunds_owed 1", "perennial_unrated_usage 1",
		`perennial_unrated_usage_amount{currency="EUR",mode="test"} 1900`, "perennial_overdue_actions 0", "perennial_overlooked_dates 0",
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
	require.Contains(t, d.found("unrated usage"), "1 draft, the oldest for 3h0m")
	require.Contains(t, d.found("unrated usage"), "19.00 EUR for Acme, Shop (test; 1 draft from in_1 on)")
	require.Contains(t, d.found("unrated usage"), "withoutUsage")

	list := get(t, "http://"+env["LISTEN_ADDRESS"]+"/v1/payments?refundOwed=true", key)
	require.Contains(t, list, "txn_00000000000000000000000002")
	require.NotContains(t, list, "txn_00000000000000000000000001")
	require.Equal(t, cli.ExitDone, api.stop().code)
}
