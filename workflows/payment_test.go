package workflows_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"perennial/billing/payment"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/id"
	"perennial/providers"
	"perennial/test/scene"
)

var ownPayment = contract.PaymentInput{Ref: contract.Ref{EnvironmentID: "env_1", ID: "txn_1"}}

// pendingUntil returns "pending" until the provider has been asked n times.
func pendingUntil(
	n int, f *fakes, env *testsuite.TestWorkflowEnvironment,
) func(contract.ResolveInput) (contract.ResolveOutput, error) {
	return func(contract.ResolveInput) (contract.ResolveOutput, error) {
		if len(f.called()) < n {
			return contract.ResolveOutput{Status: "pending", CheckAt: env.Now().Add(time.Minute)}, nil
		}
		return contract.ResolveOutput{Status: "success"}, nil
	}
}

func TestPayment_AsksUntilItIsDecided(t *testing.T) {
	t.Parallel()
	f := &fakes{}
	env := wired(t, f)
	f.charge = pendingUntil(4, f, env)
	env.ExecuteWorkflow(contract.PaymentWorkflow, ownPayment)
	requireCompleted(t, env)
	require.Equal(t, []string{"charge txn_1", "charge txn_1", "charge txn_1", "charge txn_1"}, f.called())
	require.Equal(t, noon.Add(3*time.Minute), env.Now().UTC())
}

func TestPayment_CallbackComesBeforeTheTimer(t *testing.T) {
	t.Parallel()
	f := &fakes{}
	env := wired(t, f)
	f.charge = func(in contract.ResolveInput) (contract.ResolveOutput, error) {
		if in.Asked {
			return contract.ResolveOutput{Status: "success"}, nil
		}
		return contract.ResolveOutput{Status: "pending", CheckAt: env.Now().Add(time.Hour)}, nil
	}
	var n timers
	n.watch(env)
	env.RegisterDelayedCallback(func() {
		env.SignalWorkflow(contract.SignalCheck, contract.Check{TransactionID: "txn_1"})
	}, 5*time.Second)
	env.ExecuteWorkflow(contract.PaymentWorkflow, ownPayment)
	requireCompleted(t, env)
	require.Equal(t, noon.Add(5*time.Second), env.Now().UTC())
	require.Equal(t, timers{scheduled: 1, canceled: 1}, n, "no stray timer is left")
}

// Word that comes while the provider is being asked is not lost: it may be newer than the answer.
func TestPayment_FollowsACallbackDuringAnExchange(t *testing.T) {
	t.Parallel()
	f := &fakes{}
	env := wired(t, f)
	f.charge = func(in contract.ResolveInput) (contract.ResolveOutput, error) {
		if !in.Asked {
			env.SignalWorkflow(contract.SignalCheck, contract.Check{TransactionID: "txn_1"})
			return contract.ResolveOutput{Status: "declined"}, nil
		}
		return contract.ResolveOutput{Status: "success"}, nil
	}
	env.ExecuteWorkflow(contract.PaymentWorkflow, ownPayment)
	requireCompleted(t, env)
	require.Equal(t, []string{"charge txn_1", "check txn_1"}, f.called())
}

// A parked payment waits for word, however long that takes, without a timer.
func TestPayment_InReviewWaitsForACallback(t *testing.T) {
	t.Parallel()
	f := &fakes{}
	env := wired(t, f)
	f.charge = func(in contract.ResolveInput) (contract.ResolveOutput, error) {
		if in.Asked {
			return contract.ResolveOutput{Status: "success"}, nil
		}
		return contract.ResolveOutput{Status: "pending", Parked: true}, nil
	}
	var n timers
	n.watch(env)
	env.RegisterDelayedCallback(func() {
		env.SignalWorkflow(contract.SignalCheck, contract.Check{TransactionID: "txn_1"})
	}, 100*day)
	env.ExecuteWorkflow(contract.PaymentWorkflow, ownPayment)
	requireCompleted(t, env)
	require.Equal(t, noon.Add(100*day), env.Now().UTC())
	require.Zero(t, n)
}

// Whatever an activity says about the time, a payment is asked about once a second at most.
func TestPayment_NeverSpins(t *testing.T) {
	t.Parallel()
	f := &fakes{}
	env := wired(t, f)
	f.charge = func(contract.ResolveInput) (contract.ResolveOutput, error) {
		if len(f.called()) < 6 {
			return contract.ResolveOutput{Status: "pending", CheckAt: noon.Add(-day)}, nil
		}
		return contract.ResolveOutput{Status: "success"}, nil
	}
	env.ExecuteWorkflow(contract.PaymentWorkflow, ownPayment)
	requireCompleted(t, env)
	require.Equal(t, noon.Add(5*time.Second), env.Now().UTC())
}

// A long wait continues as new where the server asks for it.
func TestPayment_LongWaitContinuesAsNew(t *testing.T) {
	t.Parallel()
	f := &fakes{}
	env := wired(t, f)
	f.charge = pendingUntil(1_000, f, env)
	env.SetContinueAsNewSuggested(true)
	env.ExecuteWorkflow(contract.PaymentWorkflow, ownPayment)
	require.ErrorContains(t, env.GetWorkflowError(), "continue as new")
}

// With the real activities: a charge without a subscription is pending for a while and then succeeds.
func TestPayment_StandaloneChargeInTheDatabase(t *testing.T) {
	t.Parallel()
	sc := scene.New(t)
	customer := sc.Customer(t, "")
	txn := payment.Transaction{
		ID: id.New(id.Transaction, sc.Clock.Now()), Type: payment.Charge, Status: payment.Pending,
		CustomerID: customer.ID, Amount: 500, Currency: "EUR", Description: "A single charge", Trigger: "manual",
		Provider: "stripe", ProviderConfigID: sc.Config.ID, Method: payment.Method{Type: "card", Details: scene.Card},
		DueAt: sc.Clock.Now(), CreatedAt: sc.Clock.Now(), Revision: 1,
	}
	sc.InTx(t, func(tx *db.Tx) error { return tx.Payments.InsertTransaction(t.Context(), sc.Env, txn) })
	sc.Provider.Script = func(int, providers.ChargeRequest) scene.Answer { return scene.Pend }

	f := &fakes{}
	f.charge = func(in contract.ResolveInput) (contract.ResolveOutput, error) {
		return sc.Payments.Charge(t.Context(), in)
	}
	env := wired(t, f)
	sc.Clock.Follow(env.Now)
	env.RegisterDelayedCallback(func() { sc.Provider.Settle(txn.ID, providers.Succeeded) }, 2*time.Minute)
	env.ExecuteWorkflow(contract.PaymentWorkflow,
		contract.PaymentInput{Ref: contract.Ref{EnvironmentID: sc.Env, ID: txn.ID}})
	requireCompleted(t, env)
	got, err := sc.Store.Payments.Transaction(t.Context(), sc.Env, txn.ID)
	require.NoError(t, err)
	require.Equal(t, payment.Success, got.Status)
	require.Equal(t, map[string]int{txn.ID: 1}, sc.Provider.Captures())
}
