package workflows_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"perennial/billing/subscription"
	"perennial/contract"
	"perennial/internal/testkit/wait"
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

// The payment of a slow payer is in flight; a command made meanwhile is acted on at once.
func TestSubscription_ActsOnACommandBesideACharge(t *testing.T) {
	t.Parallel()
	f, reloaded := &fakes{}, make(chan struct{})
	env := wired(t, f)
	live := sleeping(1)
	live.Live = &contract.Attempt{TransactionID: "txn_1"}
	f.charge = func(contract.ResolveInput) (contract.ResolveOutput, error) {
		env.SignalWorkflow(contract.CommandCancel, contract.Wake{Revision: 2})
		select {
		case <-reloaded:
		case <-time.After(wait.Patience):
			t.Error("the command waits for the charge")
		}
		out := finished(3)
		return contract.ResolveOutput{Status: "canceled", Snapshot: &out}, nil
	}
	f.advance = func(contract.AdvanceInput) (contract.Snapshot, error) {
		defer close(reloaded)
		out := live
		out.Revision, out.Status, out.NextAction, out.NextAt = 2, "canceled", "none", time.Time{}
		return out, nil
	}
	env.ExecuteWorkflow(contract.SubscriptionWorkflow, begun(live))
	requireCompleted(t, env)
	require.Equal(t, []string{"charge txn_1", "advance"}, f.called())
}

// An answer may be older than the snapshot that the run has loaded since. A new attempt leaves the revision as it is,
// so that an equal one proves nothing either: only the database knows.
func TestSubscription_ReloadsWhatAnAnswerMayNotKnow(t *testing.T) {
	t.Parallel()
	for name, answered := range map[string]int64{"older": 2, "of the same revision": 3} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, reloaded := &fakes{}, make(chan struct{})
			env := wired(t, f)
			paying := sleeping(3)
			paying.Live = &contract.Attempt{TransactionID: "txn_2"}
			f.charge = func(in contract.ResolveInput) (contract.ResolveOutput, error) {
				out := sleeping(answered) // read before the new attempt was made
				if in.TransactionID == "txn_2" {
					out = finished(4)
				} else {
					env.SignalWorkflow(contract.CommandPay, contract.Wake{})
					<-reloaded
				}
				return contract.ResolveOutput{Status: "declined", Snapshot: &out}, nil
			}
			loads := 0
			f.advance = func(contract.AdvanceInput) (contract.Snapshot, error) {
				if loads++; loads == 1 {
					defer close(reloaded)
				}
				return paying, nil
			}
			in := begun(sleeping(1))
			in.Checks = []string{"txn_1"}
			env.ExecuteWorkflow(contract.SubscriptionWorkflow, in)
			requireCompleted(t, env)
			require.Equal(t, []string{"check txn_1", "advance", "advance", "charge txn_2"}, f.called())
		})
	}
}

// A command's signal that arrives in the very task in which the boundary ends the run is acted on by it.
func TestSubscription_ActsOnASignalAtTheEndOfARun(t *testing.T) {
	t.Parallel()
	f := &fakes{}
	env := wired(t, f)
	revision := int64(1)
	f.advance = func(contract.AdvanceInput) (contract.Snapshot, error) {
		if revision++; revision == 2 {
			env.SignalWorkflow(contract.CommandCancel, contract.Wake{})
			env.SignalWorkflow(contract.CommandReactivate, contract.Wake{})
		}
		next := sleeping(revision)
		next.NextAt = next.NextAt.AddDate(0, 1, 0)
		next.PeriodEnd = next.NextAt
		return next, nil
	}
	env.ExecuteWorkflow(contract.SubscriptionWorkflow, begun(sleeping(1)))
	in := continued(t, env)
	calls := len(f.called())
	require.True(t, in.Woken && calls == 1 || !in.Woken && calls == 2 && in.Snapshot.Revision == 3,
		"woken %v after %d activities", in.Woken, calls)
}

