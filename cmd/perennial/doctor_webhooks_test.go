package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/cmd/perennial/cli"
)

func TestDoctor_FindsLateWebhooksAndFailingReceivers(t *testing.T) {
	t.Parallel()
	env := stackEnvironment(t)
	create(t, env)
	sql(t, env, `insert into webhook_endpoints (id, environment_id, url, events, payload_shape, status, disabled_reason, disabled_at,
			failing_since, next_attempt_at, secret_sealed, created_at)
		select v.id, e.id, 'https://example.com', '{*}', 'A', v.status, v.reason, v.disabled_at, v.failing_since, v.next_at, 'sealed', now()
		from environments e, (values
			('whe_late', 'enabled', null, null::timestamptz, null::timestamptz, now() - interval '10 minutes'),
			('whe_failing', 'enabled', null, null, now() - interval '2 hours', now() + interval '1 minute'),
			('whe_briefly', 'enabled', null, null, now() - interval '1 minute', null),
			('whe_given_up', 'disabled', 'failing', now() - interval '1 day', now() - interval '5 days', null),
			('whe_gone', 'disabled', 'gone', now() - interval '1 day', now() - interval '1 day', null),
			('whe_switched_off', 'disabled', 'requested', now() - interval '1 day', null, null)
		) v (id, status, reason, disabled_at, failing_since, next_at)`)

	d, got := diagnose(t, env)

	require.Equal(t, cli.ExitFailed, got.code)
	require.Contains(t, d.found("webhooks"), "1 endpoint: work is overdue, the oldest by 10m")
	warned := d.warned("webhook receivers")
	require.Contains(t, warned, "whe_failing (fails since ")
	require.Contains(t, warned, "whe_given_up (disabled ")
	require.Contains(t, warned, "whe_gone (disabled ")
	require.NotContains(t, warned, "whe_briefly")
	require.NotContains(t, warned, "whe_switched_off")

	api := start(t, env, "api")
	eventually(t, "it starts", func() bool { return perennial(t, env, "healthcheck").code == cli.ExitDone })
	metrics := metricsOf(t, env)
	require.Contains(t, metrics, "\nperennial_webhook_endpoints_late 1\n")
	require.Contains(t, metrics, "\nperennial_webhook_endpoints_failing 1\n")
	require.Equal(t, cli.ExitDone, api.stop().code)
}
