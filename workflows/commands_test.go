package workflows_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/billing/lifecycle"
	"perennial/contract"
	"perennial/db"
	"perennial/service/subscriptions"
	"perennial/service/usecase"
)

// command is one of a person or an app: its transaction, and the signal that follows it.
type command struct {
	signal  string
	perform func(context.Context, *db.Tx, contract.Ref) (usecase.Performed, error)
}

func applied(signal string, cmd lifecycle.Command) command {
	return command{signal, func(ctx context.Context, tx *db.Tx, ref contract.Ref) (usecase.Performed, error) {
		return usecase.Command(ctx, tx, ref.EnvironmentID, ref.ID, cmd)
	}}
}

func cancelNow(refund bool) command {
	return applied(contract.CommandCancel, lifecycle.Cancel{Immediate: true, RefundUnused: refund})
}

func cancelAtPeriodEnd() command { return applied(contract.CommandCancel, lifecycle.Cancel{}) }

func reactivate() command { return applied(contract.CommandReactivate, lifecycle.Reactivate{}) }

func pay() command { return applied(contract.CommandPay, lifecycle.Pay{}) }

func changePlan(planID string, atPeriodEnd bool) command {
	return command{contract.CommandChangePlan,
		func(ctx context.Context, tx *db.Tx, ref contract.Ref) (usecase.Performed, error) {
			return subscriptions.ChangePlan(ctx, tx, ref.EnvironmentID, ref.ID,
				subscriptions.PlanChange{PlanID: planID, AtPeriodEnd: atPeriodEnd})
		}}
}

// answer is the outcome of a command.
type answer struct {
	name string
	out  usecase.Performed
	err  error
}

// refusal returns the refusal of the rules; nil: the command was performed.
func (a *answer) refusal(t *testing.T) *fault.Error {
	t.Helper()
	if a.err == nil {
		return nil
	}
	f := fault.From(a.err)
	require.True(t, f.Refusal(), "%s: %v", a.name, a.err)
	return f
}
