package lifecycle_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/billing/plan"
)

// afterRefund returns the effect of a command two weeks after a charge of 1000 with an earlier refund.
func afterRefund(t *testing.T, before money.Minor, cmd lifecycle.Command) (refunds, credit, due money.Minor) {
	t.Helper()
	l := begun(t, settings)
	l.result(answer.Succeeded)
	l.pass(2 * week)
	require.True(t, lifecycle.GivesBack(cmd))
	state := l.load(true).state
	for id, charge := range state.Captures {
		charge.AmountRefunded = before
		state.Captures[id] = charge
	}
	_, changes, err := lifecycle.Apply(state, cmd, l.moment())
	require.NoError(t, err)
	for _, txn := range changes.NewTransactions {
		if txn.Type == payment.Refund {
			refunds += txn.Amount
		}
	}
	for _, entry := range changes.Credit {
		credit += entry.Amount
	}
	for _, inv := range changes.Invoices.Of(lifecycle.InvoiceCreated) {
		due += inv.AmountDue
	}
	return refunds, credit, due
}

// An earlier refund reduces the refund or credit for unused time: never more than the payment is returned.
func TestCancel_AfterARefund(t *testing.T) {
	t.Parallel()
	for before, want := range map[money.Minor]money.Minor{0: 500, 300: 500, 800: 200, 999: 1, 1000: 0} {
		refunds, credit, due := afterRefund(t, before, lifecycle.Cancel{Immediate: true, RefundUnused: true})
		require.Equal(t, [3]money.Minor{want, 0, 0}, [3]money.Minor{refunds, credit, due}, "%d refunded before", before)
	}
}

// The same holds for a migration to another version of the plan.
func TestMigrate_AfterARefund(t *testing.T) {
	t.Parallel()
	to := team
	to.Version, to.Prices = 2, []plan.Price{plan.Flat("price_of_version_2", "", pro.Prices[0].Amount)}
	for before, want := range map[money.Minor]money.Minor{0: 1000, 800: 1300, 1000: 1500} {
		_, credit, due := afterRefund(t, before, lifecycle.Migrate{To: &to})
		require.Equal(t, [2]money.Minor{0, want}, [2]money.Minor{credit, due}, "%d refunded before", before)
	}
}

// The same holds for a change of plan, which credits unused time in the same way.
func TestChangePlan_AfterARefund(t *testing.T) {
	t.Parallel()
	for before, want := range map[money.Minor]money.Minor{0: 1000, 300: 1000, 800: 1300, 1000: 1500} {
		_, credit, due := afterRefund(t, before, lifecycle.ChangePlan{Plan: &pro})
		require.Equal(t, [2]money.Minor{0, want}, [2]money.Minor{credit, due}, "%d refunded before", before)
	}
}
