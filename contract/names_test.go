package contract_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/lifecycle"
	"perennial/contract"
)

// Histories hold these names: a run that sleeps over a deployment finds its activities, signals and type under them
// only.
func TestNames_NeverChange(t *testing.T) {
	t.Parallel()
	for want, name := range map[string]string{
		"Subscription": contract.SubscriptionWorkflow, "Payment": contract.PaymentWorkflow,
		"TestClock": contract.TestClockWorkflow, "Reconciler": contract.ReconcilerWorkflow,
		"Erasure": contract.ErasureWorkflow, "EraseBatch": contract.ActivityEraseBatch,

		"Advance": contract.ActivityAdvance, "Charge": contract.ActivityCharge, "StepClock": contract.ActivityStepClock,
		"Reconcile": contract.ActivityReconcile,

		"check": contract.SignalCheck, "wake": contract.SignalWake, "advance": contract.SignalAdvance,
		"cancel": contract.CommandCancel, "reactivate": contract.CommandReactivate,
		"change_plan": contract.CommandChangePlan, "pay": contract.CommandPay,
		"void_invoice": contract.CommandVoidInvoice, "mark_uncollectible": contract.CommandMarkUncollectible,

		"billing": contract.QueueBilling, "payments": contract.QueuePayments,
	} {
		require.Equal(t, want, name)
	}
	// A command whose signal the workflow does not listen to would be acted on by the reconciler only.
	var names []string
	for _, cmd := range []lifecycle.Command{
		lifecycle.Cancel{}, lifecycle.Reactivate{}, lifecycle.ChangePlan{}, lifecycle.Pay{}, lifecycle.VoidInvoice{},
		lifecycle.MarkUncollectible{},
	} {
		names = append(names, cmd.Name())
	}
	require.Equal(t, names, contract.CommandSignals)
	require.Equal(t, []string{"sub_1", "txn_1", "clk_1", "era_1"}, []string{
		contract.SubscriptionWorkflowID("sub_1"), contract.PaymentWorkflowID("txn_1"), contract.TestClockWorkflowID("clk_1"),
		contract.ErasureWorkflowID("era_1"),
	})
}
