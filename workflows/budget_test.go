package workflows_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"

	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/billing/period"
	"perennial/billing/subscription"
	"perennial/internal/testkit/receiver"
	"perennial/providers"
	"perennial/service"
	"perennial/test/scene"
	"perennial/workflows"
)

// cost is the cost of a part of a history: events in Temporal's database, and actions as Temporal Cloud bills them.
type cost struct{ events, actions int }

// costOf counts. Timers, activities, signals, upserts and continue-as-new are actions; all markers of one
// workflow task are one together.
func costOf(history []*historypb.HistoryEvent) cost {
	c := cost{events: len(history)}
	batches := map[int64]bool{}
	for _, e := range history {
		switch e.GetEventType() {
		case enumspb.EVENT_TYPE_TIMER_STARTED, enumspb.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED,
			enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED, enumspb.EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES,
			enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW:
			c.actions++
		case enumspb.EVENT_TYPE_MARKER_RECORDED:
			batches[e.GetMarkerRecordedEventAttributes().GetWorkflowTaskCompletedEventId()] = true
		default: // an event, but no action
		}
	}
	c.actions += len(batches)
	return c
}

// listed is the history for a reader of a failed test.
func listed(history []*historypb.HistoryEvent) string {
	var b strings.Builder
	for _, e := range history {
		_, _ = fmt.Fprintf(&b, "%3d %s\n", e.GetEventId(), e.GetEventType())
	}
	return b.String()
}

// ahead is the time until the awaited boundary: the first charge is a day late, so that the provider is asked about it
// before it is sent, and both must be over on a busy machine too.
const ahead = 20 * time.Second

// renewal returns the history of one period in a long life: the run that the boundary before it began, up to its sleep,
// and the part that the boundary at its end adds. A life of daily periods whose second boundary is a moment ahead has
// both.
func renewal(t *testing.T, r *liveScene, amount money.Minor) []*historypb.HistoryEvent {
	t.Helper()
	sub := r.SubscribeAt(t, r.Customer(t, ""), r.Plan(t, scene.Every(period.Day, amount)), time.Now().Add(ahead-day))
	r.start(t, sub)
	r.eventually(t, func() bool {
		s, err := r.Store.Subscriptions.Get(t.Context(), r.Env, sub.ID)
		return err == nil && s.NextPeriod == 2 && s.Status == subscription.Active && s.PaidThrough.Equal(s.CurrentPeriod.End)
	})
	var next []*historypb.HistoryEvent
	var before string
	r.eventually(t, func() bool { // the second run sleeps
		next = r.history(t, sub.ID, "")
		before = next[0].GetWorkflowExecutionStartedEventAttributes().GetContinuedExecutionRunId()
		return before != "" && asleep(next)
	})
	first := r.history(t, sub.ID, before)
	for i, e := range first {
		if e.GetEventType() == enumspb.EVENT_TYPE_TIMER_FIRED {
			return append(next, first[i:]...)
		}
	}
	t.Fatal("no timer fired")
	return nil
}

// callBack sends the messages that a provider sends for every capture: some before the answer to the charge, some
// after, and one twice.
func (r *liveScene) callBack(t *testing.T) {
	t.Helper()
	receiver := service.New(r.Store, time.Now)
	send := func(transactionID string, kinds ...providers.Kind) {
		for _, kind := range kinds {
			require.NoError(t, receiver.Payments.ReceiveCallback(t.Context(), r.Config, providers.Callback{
				EventID: transactionID + string(kind), Type: string(kind), Kind: kind, TransactionID: transactionID,
			}))
		}
	}
	r.Provider.During = func(operation, transactionID string) {
		if operation != "charge" {
			return
		}
		send(transactionID, providers.KindCreated, providers.KindSucceeded)
		r.callBacks.Go(func() {
			r.eventually(t, func() bool {
				txn, err := r.Store.Payments.Transaction(t.Context(), r.Env, transactionID)
				return err == nil && txn.Status == payment.Success
			})
			send(transactionID, providers.KindProcessing, providers.KindSucceeded)
		})
	}
}

// The budget of design §5, counted on the real server, with the provider's callbacks and a webhook endpoint that gets
// every event. It is not parallel because it makes runs grow old sooner.
func TestSubscription_RenewalStaysWithinItsBudget(t *testing.T) {
	workflows.SetRunAge(t, 100*time.Millisecond)
	r, inbox := onRealServer(t), receiver.New(t)
	r.Endpoint(t, inbox.Endpoint("/"), "*")
	r.callBack(t)
	for _, c := range []struct {
		name   string
		amount money.Minor
		most   cost
	}{
		{"paid", 1000, cost{events: 17, actions: 4}},
		{"free", 0, cost{events: 11, actions: 3}},
	} {
		history := renewal(t, r, c.amount)
		got := costOf(history)
		t.Logf("a %s renewal: %d events, %d actions", c.name, got.events, got.actions)
		require.LessOrEqual(t, got.events, c.most.events, "%s:\n%s", c.name, listed(history))
		require.LessOrEqual(t, got.actions, c.most.actions, "%s:\n%s", c.name, listed(history))
	}
	r.callBacks.Wait()
	var stored, open int
	require.NoError(t, r.Pool.QueryRow(t.Context(),
		"select count(*), count(*) filter (where processed_at is null) from provider_callbacks").Scan(&stored, &open))
	require.Equal(t, 6, stored, "three of each of two charges")
	require.Zero(t, open, "nothing is left for the reconciler to look at")
	r.AllDelivered(t, time.Minute)
	require.NotEmpty(t, inbox.Requests("/"))
	r.RequireSound(t)
}

// Whatever happens in a period, its history stays short: four failed attempts, past due, a new card, a change of plan.
// On a test clock ticks take the place of timers, which cost the same.
func TestSubscription_EventfulPeriodStaysWithinItsBudget(t *testing.T) {
	t.Parallel()
	r := onRealServer(t)
	clock, sub, customer := r.onClock(t, scene.Monthly(1000))
	r.settled(t, sub, 1)
	before := len(r.history(t, sub.ID, ""))

	r.Provider.Script = func(int, providers.ChargeRequest) scene.Answer { return scene.Decline }
	renewal := scene.Start.AddDate(0, 1, 0)
	r.advance(t, clock, renewal.Add(8*day))
	s, err := r.Store.Subscriptions.Get(t.Context(), r.Env, sub.ID)
	require.NoError(t, err)
	require.Equal(t, subscription.PastDue, s.Status)
	r.Provider.Script = nil
	r.SetMethod(t, customer.ID, &scene.Card)
	r.wake(t, sub)
	r.settled(t, sub, 2)
	r.command(t, sub, changePlan(r.Plan(t, scene.Monthly(3000)).ID, false))
	r.settled(t, sub, 3)
	r.command(t, sub, cancelAtPeriodEnd())
	r.command(t, sub, reactivate())
	history := r.history(t, sub.ID, "")
	got := costOf(history[before:])
	t.Logf("an eventful period: %d events, %d actions", got.events, got.actions)
	require.LessOrEqual(t, got.events, 85, listed(history[before:]))
	r.RequireSound(t)
}
