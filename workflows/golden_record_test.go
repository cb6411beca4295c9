package workflows_test

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"perennial/billing/metered"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/billing/period"
	billrating "perennial/billing/rating"
	"perennial/billing/usage"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/id"
	"perennial/providers"
	"perennial/test/scene"
)

// recordings play the scenario of each golden history.
var recordings = map[string]func(*testing.T, *liveScene) (workflowID, runID string){
	"renewal":                  recordRenewal,
	"renewal_in_an_old_run":    recordOldRun,
	"dunning_and_recovery":     recordDunning,
	"plan_change":              recordPlanChange,
	"cancel_and_reactivate":    recordReactivate,
	"commands_told":            recordTold,
	"cancel_with_live_charge":  recordCancelLive,
	"test_clock_year":          recordYear,
	"test_clock_advance":       recordAdvance,
	"catch_up_continue_as_new": recordCatchUp,
	"payment_pending":          recordPayment,
	"refund":                   recordRefund,
	"reconciler":               recordReconciler,
	"webhook_endpoint":         recordWebhookEndpoint,
	"email_sender":             recordEmailSender,
	"erasure":                  recordErasure,
	"row_absent":               recordAbsent,
	"usage_rated":              recordUsage,
}

// recordMissing plays the scenarios without a golden history on the real server, all in one environment.
func recordMissing(t *testing.T) {
	t.Helper()
	r := onRealServer(t)
	for name, play := range recordings {
		if _, err := os.Stat(goldenFile(name)); err == nil {
			continue
		}
		r.Provider.Script = nil
		workflowID, runID := play(t, r)
		r.eventually(t, func() bool { return asleep(r.history(t, workflowID, runID)) })
		golden(t, name, r.history(t, workflowID, runID))
	}
	r.RequireSound(t)
}

// A trial ends while no worker runs, one renewal is caught up, and the next one comes by its timer.
func recordRenewal(t *testing.T, r *liveScene) (string, string) {
	p := scene.Every(period.Day, 1000)
	p.TrialDays = 1
	sub := r.SubscribeAt(t, r.Customer(t, ""), r.Plan(t, p), time.Now().Add(2*time.Second-3*day))
	r.start(t, sub)
	r.settled(t, sub, 3)
	return sub.ID, ""
}

// A run that is older than a minute charges what its boundary made due, leaves the next boundary's timer to the next
// run, and continues as new.
func recordOldRun(t *testing.T, r *liveScene) (string, string) {
	const rest = 65 * time.Second
	sub := r.SubscribeAt(t, r.Customer(t, ""), r.Plan(t, scene.Every(period.Day, 1000)), time.Now().Add(rest-day))
	r.start(t, sub)
	time.Sleep(rest)
	r.settled(t, sub, 2)
	return sub.ID, r.ended(t, sub)
}

func recordDunning(t *testing.T, r *liveScene) (string, string) {
	clock, sub, customer := r.onClock(t, scene.Monthly(1000))
	r.settled(t, sub, 1)
	r.Provider.Script = func(int, providers.ChargeRequest) scene.Answer { return scene.Decline }
	r.advance(t, clock, scene.Start.AddDate(0, 1, 10))
	r.Provider.Script = nil
	r.SetMethod(t, customer.ID, &scene.Card)
	r.wake(t, sub)
	r.settled(t, sub, 2)
	return sub.ID, ""
}

func recordPlanChange(t *testing.T, r *liveScene) (string, string) {
	sub := r.SubscribeAt(t, r.Customer(t, ""), r.Plan(t, scene.Monthly(1000)), time.Now())
	r.start(t, sub)
	r.settled(t, sub, 1)
	r.command(t, sub, changePlan(r.Plan(t, scene.Monthly(3000)).ID, false))
	r.settled(t, sub, 2)
	return sub.ID, ""
}

func recordReactivate(t *testing.T, r *liveScene) (string, string) {
	sub := r.SubscribeAt(t, r.Customer(t, ""), r.Plan(t, scene.Every(period.Day, 1000)), time.Now().Add(3*time.Second-day))
	r.start(t, sub)
	r.command(t, sub, cancelAtPeriodEnd())
	r.command(t, sub, reactivate())
	r.command(t, sub, cancelAtPeriodEnd())
	r.finished(t, sub)
	return sub.ID, ""
}

// recordTold has nothing pending: the signals of the commands carry the state of the row.
func recordTold(t *testing.T, r *liveScene) (string, string) {
	sub := r.SubscribeAt(t, r.Customer(t, ""), r.Plan(t, scene.Every(period.Day, 1000)), time.Now().Add(8*time.Second-day))
	r.start(t, sub)
	r.settled(t, sub, 1)
	r.eventually(t, func() bool { return asleep(r.history(t, sub.ID, "")) })
	r.command(t, sub, cancelAtPeriodEnd())
	r.command(t, sub, reactivate())
	r.command(t, sub, cancelAtPeriodEnd())
	r.finished(t, sub)
	return sub.ID, ""
}