// A subscription that is woken after its end is finished again after one activity.
func TestSubscription_FinishedAndWokenEndsAfterOneActivity(t *testing.T) {
	t.Parallel()
	f := &fakes{advance: func(contract.AdvanceInput) (contract.Snapshot, error) { return finished(5), nil }}
	env := wired(t, f)
	var n timers
	n.watch(env)
	env.RegisterDelayedCallback(func() { env.SignalWorkflow(contract.CommandPay, contract.Wake{}) }, 0)
	in := begun(finished(0))
	in.Snapshot = nil
	env.ExecuteWorkflow(contract.SubscriptionWorkflow, in)
	requireCompleted(t, env)
	require.Equal(t, []string{"advance"}, f.called())
	require.Zero(t, n)
}

// Signals that arrive when a run is about to end go over to the next.
func TestSubscription_CarriesSignalsOver(t *testing.T) {
	t.Parallel()
	f := &fakes{}
	env := wired(t, f)
	next := sleeping(2)
	next.NextAt = next.NextAt.AddDate(0, 1, 0)
	next.PeriodEnd = next.NextAt
	f.advance = func(contract.AdvanceInput) (contract.Snapshot, error) {
		env.SignalWorkflow(contract.SignalCheck, contract.Check{TransactionID: "txn_7"})
		env.SignalWorkflow(contract.SignalCheck, contract.Check{TransactionID: "txn_7"})
		env.SignalWorkflow(contract.SignalCheck, contract.Check{TransactionID: "txn_8"})
		return next, nil
	}
	env.ExecuteWorkflow(contract.SubscriptionWorkflow, begun(sleeping(1)))
	in := continued(t, env)
	require.Equal(t, []string{"txn_7", "txn_8"}, in.Checks, "each once")

	f2 := &fakes{}
	f2.charge = func(in contract.ResolveInput) (contract.ResolveOutput, error) {
		require.True(t, in.Asked)
		out := finished(3)
		return contract.ResolveOutput{Status: "success", Snapshot: &out}, nil
	}
	env = wired(t, f2)
	env.ExecuteWorkflow(contract.SubscriptionWorkflow, in)
	requireCompleted(t, env)
	require.Equal(t, []string{"check txn_7", "check txn_8"}, f2.called())
}

// timers counts the timers of the workflow.
type timers struct{ scheduled, fired, canceled int }

func (n *timers) watch(env *testsuite.TestWorkflowEnvironment) {
	env.SetOnTimerScheduledListener(func(string, time.Duration) { n.scheduled++ })
	env.SetOnTimerFiredListener(func(string) { n.fired++ })
	env.SetOnTimerCanceledListener(func(string) { n.canceled++ })
}

// A wake-up for another reason leaves the timer of the boundary as it is; only a new date replaces it.
func TestSubscription_KeepsItsBoundaryTimerOverWakeUps(t *testing.T) {
	t.Parallel()
	f := &fakes{}
	revision := int64(1)
	var env *testsuite.TestWorkflowEnvironment
	f.advance = func(contract.AdvanceInput) (contract.Snapshot, error) {
		revision++
		switch {
		case revision <= 11:
			return sleeping(revision), nil
		case revision == 12: // by the command
			moved := sleeping(revision)
			moved.NextAction, moved.NextAt = "cancel", noon.AddDate(0, 0, 20)
			return moved, nil
		}
		return finished(revision), nil
	}
	env = wired(t, f)
	var n timers
	n.watch(env)
	for hour := range 10 {
		env.RegisterDelayedCallback(func() {
			env.SignalWorkflow(contract.SignalWake, contract.Wake{})
		}, time.Duration(hour+1)*time.Hour)
	}
	env.RegisterDelayedCallback(func() {
		require.Equal(t, timers{scheduled: 1}, n, "ten wake-ups, one timer")
		env.SignalWorkflow(contract.CommandCancel, contract.Wake{})
	}, 20*time.Hour)
	env.ExecuteWorkflow(contract.SubscriptionWorkflow, begun(sleeping(1)))
	requireCompleted(t, env)
	require.Equal(t, timers{scheduled: 2, fired: 1, canceled: 1}, n)
	require.Equal(t, noon.AddDate(0, 0, 20), env.Now().UTC())
	require.Len(t, f.called(), 12)
}

