package workflows_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	sdkpb "go.temporal.io/api/sdk/v1"
	"go.temporal.io/sdk/testsuite"

	"perennial/contract"
)

// detailsOf returns the details that the Temporal UI shows of a run.
func detailsOf(t *testing.T, env *testsuite.TestWorkflowEnvironment) string {
	t.Helper()
	answer, err := env.QueryWorkflow("__temporal_workflow_metadata") // the query of the UI
	require.NoError(t, err)
	var metadata sdkpb.WorkflowMetadata
	require.NoError(t, answer.Get(&metadata))
	return metadata.GetCurrentDetails()
}

// An operator who opens the run of a subscription must see that a payment of it waits for a person, and which.
func TestSubscription_DetailsNameThePaymentInReview(t *testing.T) {
	t.Parallel()
	f := &fakes{}
	env := wired(t, f)
	f.advance = func(contract.AdvanceInput) (contract.Snapshot, error) {
		switch len(f.called()) {
		case 1:
			parked := sleeping(1)
			parked.InReview = "txn_1"
			return parked, nil
		case 2:
			return sleeping(2), nil // a person has decided
		}
		return finished(3), nil
	}
	wake := func() { env.SignalWorkflow(contract.SignalWake, contract.Wake{By: "cli"}) }
	var waiting, decided string
	env.RegisterDelayedCallback(func() { waiting = detailsOf(t, env); wake() }, time.Hour)
	env.RegisterDelayedCallback(func() { decided = detailsOf(t, env); wake() }, 2*time.Hour)
	env.ExecuteWorkflow(contract.SubscriptionWorkflow,
		contract.SubscriptionInput{Ref: contract.Ref{EnvironmentID: "env_1", ID: "sub_1"}})
	requireCompleted(t, env)
	require.Contains(
		t, waiting, "- **Needs review**: payment txn_1 waits for a person; `perennial payment list` tells why",
	)
	require.Contains(t, decided, "**Customer**: cust_1")
	require.NotContains(t, decided, "review")
}

func TestPayment_DetailsSayThatAPersonMustDecide(t *testing.T) {
	t.Parallel()
	f := &fakes{}
	env := wired(t, f)
	f.charge = func(in contract.ResolveInput) (contract.ResolveOutput, error) {
		if in.Asked {
			return contract.ResolveOutput{Status: "success"}, nil
		}
		return contract.ResolveOutput{Status: "pending", Parked: true}, nil
	}
	var waiting string
	env.RegisterDelayedCallback(func() {
		waiting = detailsOf(t, env)
		env.SignalWorkflow(contract.SignalCheck, contract.Check{TransactionID: "txn_1"})
	}, time.Hour)
	env.ExecuteWorkflow(contract.PaymentWorkflow, ownPayment)
	requireCompleted(t, env)
	require.Contains(t, waiting, "- **Needs review**: payment txn_1 waits for a person")
	require.NotContains(t, waiting, "provider's decision")
}

// A held payment waits for an account, not for a provider, and the reason says how that ends.
func TestDetails_SayWhyAPaymentIsHeld(t *testing.T) {
	t.Parallel()
	held := contract.Held{Why: "Charging is paused in this environment.", Since: noon}
	var ofPayment, ofSubscription string

	f := &fakes{}
	env := wired(t, f)
	f.charge = func(in contract.ResolveInput) (contract.ResolveOutput, error) {
		if in.Asked {
			return contract.ResolveOutput{Status: "success"}, nil
		}
		return contract.ResolveOutput{Status: "pending", CheckAt: env.Now().Add(day), Held: held}, nil
	}
	env.RegisterDelayedCallback(func() {
		ofPayment = detailsOf(t, env)
		env.SignalWorkflow(contract.SignalCheck, contract.Check{TransactionID: "txn_1"})
	}, time.Hour)
	env.ExecuteWorkflow(contract.PaymentWorkflow, ownPayment)
	requireCompleted(t, env)

	f = &fakes{}
	env = wired(t, f)
	f.advance = func(contract.AdvanceInput) (contract.Snapshot, error) {
		if len(f.called()) > 1 {
			return finished(2), nil
		}
		paying := sleeping(1)
		paying.Live = &contract.Attempt{TransactionID: "txn_1", CheckAt: env.Now().Add(day), Held: held}
		return paying, nil
	}
	env.RegisterDelayedCallback(func() {
		ofSubscription = detailsOf(t, env)
		env.SignalWorkflow(contract.SignalWake, contract.Wake{By: "cli"})
	}, time.Hour)
	env.ExecuteWorkflow(contract.SubscriptionWorkflow,
		contract.SubscriptionInput{Ref: contract.Ref{EnvironmentID: "env_1", ID: "sub_1"}})
	requireCompleted(t, env)

	for _, details := range []string{ofPayment, ofSubscription} {
		require.Contains(t, details, held.Why)
		require.Contains(t, details, "since**: "+noon.Format(time.RFC3339))
		require.Contains(t, details, "**Tries again at**: "+noon.Add(day).Format(time.RFC3339))
		require.NotContains(t, details, "provider's decision")
		require.NotContains(t, details, "Asks the provider")
	}
}
