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

	"perennial/contract"
)

func begun(s contract.Snapshot) contract.SubscriptionInput {
	return contract.SubscriptionInput{Ref: contract.Ref{EnvironmentID: "env_1", ID: "sub_1"}, Snapshot: &s}
}

// continued is the input of the next run.
func continued(t *testing.T, env *testsuite.TestWorkflowEnvironment) contract.SubscriptionInput {
	t.Helper()
	var again *workflow.ContinueAsNewError
	require.ErrorAs(t, env.GetWorkflowError(), &again)
	var in contract.SubscriptionInput
	require.NoError(t, converter.GetDefaultDataConverter().FromPayloads(again.Input, &in))
	return in
}

// during sends a command while an activity is under way, and returns when it is answered.
func during(t *testing.T, env *testsuite.TestWorkflowEnvironment, c contract.Command) *answer {
	t.Helper()
	a, answered := &answer{c: c}, make(chan struct{})
	env.UpdateWorkflow(contract.UpdateCommand, c.ID, &testsuite.TestUpdateCallback{
		OnAccept: func() {},
		OnReject: func(err error) { a.err = err; close(answered) },
		OnComplete: func(out any, err error) {
			if result, ok := out.(contract.CommandResult); ok {
				a.result = &result
			}
			a.err = err
			close(answered)
		},
	}, c)
	select {
	case <-answered:
	case <-time.After(10 * time.Second):
		t.Error("the command waits for the activity")
	}
	return a
}

// A payer takes his time; whoever cancels meanwhile does not wait for him.
func TestACommandDoesNotQueueBehindACharge(t *testing.T) {
	t.Parallel()
	f := &fakes{}
	env := wired(t, f)
	live := sleeping(1)
	live.Live = &contract.Attempt{TransactionID: "txn_1"}
	var canceled *answer
	f.resolve = func(contract.ResolveInput) (contract.ResolveOutput, error) {
		canceled = during(t, env, contract.Command{ID: "cmd_1", Name: contract.CommandCancel})
		out := finished(3)
		return contract.ResolveOutput{Status: "canceled", Snapshot: &out}, nil
	}
	f.command = func(contract.CommandInput) (contract.CommandOutput, error) {
		out := live
		out.Revision, out.Status, out.NextAction, out.NextAt = 2, "canceled", "none", time.Time{}
		return contract.CommandOutput{Result: contract.CommandResult{Revision: 2}, Snapshot: out}, nil
	}
	env.ExecuteWorkflow(contract.SubscriptionWorkflow, begun(live))
	requireCompleted(t, env)
	require.EqualValues(t, 2, canceled.done(t).Revision)
	require.Equal(t, []string{"charge txn_1", "command cmd_1"}, f.called())
}

// What an answer tells is older than what a command did meanwhile: the workflow looks at the row again.
func TestAnAnswerOlderThanACommandMakesTheWorkflowReload(t *testing.T) {
	t.Parallel()
	f := &fakes{}
	env := wired(t, f)
	live := sleeping(1)
	live.Live = &contract.Attempt{TransactionID: "txn_1"}
	f.resolve = func(contract.ResolveInput) (contract.ResolveOutput, error) {
		old := sleeping(2)
		during(t, env, contract.Command{ID: "cmd_1"})
		return contract.ResolveOutput{Status: "success", Snapshot: &old}, nil
	}
	f.command = func(contract.CommandInput) (contract.CommandOutput, error) {
		return contract.CommandOutput{Snapshot: sleeping(3)}, nil
	}
	f.wake = func() (contract.Snapshot, error) { return finished(4), nil }
	env.ExecuteWorkflow(contract.SubscriptionWorkflow, begun(live))
	requireCompleted(t, env)
	require.Equal(t, []string{"charge txn_1", "command cmd_1", "wake"}, f.called())
}

// Commands that arrive in the very task in which the boundary makes the run end are performed by it.
func TestCommandsAtTheEndOfARunAreNotLost(t *testing.T) {
	t.Parallel()
	f := &fakes{}
	var env *testsuite.TestWorkflowEnvironment
	var late *answer
	f.due = func(contract.DueInput) (contract.Snapshot, error) {
		next := sleeping(2)
		next.NextAt = next.NextAt.AddDate(0, 1, 0)
		next.PeriodEnd = next.NextAt
		return next, nil
	}
	env = wired(t, f)
	env.RegisterDelayedCallback(func() {
		for _, id := range []string{"cmd_1", "cmd_2"} {
			late = perform(t, env, contract.Command{ID: id})
		}
	}, noon.AddDate(0, 1, 0).Sub(noon))
	performed := map[string]bool{}
	f.command = func(in contract.CommandInput) (contract.CommandOutput, error) {
		performed[in.Command.ID] = true
		next, _ := f.due(contract.DueInput{})
		return contract.CommandOutput{Result: contract.CommandResult{Revision: 2}, Snapshot: next}, nil
	}
	env.ExecuteWorkflow(contract.SubscriptionWorkflow, begun(sleeping(1)))
	in := continued(t, env)
	require.EqualValues(t, 2, in.Snapshot.Revision)
	require.Equal(t, map[string]bool{"cmd_1": true, "cmd_2": true}, performed)
	require.EqualValues(t, 2, late.done(t).Revision)
}