func recordCancelLive(t *testing.T, r *liveScene) (string, string) {
	r.Provider.Script = func(int, providers.ChargeRequest) scene.Answer { return scene.Pend }
	sub := r.SubscribeAt(t, r.Customer(t, ""), r.Plan(t, scene.Monthly(1000)), time.Now())
	r.start(t, sub)
	r.eventually(t, func() bool { return asleep(r.history(t, sub.ID, "")) })
	r.command(t, sub, cancelNow(false))
	r.finished(t, sub)
	return sub.ID, ""
}

func recordYear(t *testing.T, r *liveScene) (string, string) {
	p := scene.Monthly(1000)
	p.TrialDays = 14
	clock, sub, _ := r.onClock(t, p)
	r.advance(t, clock, scene.Start.AddDate(1, 0, 0))
	r.settled(t, sub, 12)
	return sub.ID, ""
}

func recordAdvance(t *testing.T, r *liveScene) (string, string) {
	clock, sub, _ := r.onClock(t, scene.Monthly(0))
	r.advance(t, clock, scene.Start.AddDate(0, 4, 0))
	r.settled(t, sub, 0)
	return clock.ID, ""
}

// Three hundred days without a worker: the run that catches up ends as soon as it has. Where the reconciler's signal
// meets it, the server makes the run read that first, and nothing is left to catch up: another life is recorded then.
func recordCatchUp(t *testing.T, r *liveScene) (string, string) {
	for range 5 {
		sub := r.SubscribeAt(t, r.Customer(t, ""), r.Plan(t, scene.Every(period.Day, 0)), time.Now().AddDate(0, 0, -300))
		r.start(t, sub)
		r.eventually(t, func() bool {
			s, err := r.Store.Subscriptions.Get(t.Context(), r.Env, sub.ID)
			return err == nil && s.NextPeriod > 300
		})
		time.Sleep(2 * time.Second)
		first := r.history(t, sub.ID, "")[0].GetWorkflowExecutionStartedEventAttributes().GetFirstExecutionRunId()
		last := r.history(t, sub.ID, first)
		if last[len(last)-1].GetWorkflowExecutionContinuedAsNewEventAttributes() != nil {
			return sub.ID, first
		}
	}
	t.Fatal("the reconciler was always faster")
	return "", ""
}

// ended is the first run, once it has continued as new.
func (r *liveScene) ended(t *testing.T, sub contract.Ref) (first string) {
	t.Helper()
	r.eventually(t, func() bool {
		first = r.history(t, sub.ID, "")[0].GetWorkflowExecutionStartedEventAttributes().GetFirstExecutionRunId()
		last := r.history(t, sub.ID, first)
		return last[len(last)-1].GetWorkflowExecutionContinuedAsNewEventAttributes() != nil
	})
	return first
}

func recordPayment(t *testing.T, r *liveScene) (string, string) {
	r.Provider.Script = func(int, providers.ChargeRequest) scene.Answer { return scene.Pend }
	now := time.Now()
	txn := payment.Transaction{
		ID: id.New(id.Transaction, now), Type: payment.Charge, Status: payment.Pending,
		CustomerID: r.Customer(t, "").ID, Amount: 500, Currency: "EUR", Description: "A single charge",
		Trigger: "manual", Provider: "stripe", ProviderConfigID: r.Config.ID,
		Method: payment.Method{Type: "card", Details: scene.Card}, DueAt: now, CreatedAt: now, Revision: 1,
	}
	r.InTx(t, func(tx *db.Tx) error { return tx.Payments.InsertTransaction(t.Context(), r.Env, txn) })
	require.NoError(t, r.engine.StartPayment(t.Context(),
		contract.PaymentInput{Ref: contract.Ref{EnvironmentID: r.Env, ID: txn.ID}}))
	r.eventually(t, func() bool { return asleep(r.history(t, txn.ID, "")) })
	r.Provider.Settle(txn.ID, providers.Succeeded)
	require.NoError(t, r.engine.Check(t.Context(), contract.Owner{EnvironmentID: r.Env, TransactionID: txn.ID},
		contract.Check{TransactionID: txn.ID}))
	r.completed(t, txn.ID)
	return txn.ID, ""
}

