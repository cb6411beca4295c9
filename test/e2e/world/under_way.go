package world

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"go.temporal.io/api/workflowservice/v1"
)

// tellWorkflows shows what Temporal waits for when a test has failed.
func (w *World) tellWorkflows(t testing.TB) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 20*time.Second)
	defer cancel()
	c := w.Client(t)
	list, err := c.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{
		Query: "ExecutionStatus = 'Running'", PageSize: 200,
	})
	if err != nil {
		t.Logf("Temporal: %v", err)
		return
	}
	var out strings.Builder
	for _, e := range list.GetExecutions() {
		d, err := c.DescribeWorkflowExecution(ctx, e.GetExecution().GetWorkflowId(), e.GetExecution().GetRunId())
		if err != nil {
			continue
		}
		var waits []string
		for _, a := range d.GetPendingActivities() {
			waits = append(waits, fmt.Sprintf("%s %s attempt %d since %s, last failure %q",
				a.GetActivityType().GetName(), a.GetState(), a.GetAttempt(),
				a.GetLastStartedTime().AsTime().Format(time.TimeOnly), a.GetLastFailure().GetMessage()))
		}
		if task := d.GetPendingWorkflowTask(); task != nil {
			waits = append(waits, fmt.Sprintf("workflow task %s attempt %d since %s", task.GetState(), task.GetAttempt(),
				task.GetScheduledTime().AsTime().Format(time.TimeOnly)))
		}
		if len(waits) > 0 || strings.HasPrefix(e.GetExecution().GetWorkflowId(), "clk_") {
			fmt.Fprintf(&out, "%s (%d events): %s\n", e.GetExecution().GetWorkflowId(),
				d.GetWorkflowExecutionInfo().GetHistoryLength(), strings.Join(waits, "; "))
		}
	}
	t.Logf("at %s Temporal waits for:\n%s", time.Now().UTC().Format(time.TimeOnly), out.String())
}

// tellRows logs what the rows wait for.
func (w *World) tellRows(t testing.TB) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 10*time.Second)
	defer cancel()
	rows, err := w.Pool.Query(ctx, `
		select 'payment ' || id || ' of ' || coalesce(subscription_id, '-') || ' checks ' || checks || ' next ' ||
			coalesce(next_check_at::text, '-') || ': ' || coalesce(failure_reason, '') || ' ' || (
				select coalesce(string_agg(s.provider || ' ' || coalesce(s.outcome, 'open'), ', ' order by s.number), 'never sent')
				from payment_sends s where s.transaction_id = t.id)
		from transactions t where status = 'pending'
		union all
		select 'clock ' || id || ' ' || status || ' at ' || now_at from test_clocks where status <> 'ready'
		union all
		select 'subscription ' || s.id || ' ' || s.next_action || ' ' || s.next_action_at from subscriptions s join test_clocks c on c.id = s.test_clock_id
		where s.next_action_at <= c.now_at`)
	if err != nil {
		t.Logf("rows: %v", err)
		return
	}
	defer rows.Close()
	var out strings.Builder
	for rows.Next() {
		var line string
		if rows.Scan(&line) == nil {
			out.WriteString(line + "\n")
		}
	}
	t.Logf("the rows wait for:\n%s", out.String())
}