// Signals that arrive when a run is about to end go over to the next.
func TestSignalsAreCarriedOver(t *testing.T) {
	t.Parallel()
	f := &fakes{}
	env := wired(t, f)
	next := sleeping(2)
	next.NextAt = next.NextAt.AddDate(0, 1, 0)
	next.PeriodEnd = next.NextAt
	f.due = func(contract.DueInput) (contract.Snapshot, error) {
		env.SignalWorkflow(contract.SignalCheck, contract.Check{TransactionID: "txn_7"})
		env.SignalWorkflow(contract.SignalCheck, contract.Check{TransactionID: "txn_7"})
		env.SignalWorkflow(contract.SignalCheck, contract.Check{TransactionID: "txn_8"})
		return next, nil
	}
	env.ExecuteWorkflow(contract.SubscriptionWorkflow, begun(sleeping(1)))
	in := continued(t, env)
	require.Equal(t, []string{"txn_7", "txn_8"}, in.Checks, "each once")

	f2 := &fakes{}
	f2.resolve = func(in contract.ResolveInput) (contract.ResolveOutput, error) {
		require.True(t, in.Asked)
		out := finished(3)
		return contract.ResolveOutput{Status: "success", Snapshot: &out}, nil
	}
	env = wired(t, f2)
	env.ExecuteWorkflow(contract.SubscriptionWorkflow, in)
	requireCompleted(t, env)
	require.Equal(t, []string{"check txn_7", "check txn_8"}, f2.called())
}

// timers counts what the workflow does with timers.
type timers struct{ scheduled, fired, canceled int }

func (n *timers) watch(env *testsuite.TestWorkflowEnvironment) {
	env.SetOnTimerScheduledListener(func(string, time.Duration) { n.scheduled++ })
	env.SetOnTimerFiredListener(func(string) { n.fired++ })
	env.SetOnTimerCanceledListener(func(string) { n.canceled++ })
}

// A wake-up for another reason leaves the timer of the boundary as it is; only a new date replaces it.
func TestTheBoundaryTimerIsReused(t *testing.T) {
	t.Parallel()
	f := &fakes{}
	revision := int64(1)
	f.wake = func() (contract.Snapshot, error) { revision++; return sleeping(revision), nil }
	f.command = func(contract.CommandInput) (contract.CommandOutput, error) {
		moved := sleeping(100)
		moved.NextAction, moved.NextAt = "cancel", noon.AddDate(0, 0, 20)
		return contract.CommandOutput{Snapshot: moved}, nil
	}
	f.due = func(contract.DueInput) (contract.Snapshot, error) { return finished(101), nil }
	env := wired(t, f)
	var n timers
	n.watch(env)
	for hour := range 10 {
		env.RegisterDelayedCallback(func() { env.SignalWorkflow(contract.SignalWake, nil) }, time.Duration(hour+1)*time.Hour)
	}
	env.RegisterDelayedCallback(func() {
		require.Equal(t, timers{scheduled: 1}, n, "ten wake-ups, one timer")
		perform(t, env, contract.Command{ID: "cmd_1"})
	}, 20*time.Hour)
	env.ExecuteWorkflow(contract.SubscriptionWorkflow, begun(sleeping(1)))
	requireCompleted(t, env)
	require.Equal(t, timers{scheduled: 2, fired: 1, canceled: 1}, n)
	require.Equal(t, noon.AddDate(0, 0, 20), env.Now().UTC())
	require.Equal(t, "end", f.called()[len(f.called())-1])
}

// An undecided payment is asked about by a timer of its own, beside that of the boundary.
func TestTheCheckTimerIsOneOfItsOwn(t *testing.T) {
	t.Parallel()
	f := &fakes{}
	var asked []time.Duration
	env := wired(t, f)
	f.resolve = func(in contract.ResolveInput) (contract.ResolveOutput, error) {
		asked = append(asked, env.Now().Sub(noon))
		out := sleeping(int64(1 + len(asked)))
		if len(asked) < 4 {
			out.Live = &contract.Attempt{TransactionID: in.TransactionID, CheckAt: env.Now().Add(10 * time.Minute), Sent: true}
			return contract.ResolveOutput{Status: "pending", CheckAt: out.Live.CheckAt, Snapshot: &out}, nil
		}
		return contract.ResolveOutput{Status: "success", Snapshot: &out}, nil
	}
	f.due = func(contract.DueInput) (contract.Snapshot, error) { return finished(9), nil }
	var n timers
	n.watch(env)
	first := sleeping(1)
	first.Live = &contract.Attempt{TransactionID: "txn_1"}
	env.ExecuteWorkflow(contract.SubscriptionWorkflow, begun(first))
	requireCompleted(t, env)
	require.Equal(t, []time.Duration{0, 10 * time.Minute, 20 * time.Minute, 30 * time.Minute}, asked)
	require.Equal(t, timers{scheduled: 4, fired: 4}, n, "three checks and one boundary")
	require.Equal(t, []string{"charge txn_1", "check txn_1", "check txn_1", "check txn_1", "renew"}, f.called())
}

