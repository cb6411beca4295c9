package workflows_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/contract"
)

// paid lets a boundary lead to next with the charge txn_1, which succeeds.
func (f *fakes) paid(next contract.Snapshot) {
	f.advance = func(contract.AdvanceInput) (contract.Snapshot, error) {
		out := next
		out.Live = &contract.Attempt{TransactionID: "txn_1"}
		return out, nil
	}
	f.charge = func(contract.ResolveInput) (contract.ResolveOutput, error) {
		out := next
		out.Revision = 3
		return contract.ResolveOutput{Status: "success", Snapshot: &out}, nil
	}
}

// The run that reached a boundary makes its charge; the next boundary's timer is left to the next run.
func TestSubscription_OldRunChargesBeforeItContinuesAsNew(t *testing.T) {
	t.Parallel()
	f := &fakes{}
	env := wired(t, f)
	next := sleeping(2)
	next.NextAt = noon.AddDate(0, 2, 0)
	next.PeriodEnd = next.NextAt
	f.paid(next)
	var n timers
	n.watch(env)
	env.ExecuteWorkflow(contract.SubscriptionWorkflow, begun(sleeping(1)))
	in := continued(t, env)
	require.EqualValues(t, 3, in.Snapshot.Revision)
	require.Equal(t, []string{"advance", "charge txn_1"}, f.called())
	require.Equal(t, timers{scheduled: 1, fired: 1}, n)
}

// A boundary that may come while a provider is being asked has its timer, also in a run that is about to end.
func TestSubscription_ArmsABoundaryThatComesSoon(t *testing.T) {
	t.Parallel()
	f := &fakes{}
	env := wired(t, f)
	soon := sleeping(2)
	soon.NextAt = noon.AddDate(0, 1, 0).Add(time.Hour)
	soon.PeriodEnd = soon.NextAt
	f.paid(soon)
	var n timers
	n.watch(env)
	env.ExecuteWorkflow(contract.SubscriptionWorkflow, begun(sleeping(1)))
	continued(t, env)
	require.Equal(t, timers{scheduled: 2, fired: 1}, n)
}

// An exchange whose repeats ran out of time is begun anew, and word from a provider is not forgotten over it.
func TestSubscription_BeginsAnExchangeAnewThatRanOutOfTime(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		first contract.SubscriptionInput
		calls []string
	}{
		{"a charge", begun(sleeping(1)), []string{"charge txn_1", "charge txn_1"}},
		{"word", begun(sleeping(1)), []string{"check txn_1", "check txn_1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := &fakes{}
			env := wired(t, f)
			if c.name == "word" {
				c.first.Checks = []string{"txn_1"}
			} else {
				c.first.Snapshot.Live = &contract.Attempt{TransactionID: "txn_1"}
			}
			until := noon.Add(7 * time.Hour)
			f.charge = func(contract.ResolveInput) (contract.ResolveOutput, error) {
				if env.Now().Before(until) {
					return contract.ResolveOutput{}, errors.New("the database is away")
				}
				out := finished(3)
				return contract.ResolveOutput{Status: "success", Snapshot: &out}, nil
			}
			env.ExecuteWorkflow(contract.SubscriptionWorkflow, c.first)
			requireCompleted(t, env)
			called := f.called()
			require.Greater(t, len(called), 2*6*60, "it is repeated every minute, for as long as it takes")
			firstAndLast := []string{called[0], called[len(called)-1]}
			require.Equal(t, c.calls, firstAndLast)
		})
	}
}
