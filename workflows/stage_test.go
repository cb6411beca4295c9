package workflows_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"perennial/billing/plan"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/devstack"
	"perennial/internal/testkit"
	"perennial/service/dispatch"
	"perennial/test/scene"
	"perennial/workflows"
)

func TestMain(m *testing.M) { testkit.Main(m) }

const day = 24 * time.Hour

// stage plays the workflow of one subscription with the real activities on a real database, in time that is skipped.
// The scene's clock is the workflow's.
type stage struct {
	*scene.Scene
	t        *testing.T
	ref      contract.Ref
	customer string
	input    *contract.SubscriptionInput // of the next run; nil: the workflow has completed
	at       time.Time                   // where the last run ended
	env      *testsuite.TestWorkflowEnvironment
	cues     []*cue
	runs     int
}

// cue is something that happens to the subscription at a time.
type cue struct {
	at   time.Time
	act  func()
	done bool
}

// subscribe puts a new subscription to p on the stage, at the scene's time.
func subscribe(t *testing.T, s *scene.Scene, p plan.Plan) *stage {
	t.Helper()
	customer := s.Customer(t, "")
	ref := s.Subscribe(t, customer, s.Plan(t, p))
	return &stage{
		Scene: s, t: t, ref: ref, customer: customer.ID, input: &contract.SubscriptionInput{Ref: ref}, at: s.Clock.Now(),
	}
}

// on schedules act for a time.
func (s *stage) on(at time.Time, act func()) { s.cues = append(s.cues, &cue{at: at, act: act}) }

// play runs the workflow, from run to run, until a time or its end.
func (s *stage) play(until time.Time) {
	s.t.Helper()
	for s.input != nil && s.at.Before(until) {
		s.run(until)
	}
	s.Clock.Set(s.at)
}

func (s *stage) run(until time.Time) {
	s.t.Helper()
	s.runs++
	require.Less(s.t, s.runs, 2_000, "the workflow does not come to rest")
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(devstack.Silent{})
	env := suite.NewTestWorkflowEnvironment()
	env.SetStartTime(s.at)
	env.SetTestTimeout(time.Minute)
	env.SetWorkerOptions(worker.Options{DeadlockDetectionTimeout: time.Minute}) // a busy machine is no deadlock
	env.RegisterWorkflowWithOptions(workflows.Subscription, workflow.RegisterOptions{Name: contract.SubscriptionWorkflow})
	env.RegisterActivityWithOptions(s.Subscriptions.Advance, activity.RegisterOptions{Name: contract.ActivityAdvance})
	env.RegisterActivityWithOptions(s.Usage.BillUsage, activity.RegisterOptions{Name: contract.ActivityBillUsage})
	env.RegisterActivityWithOptions(s.Payments.Charge, activity.RegisterOptions{Name: contract.ActivityCharge})
	s.Clock.Follow(env.Now)
	s.env = env
	for _, c := range s.cues {
		if !c.done && c.at.Before(until) {
			env.RegisterDelayedCallback(func() { c.done = true; c.act() }, max(c.at.Sub(s.at), 0))
		}
	}
	curtain := false
	env.RegisterDelayedCallback(func() { curtain = true; env.CancelWorkflow() }, until.Sub(s.at))
	env.ExecuteWorkflow(contract.SubscriptionWorkflow, *s.input)
	require.True(s.t, env.IsWorkflowCompleted())
	s.at = env.Now().UTC()
	var again *workflow.ContinueAsNewError
	err := env.GetWorkflowError()
	switch {
	case err == nil:
		s.input = nil
	case errors.As(err, &again):
		var in contract.SubscriptionInput
		require.NoError(s.t, converter.GetDefaultDataConverter().FromPayloads(again.Input, &in))
		s.input = &in
	case temporal.IsCanceledError(err):
		s.input = &contract.SubscriptionInput{Ref: s.ref} // a worker restart without history: everything is in the rows
		if curtain {
			s.at = until
		}
	default:
		require.NoError(s.t, err)
	}
}

// command performs one at the scene's time, as the API does: a transaction, then a signal.
func (s *stage) command(c command) *answer {
	s.t.Helper()
	a := &answer{name: c.signal}
	a.err = s.Store.InTx(s.t.Context(), db.BySystem("test"), s.Clock.Now(), func(tx *db.Tx) error {
		var err error
		a.out, err = c.perform(s.t.Context(), tx, s.ref)
		return err
	})
	for _, signal := range s.Started.Signals() {
		require.Equal(s.t, c.signal, signal.Why)
		s.env.SignalWorkflow(signal.Why, dispatch.WakeOf(db.BySystem("test"), signal))
	}
	return a
}

// wake signals that the row changed.
func (s *stage) wake() { s.env.SignalWorkflow(contract.SignalWake, contract.Wake{By: "system"}) }
