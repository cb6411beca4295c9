package charging_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/providers"
	"perennial/test/life"
	"perennial/test/scene"
)

func TestCallback_DisputeOpenedAndWon(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Monthly(1000))
	txn := l.Last()
	dispute := providers.Dispute{
		Ref: "du_1", State: providers.DisputeOpen, Amount: 1000, Currency: txn.Currency, Withdrawn: 1000,
	}
	l.Provider.Dispute(txn.ID, dispute)
	l.Notify(txn, "charge.dispute.created", txn.ProviderRef)
	l.Notify(txn, "charge.dispute.funds_withdrawn", txn.ProviderRef)

	charge := l.Transaction(txn.ID)
	require.Equal(t, payment.Success, charge.Status, "never overwritten")
	require.False(t, charge.DisputedAt.IsZero())
	require.Equal(t, money.Minor(1000), charge.Captured().Withdrawn())
	require.Zero(t, l.Net(txn.ID), "as the provider's ledger")
	require.Len(t, l.RefundRows(t), 1)
	require.Equal(t, []string{"created open"}, l.Disputes())
	backlog, err := l.Store.Reconcile.Backlog(t.Context(), l.Clock.Now(), time.Minute)
	require.NoError(t, err)
	require.Equal(t, 1, backlog.Disputed)
	l.Sound()

	dispute.State, dispute.Withdrawn = providers.DisputeWon, 0
	l.Provider.Dispute(txn.ID, dispute)
	l.Notify(txn, "charge.dispute.closed", txn.ProviderRef)
	l.Notify(txn, "charge.dispute.funds_reinstated", txn.ProviderRef)
	dispute.State, dispute.Withdrawn = providers.DisputeOpen, 1000 // overtaken word
	l.Provider.Dispute(txn.ID, dispute)
	l.Notify(txn, "charge.dispute.updated", txn.ProviderRef)

	charge = l.Transaction(txn.ID)
	require.True(t, charge.DisputedAt.IsZero())
	require.Equal(t, [2]money.Minor{0, 0}, [2]money.Minor{charge.Captured().Withdrawn(), charge.RefundOwed})
	require.Equal(t, money.Minor(1000), l.Net(txn.ID))
	require.Equal(t, []string{"created open", "closed won"}, l.Disputes())
	l.Sound()
}

// The opening was missed, and a part was refunded at the dashboard before.
func TestCallback_DisputeLostBesideARefund(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Monthly(1000))
	txn := l.Last()
	l.Provider.RefundElsewhere(txn.ID, 300)
	l.Provider.Dispute(txn.ID, providers.Dispute{
		Ref: "du_1", State: providers.DisputeLost, Amount: 700, Currency: txn.Currency, Withdrawn: 700,
	})

	for _, event := range []string{"charge.dispute.closed", "charge.refunded", "charge.dispute.closed, again"} {
		l.Notify(txn, event, txn.ProviderRef)
	}

	charge := l.Transaction(txn.ID)
	require.Equal(t, [2]money.Minor{300, 700}, [2]money.Minor{charge.AmountRefunded, charge.Captured().Withdrawn()})
	require.Zero(t, charge.Captured().Refundable())
	require.Zero(t, l.Net(txn.ID))
	require.Equal(t, []string{"created lost", "closed lost"}, l.Disputes())
	l.Sound()
}

// A refund of ours that is under way reserves its amount. Beside it a larger one from the dashboard exceeds the charge,
// and only one of the two can go through.
func TestCallback_RefundElsewhereBesideOneOfOursInFlight(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Monthly(1000))
	l.Clock.Set(scene.Start.Add(15 * life.Day))
	l.Perform(life.CancelNow("prorated"))
	ours := l.RefundRows(t)[0]
	txn := l.Transactions()[0]
	l.Provider.RefundElsewhere(txn.ID, 900)
	l.Provider.RefundScript = func(int, providers.RefundRequest) scene.Answer { return scene.Decline }
	l.StoreCallback(txn, "charge.refunded", payment.MessageRefunded, txn.ProviderRef)

	l.CheckAsked(txn.ID)
	require.Equal(t, 1, l.OpenCallbacks(), "it cannot be booked yet, and is not forgotten")
	l.Refunds()
	require.Equal(t, payment.Failed, l.Transaction(ours.ID).Status)
	l.CheckAsked(txn.ID) // by the reconciler

	require.Zero(t, l.OpenCallbacks())
	charge := l.Transaction(txn.ID)
	require.Equal(t, [2]money.Minor{900, 100}, [2]money.Minor{charge.AmountRefunded, charge.RefundOwed})
	require.Equal(t, money.Minor(100), l.Net(txn.ID))
	l.Sound()
}

// A refund made at the dashboard comes back later, under a reference of its own.
func TestCallback_RefundElsewhereThatComesBack(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Monthly(1000))
	txn := l.Last()
	ref := l.Provider.RefundElsewhere(txn.ID, 300)
	l.Notify(txn, "charge.refunded", txn.ProviderRef)
	refund := l.RefundRows(t)[0]
	require.Equal(t, ref, refund.ProviderRef)

	l.Provider.SettleElsewhere(ref, providers.Failed)
	l.Notify(refund, "refund.failed", ref)
	l.Notify(txn, "charge.updated", txn.ProviderRef)

	require.Len(t, l.RefundRows(t), 1)
	require.False(t, l.Transaction(refund.ID).ReturnedAt.IsZero())
	require.Equal(t, money.Minor(1000), l.Net(txn.ID))
	l.Sound()
}