// A timer of its own polls a pending payment, in addition to that of the boundary.
func TestSubscription_ChecksAPendingPaymentByATimerOfItsOwn(t *testing.T) {
	t.Parallel()
	f := &fakes{}
	var asked []time.Duration
	env := wired(t, f)
	f.charge = func(in contract.ResolveInput) (contract.ResolveOutput, error) {
		asked = append(asked, env.Now().Sub(noon))
		out := sleeping(int64(1 + len(asked)))
		if len(asked) < 4 {
			out.Live = &contract.Attempt{TransactionID: in.TransactionID, CheckAt: env.Now().Add(10 * time.Minute), Sent: true}
			return contract.ResolveOutput{Status: "pending", CheckAt: out.Live.CheckAt, Snapshot: &out}, nil
		}
		return contract.ResolveOutput{Status: "success", Snapshot: &out}, nil
	}
	f.advance = func(contract.AdvanceInput) (contract.Snapshot, error) { return finished(9), nil }
	var n timers
	n.watch(env)
	first := sleeping(1)
	first.Live = &contract.Attempt{TransactionID: "txn_1"}
	env.ExecuteWorkflow(contract.SubscriptionWorkflow, begun(first))
	requireCompleted(t, env)
	require.Equal(t, []time.Duration{0, 10 * time.Minute, 20 * time.Minute, 30 * time.Minute}, asked)
	require.Equal(t, timers{scheduled: 4, fired: 4}, n, "three checks and one boundary")
	require.Equal(t, []string{"charge txn_1", "charge txn_1", "charge txn_1", "charge txn_1", "advance"}, f.called())
}

