package e2e

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"

	"perennial/contract"
	"perennial/internal/testkit"
	"perennial/test/e2e/check"
	"perennial/test/e2e/load"
	"perennial/test/e2e/world"
)

// backWithin is the time for which subscriptions may be without workflows after Temporal came back empty.
const backWithin = 2 * time.Minute

// TestTemporalDatabaseIsDeleted: everything in Temporal can be made again from PostgreSQL, and no charge is made again.
func TestTemporalDatabaseIsDeleted(t *testing.T) {
	t.Parallel()
	seed := testkit.Seed(t)
	server := temporal(t)
	w := world.New(t, world.Config{Temporal: server})
	w.Service.Start(t)
	env := w.Environments[0]
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()

	crowd := load.New(t, env, seed, "pm_card_visa", "pm_card_visa", "pm_card_chargeCustomerFail",
		"pm_sim_slow_800", "pm_sim_hang")
	crowd.Run(ctx, testkit.Scale(12, 60), load.Buyer, load.Traveller, load.Payer)
	crowd.Wait(t)
	now := time.Date(2027, 3, 31, 0, 0, 0, 0, time.UTC)
	made, err := env.Create(ctx, "/api/plans", monthly(1500))
	require.NoError(t, err)
	clock, sub := onClock(ctx, t, env, made, now)
	require.NoError(t, load.Advance(ctx, env, clock, now.AddDate(0, 2, 0)))
	crowd.Run(ctx, 6, load.Payer, load.Buyer) // some are under way when the engine goes
	pause(ctx, 500*time.Millisecond)

	require.NoError(t, server.Kill())
	require.NoError(t, server.DeleteData())
	epoch := count(t, w, "select epoch from temporal_epoch")
	require.NoError(t, server.Restart(t.Context()))
	began := time.Now()
	requireWorkflows(ctx, t, w, began)
	t.Logf("every subscription had its workflow again after %s", time.Since(began).Round(100*time.Millisecond))
	require.Greater(t, count(t, w, "select epoch from temporal_epoch"), epoch, "the loss was noticed")
	require.Equal(t, 1, w.Service.Starts(), "nobody restarted the service")

	crowd.Wait(t)
	require.NoError(t, load.Advance(ctx, env, clock, now.AddDate(0, 5, 0)))
	var s struct {
		Status     string `json:"status"`
		CurrentEnd int64  `json:"currentPeriodEnd"`
	}
	require.NoError(t, env.Get(ctx, "/api/subscriptions/"+sub, &s))
	require.Equal(t, "active", s.Status)
	require.Equal(t, now.AddDate(0, 6, -1).Unix(), s.CurrentEnd, "31 March and six months: 30 September")

	load.MendCards(t, w)
	load.PayAll(t, env, settled)
	check.AtRest(t, w, settled)
	check.Sound(t, w)
}

// onClock creates a subscription to a plan, on a test clock set to now.
func onClock(
	ctx context.Context, t *testing.T, env *world.Environment, planID string, now time.Time,
) (clock, sub string) {
	t.Helper()
	clock, err := env.Create(ctx, "/api/test-clocks", world.Object{"now": now.Unix()})
	require.NoError(t, err)
	in := card("pm_card_visa")
	in["testClockId"] = clock
	customer, err := env.Create(ctx, "/api/customers", in)
	require.NoError(t, err)
	sub, err = env.Create(ctx, "/api/subscriptions", world.Object{"customerId": customer, "planId": planID, "trialDays": 0})
	require.NoError(t, err)
	return clock, sub
}

// requireWorkflows waits until the new Temporal runs a workflow for every unfinished subscription.
func requireWorkflows(ctx context.Context, t *testing.T, w *world.World, began time.Time) {
	t.Helper()
	c := w.Client(t)
	for {
		rows, err := w.Pool.Query(ctx, "select id from subscriptions where finished_at is null")
		require.NoError(t, err)
		var missing []string
		for rows.Next() {
			var id string
			require.NoError(t, rows.Scan(&id))
			d, err := c.DescribeWorkflowExecution(ctx, contract.SubscriptionWorkflowID(id), "")
			if err != nil || d.GetWorkflowExecutionInfo().GetStatus() != enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING {
				missing = append(missing, id)
			}
		}
		require.NoError(t, rows.Err())
		if len(missing) == 0 {
			return
		}
		require.Less(t, time.Since(began), backWithin, "without a workflow: %v", missing)
		pause(ctx, 250*time.Millisecond)
	}
}
