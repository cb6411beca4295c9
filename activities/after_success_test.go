package activities_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/db"
	"perennial/internal/id"
	"perennial/providers"
	"perennial/test/scene"
)

// told stores a callback about a transaction and has its owner look, as ReceiveCallback does.
func (l *life) told(txn payment.Transaction, event, ref string) {
	l.t.Helper()
	l.InTx(l.t, func(tx *db.Tx) error {
		_, err := tx.InsertCallback(l.t.Context(), l.Env, db.Callback{
			ID: id.New(id.Callback, l.Clock.Now()), ProviderConfigID: l.Config.ID, ProviderEventID: event, Type: event,
			TransactionID: txn.ID, ProviderRef: ref, ReceivedAt: l.Clock.Now(),
		})
		return err
	})
	l.Clock.Add(time.Second)
	l.asked(txn.ID)
	require.Zero(l.t, l.open(), "%s is dealt with", event)
}

// open counts the callbacks that somebody must still look at.
func (l *life) open() int {
	l.t.Helper()
	refs, err := l.Store.OpenCallbacksBefore(l.t.Context(), l.Clock.Now().Add(time.Hour), 10)
	require.NoError(l.t, err)
	return len(refs)
}

func TestCallback_RefundThatTheBankReturns(t *testing.T) {
	t.Parallel()
	l := upgraded(t, scene.Capture)
	l.Clock.Set(scene.Start.Add(15 * day))
	l.perform(cancelNow("prorated"))
	refund := l.refunds()[0]
	require.Equal(t, payment.Refunded, refund.Status)
	l.Provider.Settle(refund.ID, providers.Failed)

	for _, event := range []string{"refund.failed", "refund.failed, again"} {
		l.told(refund, event, refund.ProviderRef)
	}

	charge, err := l.Store.Transaction(t.Context(), l.Env, refund.ChargeID)
	require.NoError(t, err)
	require.Equal(t, [2]money.Minor{0, refund.Amount}, [2]money.Minor{charge.AmountRefunded, charge.RefundOwed},
		"owed again, once")
	after, err := l.Store.Transaction(t.Context(), l.Env, refund.ID)
	require.NoError(t, err)
	require.Equal(t, payment.Refunded, after.Status, "final")
	require.Equal(t, "Your card has insufficient funds.", after.FailureReason)
	failed := 0
	for _, event := range l.events() {
		if event == "payment.refund_failed" {
			failed++
		}
	}
	require.Equal(t, 1, failed)
	l.sound()
}

// The provider names another operation of a charge that has succeeded: it took the money twice.
func TestCallback_SecondCaptureNeedsReview(t *testing.T) {
	t.Parallel()
	l := begin(t, scene.New(t), scene.Monthly(1000))
	txn := l.last()
	require.Equal(t, payment.Success, txn.Status)
	l.told(txn, "of the operation that counted", txn.ProviderRef)
	require.True(t, l.last().ParkedAt.IsZero())

	l.told(txn, "of another", l.Provider.CaptureAgain(txn.ID))

	after := l.last()
	require.Equal(t, payment.Success, after.Status)
	require.False(t, after.ParkedAt.IsZero(), "a person must give one back")
	require.Equal(t, txn.ProviderRef, after.ProviderRef, "the one that counted")
	require.Equal(t, "payment.needs_review", l.events()[len(l.events())-1])
	l.sound()
}

// given lists the refunds, oldest first.
func (l *life) given(t testing.TB) (refunds []payment.Transaction) {
	t.Helper()
	rows, err := l.Pool.Query(t.Context(), "select id from transactions where type = 'refund' order by created_at, id")
	require.NoError(t, err)
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	for _, id := range ids {
		txn, err := l.Store.Transaction(t.Context(), l.Env, id)
		require.NoError(t, err)
		refunds = append(refunds, txn)
	}
	return refunds
}