// A database that is away for longer than a workflow task should wait holds nothing up but this step.
func TestSubscription_LocalActivityFallsBackToANormalOne(t *testing.T) {
	t.Parallel()
	f := &fakes{}
	env := wired(t, f)
	back := noon.AddDate(0, 1, 0).Add(15 * time.Second)
	f.advance = func(contract.AdvanceInput) (contract.Snapshot, error) {
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

// An exchange about a closed transaction is still in flight when the subscription ends: the run waits for its result.
func TestSubscription_FinishedWaitsForTheExchangeInFlight(t *testing.T) {
	t.Parallel()
	f, reloaded := &fakes{}, make(chan struct{})
	env := wired(t, f)
	f.charge = func(contract.ResolveInput) (contract.ResolveOutput, error) {
		env.SignalWorkflow(contract.CommandCancel, contract.Wake{})
		<-reloaded
		out := finished(3)
		return contract.ResolveOutput{Status: "declined", Snapshot: &out}, nil
	}
	f.advance = func(contract.AdvanceInput) (contract.Snapshot, error) {
		defer close(reloaded)
		return finished(2), nil
	}
	in := begun(sleeping(1))
	in.Checks = []string{"txn_1"}
	env.ExecuteWorkflow(contract.SubscriptionWorkflow, in)
	requireCompleted(t, env)
	require.Equal(t, []string{"check txn_1", "advance"}, f.called())
}

// The clock's workflow does the work due at its time, and wakes the subscriptions: they have no timers for it.
func TestSubscription_OnATestClockArmsNoTimer(t *testing.T) {
	t.Parallel()
	f := &fakes{}
	env := wired(t, f)
	start := sleeping(1)
	start.ClockNow, start.NextAt = noon, noon.Add(time.Hour) // which passes in real time
	f.advance = func(in contract.AdvanceInput) (contract.Snapshot, error) {
		require.Equal(t, noon, in.Now, "its time is the clock's")
		if len(f.called()) < 3 {
			next := start
			next.Revision = int64(1 + len(f.called()))
			return next, nil
		}
		return finished(9), nil
	}
	var n timers
	n.watch(env)
	for i := range 3 {
		env.RegisterDelayedCallback(func() {
			env.SignalWorkflow(contract.SignalWake, contract.Wake{})
		}, time.Duration(i+1)*day)
	}
	env.ExecuteWorkflow(contract.SubscriptionWorkflow, begun(start))
	requireCompleted(t, env)
	require.Equal(t, noon.Add(3*day), env.Now().UTC())
	require.Zero(t, n)
}

// Nothing moves the clock when a subscription is created on it, so its workflow begins it.
func TestSubscription_BeginsOnATestClockThatStandsStill(t *testing.T) {
	t.Parallel()
	f := &fakes{}
	env := wired(t, f)
	start := sleeping(1)
	start.ClockNow, start.NextAction, start.NextAt = noon.AddDate(1, 0, 0), subscription.ActionBegin, noon.AddDate(1, 0, 0)
	f.advance = func(in contract.AdvanceInput) (contract.Snapshot, error) {
		require.Equal(t, start.ClockNow, in.Now)
		return finished(2), nil
	}
	env.ExecuteWorkflow(contract.SubscriptionWorkflow, begun(start))
	requireCompleted(t, env)
	require.Equal(t, []string{"advance"}, f.called())
	require.Equal(t, noon, env.Now().UTC())
}

// A fault in the rules must not make a run spin: what changed nothing is repeated once a minute.
func TestSubscription_RestsAfterAnActivityThatChangedNothing(t *testing.T) {
	t.Parallel()
	overdue, unfinished, asking := sleeping(1), sleeping(1), sleeping(1)
	overdue.NextAt = noon.Add(-time.Second)
	unfinished.Unfinished = true
	asking.Live = &contract.Attempt{TransactionID: "txn_1", CheckAt: noon.Add(-time.Second)}
	for name, stuck := range map[string]contract.Snapshot{"due": overdue, "unfinished": unfinished, "payment": asking} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &fakes{}
			env := wired(t, f)
			says := func() contract.Snapshot {
				if len(f.called()) > 10 {
					return finished(2)
				}
				return stuck
			}
			f.advance = func(contract.AdvanceInput) (contract.Snapshot, error) { return says(), nil }
			f.charge = func(contract.ResolveInput) (contract.ResolveOutput, error) {
				out := says()
				return contract.ResolveOutput{Status: "pending", Snapshot: &out}, nil
			}
			env.ExecuteWorkflow(contract.SubscriptionWorkflow, begun(stuck))
			requireCompleted(t, env)
			require.Len(t, f.called(), 11)
			require.Equal(t, noon.Add(10*time.Minute), env.Now().UTC())
		})
	}
}

// A long catch-up ends its run where the server asks for it, although more is due.
func TestSubscription_CatchingUpContinuesAsNewWhereTheHistoryIsLong(t *testing.T) {
	t.Parallel()
	f := &fakes{}
	env := wired(t, f)
	behind := sleeping(1)
	behind.NextAt = noon.Add(-time.Second)
	f.advance = func(contract.AdvanceInput) (contract.Snapshot, error) {
		if len(f.called()) == 3 {
			env.SetContinueAsNewSuggested(true)
		}
		next := behind
		next.Revision, next.Unfinished = int64(1+len(f.called())), true
		return next, nil
	}
	env.ExecuteWorkflow(contract.SubscriptionWorkflow, begun(behind))
	in := continued(t, env)
	require.True(t, in.Snapshot.Unfinished)
	require.Len(t, f.called(), 3)
}

// An operator may send a check without saying about what: it must not hold up the checks behind it.
func TestSubscription_CheckWithoutATransactionIsAWakeUp(t *testing.T) {
	t.Parallel()
	f := &fakes{advance: func(contract.AdvanceInput) (contract.Snapshot, error) { return finished(2), nil }}
	env := wired(t, f)
	env.RegisterDelayedCallback(func() { env.SignalWorkflow(contract.SignalCheck, nil) }, time.Second)
	env.ExecuteWorkflow(contract.SubscriptionWorkflow, begun(sleeping(1)))
	requireCompleted(t, env)
	require.Equal(t, noon.Add(time.Second), env.Now().UTC())
	require.Equal(t, []string{"advance"}, f.called())
}
