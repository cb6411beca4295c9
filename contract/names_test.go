package contract_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/lifecycle"
	"perennial/contract"
)

// Histories hold these names: a run that sleeps over a deployment finds its activities, signals and type under them
// only.
func TestNames_NeverChange(t *testing.T) {
	t.Parallel()
	names := map[string]string{
		"Subscription": contract.SubscriptionWorkflow, "Payment": contract.PaymentWorkflow,
		"TestClock": contract.TestClockWorkflow, "Reconciler": contract.ReconcilerWorkflow,
		"Erasure": contract.ErasureWorkflow, "EraseBatch": contract.ActivityEraseBatch,
		"WebhookEndpoint": contract.WebhookEndpointWorkflow, "DeliverDue": contract.ActivityDeliverDue,
		"EmailSender": contract.EmailSenderWorkflow, "SendDue": contract.ActivitySendDue,

		"Advance": contract.ActivityAdvance, "BillUsage": contract.ActivityBillUsage,
		"Charge": contract.ActivityCharge, "StepClock": contract.ActivityStepClock,
		"Reconcile": contract.ActivityReconcile,

		"check": contract.SignalCheck, "wake": contract.SignalWake, "advance": contract.SignalAdvance,
		"cancel": contract.CommandCancel, "reactivate": contract.CommandReactivate,
		"change_plan": contract.CommandChangePlan, "pay": contract.CommandPay,
		"skip_retry": contract.CommandSkipRetry, "resume_collection": contract.CommandResumeCollection,
		"void_invoice": contract.CommandVoidInvoice, "mark_uncollectible": contract.CommandMarkUncollectible,
		"mark_paid":     contract.CommandMarkPaid,
		"redeem_coupon": contract.CommandRedeemCoupon, "remove_coupon": contract.CommandRemoveCoupon,
		"credit_invoice": contract.CommandCreditInvoice,
		"pause":          contract.CommandPause, "resume": contract.CommandResume,

		"billing": contract.QueueBilling, "payments": contract.QueuePayments, "webhooks": contract.QueueWebhooks,
		"webhooks-slow": contract.QueueWebhooksSlow, "emails": contract.QueueEmails,

		"reconciler": contract.ReconcilerScheduleID,
	}
	for want, name := range names {
		require.Equal(t, want, name)
	}
	require.Equal(t, contract.ReconcilerScheduleID, contract.ReconcilerWorkflowID)
	require.ElementsMatch(t, constants(t), slices.Collect(maps.Keys(names)), "each name of contract is in this list")
}

// A command whose signal the workflow does not listen to would be acted on by the reconciler only.
func TestCommandSignals_NameEachCommand(t *testing.T) {
	t.Parallel()
	var names, types []string
	for _, cmd := range []lifecycle.Command{
		lifecycle.Cancel{}, lifecycle.Reactivate{}, lifecycle.ChangePlan{}, lifecycle.Migrate{}, lifecycle.EndTrial{},
		lifecycle.WithdrawChange{}, lifecycle.MoveAnchor{},
		lifecycle.SetMetadata{}, lifecycle.SetTerms{}, lifecycle.SetUsageThresholds{}, lifecycle.SetPaymentMethod{},
		lifecycle.Pay{},
		lifecycle.FinalizeInvoice{}, lifecycle.VoidInvoice{},
		lifecycle.MarkUncollectible{}, lifecycle.SkipRetry{}, lifecycle.ResumeCollection{}, lifecycle.MarkPaid{},
		lifecycle.RedeemCoupon{}, lifecycle.RemoveCoupon{}, lifecycle.CreditInvoice{}, lifecycle.RefundInvoice{},
		lifecycle.Pause{}, lifecycle.Resume{},
	} {
		if !slices.Contains(names, cmd.Name()) { // most changes are announced as one of the plan
			names = append(names, cmd.Name())
		}
		types = append(types, reflect.TypeOf(cmd).Name())
	}
	require.ElementsMatch(t, judged(t), types, "each command of lifecycle is in this list")
	require.Equal(t, names, contract.CommandSignals)
}

func TestWorkflowID_IsTheResourceID(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"sub_1", "txn_1", "clk_1", "era_1", "whe_1"}, []string{
		contract.SubscriptionWorkflowID("sub_1"), contract.PaymentWorkflowID("txn_1"), contract.TestClockWorkflowID("clk_1"),
		contract.ErasureWorkflowID("era_1"), contract.WebhookEndpointWorkflowID("whe_1"),
	})
}

// constants returns the texts that contract names, each once.
func constants(t *testing.T) (texts []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "contract.go", nil, 0)
	require.NoError(t, err)
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		for _, value := range spec.Values {
			if literal, ok := value.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				text, err := strconv.Unquote(literal.Value)
				require.NoError(t, err)
				texts = append(texts, text)
			}
		}
		return true
	})
	slices.Sort(texts)
	return slices.Compact(texts)
}

// judged returns the types of lifecycle that implement Command, which only that package can.
func judged(t *testing.T) (types []string) {
	t.Helper()
	paths, err := filepath.Glob("../billing/lifecycle/*.go")
	require.NoError(t, err)
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		require.NoError(t, err)
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv != nil && f.Name.Name == "judge" {
				receiver := f.Recv.List[0].Type
				if pointer, ok := receiver.(*ast.StarExpr); ok {
					receiver = pointer.X
				}
				types = append(types, receiver.(*ast.Ident).Name)
			}
		}
	}
	return types
}