// A person refunds at the provider's dashboard, beside a refund of ours, and the provider repeats itself.
func TestCallback_RefundMadeElsewhere(t *testing.T) {
	t.Parallel()
	l := begin(t, scene.New(t), scene.Monthly(1000))
	l.Clock.Set(scene.Start.Add(15 * day))
	l.perform(cancelNow("prorated"))
	l.refunds()
	ours := l.given(t)
	require.Len(t, ours, 1)
	txn := l.transactions()[0]
	l.told(txn, "charge.refunded, by us", txn.ProviderRef)
	require.Len(t, l.given(t), 1)
	l.Provider.RefundElsewhere(txn.ID, 100)

	l.told(txn, "charge.refunded", txn.ProviderRef)
	l.told(txn, "charge.refunded, again", txn.ProviderRef)

	refunds := l.given(t)
	require.Len(t, refunds, 2, "booked once")
	elsewhere := refunds[1]
	require.Equal(t, payment.Refunded, elsewhere.Status)
	require.Equal(t, money.Minor(100), elsewhere.Amount)
	require.Equal(t, txn.ID, elsewhere.ChargeID)
	charge, err := l.Store.Transaction(t.Context(), l.Env, txn.ID)
	require.NoError(t, err)
	require.Equal(t, ours[0].Amount+100, charge.AmountRefunded)
	require.Equal(t, "payment.refunded", l.events()[len(l.events())-1])
	l.sound()

	l.Provider.RefundElsewhere(txn.ID, 50)
	l.told(txn, "charge.refunded, more", txn.ProviderRef)
	require.Equal(t, money.Minor(50), l.given(t)[2].Amount)
	l.sound()
}

// Who refunds through the provider's API may copy the metadata of the charge, or write into it what is no id at all.
func TestCallback_RefundMadeElsewhereWithMetadataOfAnother(t *testing.T) {
	t.Parallel()
	l := begin(t, scene.New(t), scene.Monthly(1000))
	txn := l.last()
	for i, as := range []string{txn.ID, "order 4711"} {
		l.Provider.RefundElsewhere(txn.ID, 100, as)

		l.told(txn, "charge.refunded "+as, txn.ProviderRef)

		refunds := l.given(t)
		require.Len(t, refunds, i+1)
		require.NotEqual(t, as, refunds[i].ID)
		require.True(t, id.Is(id.Transaction, refunds[i].ID))
		l.sound()
	}
}

// A charge was canceled, captured after all, and is refunded in part and disputed at the provider, which knows it by the
// canceled charge only.
func TestCallback_MoneyOfARecoveredCaptureMoves(t *testing.T) {
	t.Parallel()
	l := answering(t, scene.Pend)
	txn := l.last()
	l.perform(cancelNow(""))
	l.Provider.Settle(txn.ID, providers.Succeeded)
	l.told(txn, "succeeded", txn.ProviderRef)
	recovered := l.last()
	require.Equal(t, txn.ID, recovered.RecoveredFrom)

	l.Provider.RefundElsewhere(txn.ID, 100)
	l.told(txn, "charge.refunded", txn.ProviderRef)
	l.told(txn, "charge.refunded, again", txn.ProviderRef)
	refunds := l.given(t)
	require.Len(t, refunds, 1)
	require.Equal(t, recovered.ID, refunds[0].ChargeID)
	require.Equal(t, money.Minor(100), l.now(recovered.ID).AmountRefunded)

	left := recovered.Amount - 100
	l.Provider.Dispute(txn.ID, providers.Dispute{
		Ref: "du_1", State: providers.DisputeOpen, Amount: left, Currency: txn.Currency, Withdrawn: left,
	})
	l.told(txn, "charge.dispute.created", txn.ProviderRef)
	require.Zero(t, l.net(recovered.ID))
	require.Equal(t, []string{"created open"}, l.disputes())
	require.Equal(t, payment.Canceled, l.now(txn.ID).Status)
	l.sound()
}
