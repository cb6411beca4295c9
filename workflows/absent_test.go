package workflows_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"

	"perennial/contract"
)

// A restore has lost the row that a run serves: whenever the run finds out, it ends.
func TestSubscription_EndsWhereTheRowIsAbsent(t *testing.T) {
	t.Parallel()
	live := sleeping(1)
	live.Live = &contract.Attempt{TransactionID: "txn_1"}
	for name, c := range map[string]struct {
		in    contract.SubscriptionInput
		calls []string
		after time.Duration
	}{
		"a new run":        {contract.SubscriptionInput{Ref: begun(live).Ref}, []string{"advance"}, 0},
		"at the next date": {begun(sleeping(1)), []string{"advance"}, noon.AddDate(0, 1, 0).Sub(noon)},
		"with its payment": {begun(live), []string{"charge txn_1", "advance"}, 0},
		"with callbacks to look after": {
			contract.SubscriptionInput{Ref: begun(live).Ref, Checks: []string{"txn_2"}}, []string{"advance"}, 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &fakes{}
			env := wired(t, f)
			f.advance = func(contract.AdvanceInput) (contract.Snapshot, error) { return contract.Snapshot{Absent: true}, nil }
			f.charge = func(contract.ResolveInput) (contract.ResolveOutput, error) {
				return contract.ResolveOutput{Status: "absent"}, nil
			}
			env.ExecuteWorkflow(contract.SubscriptionWorkflow, c.in)
			requireCompleted(t, env)
			require.Equal(t, c.calls, f.called())
			require.Equal(t, c.after, env.Now().Sub(noon))
		})
	}
}

// The result of an exchange in flight cannot be recorded any more: the run does not wait for it.
func TestSubscription_EndsWhereTheRowIsAbsentBesideAnExchange(t *testing.T) {
	t.Parallel()
	f := &fakes{}
	env := wired(t, f)
	live := sleeping(1)
	live.Live = &contract.Attempt{TransactionID: "txn_1"}
	f.charge = func(contract.ResolveInput) (contract.ResolveOutput, error) {
		env.SignalWorkflow(contract.SignalWake, contract.Wake{})
		return contract.ResolveOutput{}, activity.ErrResultPending
	}
	f.advance = func(contract.AdvanceInput) (contract.Snapshot, error) { return contract.Snapshot{Absent: true}, nil }
	env.ExecuteWorkflow(contract.SubscriptionWorkflow, begun(live))
	requireCompleted(t, env)
	require.Equal(t, []string{"charge txn_1", "advance"}, f.called())
}

func TestPayment_EndsWhereTheRowIsAbsent(t *testing.T) {
	t.Parallel()
	f := &fakes{charge: func(contract.ResolveInput) (contract.ResolveOutput, error) {
		return contract.ResolveOutput{Status: "absent"}, nil
	}}
	env := wired(t, f)
	env.ExecuteWorkflow(contract.PaymentWorkflow,
		contract.PaymentInput{Ref: contract.Ref{EnvironmentID: "env_1", ID: "txn_1"}})
	requireCompleted(t, env)
	require.Equal(t, []string{"charge txn_1"}, f.called())
}

func TestErasure_EndsWhereTheRowIsAbsent(t *testing.T) {
	t.Parallel()
	f := &fakeErasures{batch: func(int) (contract.EraseResult, error) { return contract.EraseResult{Absent: true}, nil }}
	env := eraser(t, f)
	env.ExecuteWorkflow(contract.ErasureWorkflow, erasing)
	requireCompleted(t, env)
	require.EqualValues(t, 1, f.count.Load())
}
