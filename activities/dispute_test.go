package activities_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/providers"
	"perennial/test/scene"
)

// disputes lists what was announced of them: the events and the statuses in them.
func (l *life) disputes() (said []string) {
	l.t.Helper()
	rows, err := l.Pool.Query(l.t.Context(),
		"select type || ' ' || (data ->> 'status') from events where type like 'dispute.%' order by position")
	require.NoError(l.t, err)
	defer rows.Close()
	for rows.Next() {
		var one string
		require.NoError(l.t, rows.Scan(&one))
		said = append(said, strings.TrimPrefix(one, "dispute."))
	}
	require.NoError(l.t, rows.Err())
	return said
}

// now reads a transaction again.
func (l *life) now(id string) payment.Transaction {
	l.t.Helper()
	txn, err := l.Store.Transaction(l.t.Context(), l.Env, id)
	require.NoError(l.t, err)
	return txn
}

// net is what the books say a charge has brought in.
func (l *life) net(id string) money.Minor {
	sum := l.now(id).Amount
	for _, r := range l.given(l.t) {
		if r.Status == payment.Refunded && r.ReturnedAt.IsZero() {
			sum -= r.Amount
		}
	}
	return sum
}

func TestCallback_DisputeOpenedAndWon(t *testing.T) {
	t.Parallel()
	l := begin(t, scene.New(t), scene.Monthly(1000))
	txn := l.last()
	dispute := providers.Dispute{
		Ref: "du_1", State: providers.DisputeOpen, Amount: 1000, Currency: txn.Currency, Withdrawn: 1000,
	}
	l.Provider.Dispute(txn.ID, dispute)
	l.told(txn, "charge.dispute.created", txn.ProviderRef)
	l.told(txn, "charge.dispute.funds_withdrawn", txn.ProviderRef)

	charge := l.now(txn.ID)
	require.Equal(t, payment.Success, charge.Status, "never overwritten")
	require.False(t, charge.DisputedAt.IsZero())
	require.Equal(t, money.Minor(1000), charge.Withdrawn())
	require.Zero(t, l.net(txn.ID), "as the provider's ledger")
	require.Len(t, l.given(t), 1)
	require.Equal(t, []string{"created open"}, l.disputes())
	backlog, err := l.Store.Backlog(t.Context(), l.Clock.Now(), time.Minute)
	require.NoError(t, err)
	require.Equal(t, 1, backlog.Disputed)
	l.sound()

	dispute.State, dispute.Withdrawn = providers.DisputeWon, 0
	l.Provider.Dispute(txn.ID, dispute)
	l.told(txn, "charge.dispute.closed", txn.ProviderRef)
	l.told(txn, "charge.dispute.funds_reinstated", txn.ProviderRef)
	dispute.State, dispute.Withdrawn = providers.DisputeOpen, 1000 // overtaken word
	l.Provider.Dispute(txn.ID, dispute)
	l.told(txn, "charge.dispute.updated", txn.ProviderRef)

	charge = l.now(txn.ID)
	require.True(t, charge.DisputedAt.IsZero())
	require.Equal(t, [2]money.Minor{0, 0}, [2]money.Minor{charge.Withdrawn(), charge.RefundOwed})
	require.Equal(t, money.Minor(1000), l.net(txn.ID))
	require.Equal(t, []string{"created open", "closed won"}, l.disputes())
	l.sound()
}

// The opening was missed, and a part was refunded at the dashboard before.
func TestCallback_DisputeLostBesideARefund(t *testing.T) {
	t.Parallel()
	l := begin(t, scene.New(t), scene.Monthly(1000))
	txn := l.last()
	l.Provider.RefundElsewhere(txn.ID, 300)
	l.Provider.Dispute(txn.ID, providers.Dispute{
		Ref: "du_1", State: providers.DisputeLost, Amount: 700, Currency: txn.Currency, Withdrawn: 700,
	})

	for _, event := range []string{"charge.dispute.closed", "charge.refunded", "charge.dispute.closed, again"} {
		l.told(txn, event, txn.ProviderRef)
	}

	charge := l.now(txn.ID)
	require.Equal(t, [2]money.Minor{300, 700}, [2]money.Minor{charge.AmountRefunded, charge.Withdrawn()})
	require.Zero(t, charge.Refundable())
	require.Zero(t, l.net(txn.ID))
	require.Equal(t, []string{"created lost", "closed lost"}, l.disputes())
	l.sound()
}

// A refund of ours that is under way reserves its amount. Beside it a larger one from the dashboard exceeds the charge,
// and only one of the two can go through.
func TestCallback_RefundElsewhereBesideOneOfOursInFlight(t *testing.T) {
	t.Parallel()
	l := begin(t, scene.New(t), scene.Monthly(1000))
	l.Clock.Set(scene.Start.Add(15 * day))
	l.perform(cancelNow("prorated"))
	ours := l.given(t)[0]
	txn := l.transactions()[0]
	l.Provider.RefundElsewhere(txn.ID, 900)
	l.Provider.RefundScript = func(int, providers.RefundRequest) scene.Answer { return scene.Decline }
	l.received(txn, "charge.refunded", payment.MessageRefunded, txn.ProviderRef)

	l.asked(txn.ID)
	require.Equal(t, 1, l.open(), "it cannot be booked yet, and is not forgotten")
	l.refunds()
	require.Equal(t, payment.Failed, l.now(ours.ID).Status)
	l.asked(txn.ID) // by the reconciler

	require.Zero(t, l.open())
	charge := l.now(txn.ID)
	require.Equal(t, [2]money.Minor{900, 100}, [2]money.Minor{charge.AmountRefunded, charge.RefundOwed})
	require.Equal(t, money.Minor(100), l.net(txn.ID))
	l.sound()
}

// A refund made at the dashboard comes back later, under a reference of its own.
func TestCallback_RefundElsewhereThatComesBack(t *testing.T) {
	t.Parallel()
	l := begin(t, scene.New(t), scene.Monthly(1000))
	txn := l.last()
	ref := l.Provider.RefundElsewhere(txn.ID, 300)
	l.told(txn, "charge.refunded", txn.ProviderRef)
	refund := l.given(t)[0]
	require.Equal(t, ref, refund.ProviderRef)

	l.Provider.SettleElsewhere(ref, providers.Failed)
	l.told(refund, "refund.failed", ref)
	l.told(txn, "charge.updated", txn.ProviderRef)

	require.Len(t, l.given(t), 1)
	require.False(t, l.now(refund.ID).ReturnedAt.IsZero())
	require.Equal(t, money.Minor(1000), l.net(txn.ID))
	l.sound()
}
