package workflows_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"perennial/billing/plan"
	"perennial/contract"
	"perennial/internal/testkit"
	"perennial/test/scene"
	"perennial/workflows"
)

func TestMain(m *testing.M) { testkit.Main(m) }

const day = 24 * time.Hour

// stage plays the workflow of one subscription with the real activities on a real database, in time that is skipped. The
// scene's clock is the workflow's.
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
	sent     *answer // the latest command
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
	return &stage{Scene: s, t: t, ref: ref, customer: customer.ID, input: &contract.SubscriptionInput{Ref: ref}, at: s.Clock.Now()}
}

// on lets act happen at a time.
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
	suite.SetLogger(silent{})
	env := suite.NewTestWorkflowEnvironment()
	env.SetStartTime(s.at)
	env.SetTestTimeout(20 * time.Second)
	env.RegisterWorkflowWithOptions(workflows.Subscription, workflow.RegisterOptions{Name: contract.SubscriptionWorkflow})
	env.RegisterActivity(s.Subscriptions)
	env.RegisterActivity(s.Payments)
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
	if a := s.sent; a != nil && !a.heard { // it met a run that had just closed: a server says so, and the caller repeats
		s.on(s.at, a.send)
	}

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

// answer is what became of a command.
type answer struct {
	s      *stage
	c      contract.Command
	heard  bool // accepted or rejected
	result *contract.CommandResult
	err    error
}

// command sends one now. A run that is about to continue as new refuses it; then the next run gets it.
func (s *stage) command(c contract.Command) *answer {
	s.sent = &answer{s: s, c: c}
	s.sent.send()
	return s.sent
}

func (a *answer) send() {
	a.s.env.UpdateWorkflow(contract.UpdateCommand, a.c.ID, &testsuite.TestUpdateCallback{
		OnAccept: func() { a.heard = true },
		OnReject: func(err error) {
			a.heard = true
			var app *temporal.ApplicationError
			if errors.As(err, &app) && app.Type() == contract.ErrorDraining {
				a.s.on(a.s.env.Now(), a.send)
				return
			}
			a.err = err
		},
		OnComplete: func(out any, err error) {
			if result, ok := out.(contract.CommandResult); ok && err == nil {
				a.result = &result
			}
			a.err = err
		},
	}, a.c)
}

// done wants the command answered, and answered as the books say.
func (a *answer) done(t *testing.T) contract.CommandResult {
	t.Helper()
	require.NoError(t, a.err)
	require.NotNil(t, a.result, "command %s was lost", a.c.ID)
	return *a.result
}

type silent struct{}

func (silent) Debug(string, ...any) {}
func (silent) Info(string, ...any)  {}
func (silent) Warn(string, ...any)  {}
func (silent) Error(string, ...any) {}
