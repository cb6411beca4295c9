package main

import (
	"fmt"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"

	"perennial/cmd/perennial/cli"
	"perennial/contract"
	"perennial/internal/devstack"
	"perennial/internal/testkit"
)

// inReview writes a payment of a fresh environment that needs review, and a callback about an unknown payment.
func inReview(t *testing.T, env map[string]string) (paymentID, callbackID string) {
	t.Helper()
	env["S"], env["W"] = "sk_test_abc", "whsec_abc"
	create(t, env, "--stripe-secret-key-env", "S", "--stripe-webhook-secret-env", "W")
	paymentID, callbackID = "txn_00000000000000000000000001", "cb_00000000000000000000000001"
	sql(t, env,
		`insert into customers (id, environment_id, metadata, created_at) select 'cust_1', id, '{}', now() from environments`,
		`insert into transactions (id, environment_id, type, status, customer_id, amount, currency, description, trigger, amount_refunded,
			send_number, checks, not_found_count, parked_at, review_reason, review_ref, due_at, completed_at, created_at)
		 select '`+paymentID+`', id, 'charge', 'success', 'cust_1', 700, 'EUR', '', 'manual', 0, 1, 1, 0, now() - interval '5 seconds',
			'second_capture', 'pi_2', now(), now(), now() from environments`,
		`insert into provider_callbacks (id, environment_id, provider_config_id, provider_event_id, type, provider_ref, received_at, lost_transaction_id)
		 select '`+callbackID+`', environment_id, id, 'evt_1', 'charge.succeeded', 'pi_9', now() - interval '5 seconds', 'txn_lost'
		 from provider_configs`)
	return paymentID, callbackID
}

func TestPaymentsInReview_AreListedAndResolved(t *testing.T) {
	t.Parallel()
	env := stackEnvironment(t)
	txn, callback := inReview(t, env)
	d, _ := diagnose(t, env)
	require.Contains(t, d.found("payments in review"), txn+" (success, second_capture)")
	require.Contains(t, d.found("payments in review"), "perennial payment resolve")
	list := perennial(t, env, "payment", "list").stdout
	require.Regexp(t, txn+` +Acme, Shop \(test\) +charge +success +7\.00 EUR +second_capture`, list)
	require.Contains(t, perennial(t, env, "callback", "list").stdout, callback)

	worker := start(t, env, "worker") // creates our search attributes in Temporal
	eventually(t, "it prepares Temporal", func() bool {
		d, _ := diagnose(t, env)
		return slices.Contains(d.verdicts("search attributes"), good)
	})
	require.Equal(t, cli.ExitDone, worker.stop().code)
	refused := perennial(t, env, "payment", "resolve", txn, "--outcome", "succeeded", "--note", "kept")
	require.Equal(t, cli.ExitFailed, refused.code)
	require.Contains(t, refused.stderr, "give the second capture back")
	done := perennial(t, env, "payment", "resolve", txn, "--outcome", "returned", "--note", "refunded at the dashboard")
	require.Equal(t, cli.ExitDone, done.code, done.stderr)
	require.Contains(t, done.stdout, txn+" is success; its review has ended")
	require.Equal(t, contract.SignalCheck, firstSignal(t, env, txn), "its workflow is told, as by the API")
	again := perennial(t, env, "payment", "resolve", txn, "--outcome", "returned", "--note", "refunded at the dashboard")
	require.Contains(t, again.stderr, "does not need review")
	require.Equal(t, cli.ExitFailed, perennial(t, env, "payment", "resolve", "txn_absent", "--outcome", "failed", "--note",
		"x").code)

	closed := perennial(t, env, "callback", "close", callback, "--note", "refunded at the dashboard")
	require.Equal(t, cli.ExitDone, closed.code, closed.stderr)
	require.Equal(t, cli.ExitFailed, perennial(t, env, "callback", "close", callback, "--note", "again").code)
	d, _ = diagnose(t, env)
	require.Empty(t, d.found("payments in review")+d.found("lost payments"))

	conn, err := pgx.Connect(t.Context(), env["DATABASE_URL"])
	require.NoError(t, err)
	defer conn.Close(t.Context())
	var kept int
	require.NoError(t, conn.QueryRow(t.Context(), `select count(*) from decisions where actor_kind = 'cli' and actor_id = $1
		and note = 'refunded at the dashboard' and (outcome = 'returned' and provider_ref = 'pi_2' or outcome = 'closed'
		and callback_id is not null)`, thisUser(t)).Scan(&kept))
	require.Equal(t, 2, kept)
}

// firstSignal is the first signal that a workflow got.
func firstSignal(t *testing.T, env map[string]string, workflowID string) string {
	t.Helper()
	n := testkit.Namespace{Address: env["TEMPORAL_ADDRESS"], Name: env["TEMPORAL_NAMESPACE"]}
	history := n.Client(t).GetWorkflowHistory(t.Context(), workflowID, "", false,
		enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for history.HasNext() {
		event, err := history.Next()
		require.NoError(t, err, "it has no workflow")
		if signal := event.GetWorkflowExecutionSignaledEventAttributes(); signal != nil {
			return signal.GetSignalName()
		}
	}
	return ""
}

// A decision is also possible while Temporal is not available; the consequences are left to the reconciler, and the
// output says so.
func TestPaymentResolve_WithoutTemporal(t *testing.T) {
	t.Parallel()
	env := stackEnvironment(t)
	txn, _ := inReview(t, env)
	port, err := devstack.FreePort(0)
	require.NoError(t, err)
	env["TEMPORAL_ADDRESS"] = fmt.Sprintf("127.0.0.1:%d", port)
	done := perennial(t, env, "payment", "resolve", txn, "--outcome", "returned", "--note", "refunded at the dashboard")
	require.Equal(t, cli.ExitDone, done.code, done.stderr)
	require.Contains(t, done.stdout, txn+" is success; its review has ended")
	require.Contains(t, done.stderr, "left to the reconciler")
}

func TestDoctor_WarnsOfDisputes(t *testing.T) {
	t.Parallel()
	env := stackEnvironment(t)
	txn, _ := inReview(t, env)
	const dispute = "dsp_00000000000000000000000001"
	sql(t, env,
		`update transactions set disputes = '[{"id": "`+dispute+`", "ref": "du_1", "state": "open", "openedAt": "2026-01-01T00:00:00Z"}]',
			disputed_at = now() - interval '5 seconds'`,
		`insert into disputes (id, environment_id, transaction_id, ref, status, amount, currency, amount_withdrawn, evidence_due_at, opened_at)
		 select '`+dispute+`', environment_id, id, 'du_1', 'open', 700, 'EUR', 700, now() + interval '4 days', now() from transactions`)
	warned := func(check string) string {
		d, _ := diagnose(t, env)
		for _, f := range d.Checks {
			if f.Check == check && f.Verdict == warning {
				return f.Detail
			}
		}
		return ""
	}
	require.Contains(t, warned("disputes"), dispute+" ("+txn+")")
	require.Empty(t, warned("dispute evidence"), "there is time")
	sql(t, env, `update disputes set evidence_due_at = now() + interval '2 days'`)
	require.Contains(t, warned("dispute evidence"), dispute+" ("+txn+") until ")
	sql(t, env, `update disputes set status = 'under_review'`)
	require.Empty(t, warned("dispute evidence"), "it was answered")
}