func recordRefund(t *testing.T, r *liveScene) (string, string) {
	sub := r.SubscribeAt(t, r.Customer(t, ""), r.Plan(t, scene.Monthly(3100)), time.Now().Add(-time.Hour))
	r.start(t, sub)
	r.settled(t, sub, 1)
	r.command(t, sub, cancelNow(true))
	var refund string
	r.eventually(t, func() bool {
		list, _, err := r.Store.Payments.Transactions(t.Context(), r.Env,
			db.TransactionFilter{SubscriptionID: sub.ID, Type: payment.Refund}, db.Page{Limit: 1})
		if err != nil || len(list) == 0 {
			return false
		}
		refund = list[0].ID
		return list[0].Status == payment.Refunded
	})
	r.completed(t, refund)
	return refund, ""
}

func recordErasure(t *testing.T, r *liveScene) (string, string) {
	c, p := r.Customer(t, ""), r.Plan(t, scene.Monthly(1000))
	for range 3 {
		sub := r.SubscribeAt(t, c, p, time.Now())
		r.start(t, sub)
		r.settled(t, sub, 1)
	}
	r.InTx(t, func(tx *db.Tx) error { return tx.Customers.Erase(t.Context(), r.Env, c.ID) })
	var erasure string
	require.NoError(t, r.Pool.QueryRow(t.Context(), "select id from erasures where customer_id = $1", c.ID).Scan(&erasure))
	r.completed(t, erasure)
	return erasure, ""
}

// A trial ends, a period with metered prices is renewed and rated, and the subscription ends with an invoice of its
// usage.
func recordUsage(t *testing.T, r *liveScene) (string, string) {
	of := usage.Metric{
		ID: id.New(id.Metric, time.Now()), Version: 1, Name: "calls", DisplayName: "Calls", Active: true,
		CreatedAt: scene.Start, VersionAt: scene.Start, Definition: usage.Definition{Aggregation: usage.Sum},
	}
	r.InTx(t, func(tx *db.Tx) error { return tx.Usage.InsertMetric(t.Context(), r.Env, of) })
	p := scene.Every(period.Day, 1000)
	p.Metered = &metered.Prices{Components: []metered.Component{{
		ID: id.New(id.Price, time.Now()), MetricName: of.Name, MetricVersionID: of.VersionID(),
		Rates: []metered.Rate{{Price: billrating.Price{Model: billrating.PerUnit, UnitPrice: money.Whole(1)}}},
	}}}
	began := time.Now().Add(3*time.Second - day)
	sub := r.SubscribeAt(t, r.Customer(t, ""), r.Plan(t, p), began)
	r.start(t, sub)
	r.settled(t, sub, 1)
	record := usage.Record{
		ID: id.New(id.UsageRecord, time.Now()), SubscriptionID: sub.ID, Metric: of.Name, Quantity: money.Whole(7),
		At: began.Add(time.Hour), Key: "golden",
	}
	_, err := r.Store.UsageLog().RecordUsage(t.Context(), db.BySystem("test"), r.Env, time.Now(),
		[]db.NewUsage{{Record: record, Fingerprint: record.Fingerprint()}})
	require.NoError(t, err)
	r.settled(t, sub, 2)
	r.eventually(t, func() bool { return asleep(r.history(t, sub.ID, "")) })
	record.ID, record.Key, record.At = id.New(id.UsageRecord, time.Now()), "golden 2", time.Now()
	_, err = r.Store.UsageLog().RecordUsage(t.Context(), db.BySystem("test"), r.Env, time.Now(),
		[]db.NewUsage{{Record: record, Fingerprint: record.Fingerprint()}})
	require.NoError(t, err)
	r.command(t, sub, cancelNow(false))
	r.finished(t, sub)
	return sub.ID, ""
}

// The database was restored to a moment before the sign-up.
func recordAbsent(t *testing.T, r *liveScene) (string, string) {
	sub := contract.Ref{EnvironmentID: r.Env, ID: id.New(id.Subscription, time.Now())}
	r.start(t, sub)
	r.completed(t, sub.ID)
	return sub.ID, ""
}

func recordReconciler(t *testing.T, r *liveScene) (string, string) {
	run, err := r.client.ExecuteWorkflow(t.Context(),
		client.StartWorkflowOptions{ID: "reconciler_golden", TaskQueue: contract.QueueBilling}, contract.ReconcilerWorkflow)
	require.NoError(t, err)
	require.NoError(t, run.Get(t.Context(), nil))
	return run.GetID(), run.GetRunID()
}

func (r *liveScene) finished(t *testing.T, sub contract.Ref) {
	t.Helper()
	r.eventually(t, func() bool {
		s, err := r.Store.Subscriptions.Get(t.Context(), r.Env, sub.ID)
		return err == nil && !s.FinishedAt.IsZero()
	})
	r.completed(t, sub.ID)
}

func (r *liveScene) completed(t *testing.T, workflowID string) {
	t.Helper()
	require.NoError(t, r.client.GetWorkflow(t.Context(), workflowID, "").Get(t.Context(), nil))
}
