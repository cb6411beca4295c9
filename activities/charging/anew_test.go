package charging_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/invoice"
	"perennial/billing/payment"
	"perennial/providers"
	"perennial/test/life"
	"perennial/test/scene"
)

// proofTime is how long the provider of a scene takes to prove that it never received a charge.
const proofTime = scene.Window + 3*time.Hour

// lostOnce is a subscription whose renewal's first send never arrived, nor did a repeat of it.
func lostOnce(t *testing.T) (l *life.Life, txn payment.Transaction) {
	t.Helper()
	l = life.Begin(t, scene.New(t), scene.Monthly(1000))
	lost := ""
	l.Provider.Script = func(_ int, in providers.ChargeRequest) scene.Answer {
		if lost == "" {
			lost = in.Key
		}
		if in.Key == lost {
			return scene.Lose
		}
		return scene.Capture
	}
	l.Until(scene.Start.AddDate(0, 1, 0))
	require.Equal(t, payment.Pending, l.Last().Status)
	return l, l.Last()
}

// A charge that the provider provably never received is sent again within the attempt, under a new key.
func TestCharge_ProvenAbsenceIsSentAnew(t *testing.T) {
	t.Parallel()
	l, txn := lostOnce(t)
	l.Until(l.Clock.Now().Add(proofTime))

	require.Equal(t, payment.Success, l.Transaction(txn.ID).Status)
	require.Equal(t, txn.ID, l.Last().ID)
	require.True(t, l.Transaction(txn.ID).SendDueAt.After(txn.SendDueAt), "a first send, which is not late")
	require.Equal(t, []answer.Outcome{answer.NotFound, answer.Succeeded}, l.Outcomes(txn.ID))
	require.NotEqual(t, l.Sends(txn.ID)[0].Key, l.Sends(txn.ID)[1].Key)
	require.Equal(t, 1, l.Provider.Captures()[txn.ID])
	require.Equal(t, invoice.Paid, l.Invoices()[1].Status)
	l.Sound()
}

// The new send is routed again: the backup takes it where the primary has been disabled. If the primary did capture the
// first send, that money is refunded automatically.
func TestCharge_ProvenAbsenceIsRoutedAnew(t *testing.T) {
	t.Parallel()
	l, txn := lostOnce(t)
	config, backup := withBackup(t, l.Scene)
	_, err := l.Pool.Exec(t.Context(),
		"update provider_configs set is_primary = false, disabled_at = now() where id = $1", l.Config.ID)
	require.NoError(t, err)
	l.Until(l.Clock.Now().Add(proofTime))
	require.Equal(t, payment.Success, l.Transaction(txn.ID).Status)
	require.Equal(t, config.ID, l.Transaction(txn.ID).ProviderConfigID)
	require.Equal(t, map[string]int{txn.ID: 1}, backup.Captures())

	l.Provider.Settle(txn.ID, providers.Succeeded)
	said := providers.Callback{
		EventID: "late", Type: "succeeded", Kind: providers.KindSucceeded, TransactionID: txn.ID,
		Ref: l.Provider.Reference(txn.ID),
	}
	l.Receive(said)
	refunds := l.Refunds()
	require.Len(t, refunds, 1)
	require.Equal(t, payment.Refunded, refunds[0].Status)
	require.Equal(t, l.Config.ID, refunds[0].ProviderConfigID)
	l.Receive(said)
	require.Empty(t, l.Refunds(), "once")
}

// So it does where the second send went to the same account.
func TestCharge_LateCaptureOfAnEarlierSendAtTheSameAccount(t *testing.T) {
	t.Parallel()
	l, txn := lostOnce(t)
	l.Until(l.Clock.Now().Add(proofTime))
	require.Equal(t, payment.Success, l.Transaction(txn.ID).Status)

	late := l.Provider.CaptureAgain(txn.ID)
	l.Notify(txn, "late", late)

	refunds := l.Refunds()
	require.Len(t, refunds, 1)
	require.Equal(t, payment.Refunded, refunds[0].Status)
	first, err := l.Store.Payments.Transaction(t.Context(), l.Env, refunds[0].ChargeID)
	require.NoError(t, err)
	require.Equal(t, []string{txn.ID, late}, []string{first.RecoveredFrom, first.ProviderRef})
	require.True(t, l.Transaction(txn.ID).ParkedAt.IsZero(), "nobody has to look")
	l.Notify(txn, "late again", late)
	require.Empty(t, l.Refunds(), "once")
	require.Zero(t, l.OpenCallbacks())
}

// An erased customer's payment is not sent anew.
func TestCharge_ProvenAbsenceOfAnErasedPayer(t *testing.T) {
	t.Parallel()
	l, txn := lostOnce(t)
	life.DeleteCustomer(t, l.Scene, txn.CustomerID)
	l.Until(l.Clock.Now().Add(proofTime))
	require.Equal(t, payment.Canceled, l.Transaction(txn.ID).Status)
	require.Len(t, l.Sends(txn.ID), 1)
}
