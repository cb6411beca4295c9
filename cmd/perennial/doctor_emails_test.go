package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/cmd/perennial/cli"
)

func TestDoctor_FindsFailingMailServersAndMailsGivenUp(t *testing.T) {
	t.Parallel()
	env := stackEnvironment(t)
	create(t, env)
	sql(t, env, `insert into email_senders (id, environment_id, from_email, from_name, reply_to, host, port, security, user_name,
			dkim_domain, dkim_selector, kinds, allowed_recipients, failing_since, failure_class, failure_text, next_attempt_at, created_at,
			updated_at)
		select 'ems_failing', e.id, 'a@example.com', '', '', 'smtp.example.com', 587, 'starttls', '', '', '', '{}', '{}',
			now() - interval '2 hours', 'login_failed', 'no canary', now() - interval '10 minutes', now(), now()
		from environments e limit 1`)
	sql(t, env, `insert into customers (environment_id, id, email, metadata, created_at)
		select environment_id, 'cust_canary', 'canary@example.com', '{}', now() from email_senders`)
	sql(t, env, `insert into emails (environment_id, id, kind, object_id, occurrence, customer_id, recipient, status, reason, created_at)
		select environment_id, 'em_' || n, 'refund', 'txn_' || n, '', 'cust_canary', 'canary@example.com', 'failed', 'refused',
			now() - n * interval '3 days'
		from email_senders, generate_series(1, 2) n`)

	d, got := diagnose(t, env)
	require.Equal(t, cli.ExitFailed, got.code)
	require.Contains(t, d.found("emails"), "the work of a sender is overdue by 10m")
	require.Contains(t, d.warned("email senders"), "(login_failed since ")
	require.NotContains(t, got.stdout, "canary")

	sql(t, env, "update email_senders set next_attempt_at = now() + interval '1 hour', failing_since = now()")
	d, _ = diagnose(t, env)
	require.Contains(t, d.warned("emails"), "given up in the last 4 days: 1 mail")
	require.Empty(t, d.warned("email senders"))

	sql(t, env, "update email_senders set failing_since = now() - interval '2 hours'")
	api := start(t, env, "api")
	eventually(t, "it starts", func() bool { return perennial(t, env, "healthcheck").code == cli.ExitDone })
	metrics := metricsOf(t, env)
	require.Contains(t, metrics, "\nperennial_email_senders_failing 1\n")
	require.Contains(t, metrics, "\nperennial_emails_given_up 1\n")
	require.Equal(t, cli.ExitDone, api.stop().code)
}