// A database that is away for longer than a workflow task should wait holds nothing up but this step.
func TestALocalActivityFallsBackToANormalOne(t *testing.T) {
	t.Parallel()
	f := &fakes{}
	env := wired(t, f)
	back := noon.AddDate(0, 1, 0).Add(15 * time.Second)
	f.due = func(contract.DueInput) (contract.Snapshot, error) {
		if env.Now().Before(back) {
			return contract.Snapshot{}, errors.New("the database is away")
		}
		return finished(2), nil
	}
	normal := 0
	env.SetOnActivityStartedListener(countStarts(&normal))
	env.ExecuteWorkflow(contract.SubscriptionWorkflow, begun(sleeping(1)))
	requireCompleted(t, env)
	require.Equal(t, 1, normal, "one normal activity, retried until the database is back")
	require.GreaterOrEqual(t, len(f.called()), 10)
}

// A look at a closed transaction is still under way when the subscription ends: the run sleeps until it is done.
func TestAFinishedRunWaitsForItsLastLook(t *testing.T) {
	t.Parallel()
	f := &fakes{}
	env := wired(t, f)
	f.resolve = func(contract.ResolveInput) (contract.ResolveOutput, error) {
		during(t, env, contract.Command{ID: "cmd_1", Name: contract.CommandCancel})
		out := finished(3)
		return contract.ResolveOutput{Status: "declined", Snapshot: &out}, nil
	}
	f.command = func(contract.CommandInput) (contract.CommandOutput, error) {
		return contract.CommandOutput{Snapshot: finished(2)}, nil
	}
	in := begun(sleeping(1))
	in.Checks = []string{"txn_1"}
	env.ExecuteWorkflow(contract.SubscriptionWorkflow, in)
	requireCompleted(t, env)
	require.Equal(t, []string{"check txn_1", "command cmd_1"}, f.called())
}

// A tick is answered when all that is due by then is done, also where what an activity read is older than the tick.
func TestATickBringsTheSubscriptionUpToItsTime(t *testing.T) {
	t.Parallel()
	f := &fakes{}
	env := wired(t, f)
	var at []time.Time
	f.due = func(in contract.DueInput) (contract.Snapshot, error) {
		at = append(at, in.Now)
		next := sleeping(int64(1 + len(at)))
		next.ClockNow, next.NextAt = noon, noon.AddDate(0, 0, 1+len(at))
		return next, nil
	}
	answered := false
	env.RegisterDelayedCallback(func() {
		env.UpdateWorkflow(contract.UpdateTick, "tick_1", &testsuite.TestUpdateCallback{
			OnAccept: func() {}, OnReject: func(err error) { t.Error(err) },
			OnComplete: func(_ any, err error) {
				require.NoError(t, err)
				require.Len(t, at, 3)
				answered = true
				env.CancelWorkflow()
			},
		}, contract.Tick{Now: noon.AddDate(0, 0, 3)})
	}, time.Second)
	var n timers
	n.watch(env)
	start := sleeping(1)
	start.ClockNow, start.NextAt = noon, noon.AddDate(0, 0, 1)
	env.ExecuteWorkflow(contract.SubscriptionWorkflow, begun(start))
	require.True(t, answered)
	require.Equal(t, []time.Time{noon.AddDate(0, 0, 3), noon.AddDate(0, 0, 3), noon.AddDate(0, 0, 3)}, at)
	require.Zero(t, n, "who lives on a test clock has no timers")
}

func TestAFailedCommandIsNotAnsweredAsDone(t *testing.T) {
	t.Parallel()
	f := &fakes{}
	env := wired(t, f)
	var a *answer
	f.command = func(contract.CommandInput) (contract.CommandOutput, error) {
		return contract.CommandOutput{}, temporal.NewNonRetryableApplicationError("broken", "broken", nil)
	}
	env.RegisterDelayedCallback(func() { a = perform(t, env, contract.Command{ID: "cmd_1", Name: contract.CommandCancel}) }, time.Second)
	env.ExecuteWorkflow(contract.SubscriptionWorkflow, begun(sleeping(1)))
	require.Error(t, env.GetWorkflowError())
	require.Nil(t, a.result)
	require.Error(t, a.err)
}
