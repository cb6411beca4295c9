package activities_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/invoice"
	"perennial/billing/payment"
	"perennial/providers"
	"perennial/test/scene"
)

// proofTime is how long the provider of a scene takes to prove that it never received a charge.
const proofTime = scene.Window + 3*time.Hour

// lostOnce is a subscription whose renewal's first send never arrived, nor did a repeat of it.
func lostOnce(t *testing.T) (l *life, txn payment.Transaction) {
	t.Helper()
	l = begin(t, scene.New(t), scene.Monthly(1000))
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
	l.until(scene.Start.AddDate(0, 1, 0))
	require.Equal(t, payment.Pending, l.last().Status)
	return l, l.last()
}

func (l *life) outcomes(txn string) (out []payment.Outcome) {
	for _, s := range l.sends(txn) {
		out = append(out, s.Outcome)
	}
	return out
}

// What the provider provably never received is sent anew within the attempt, under a new key.
func TestCharge_ProvenAbsenceIsSentAnew(t *testing.T) {
	t.Parallel()
	l, txn := lostOnce(t)
	l.until(l.Clock.Now().Add(proofTime))

	require.Equal(t, payment.Success, l.now(txn.ID).Status)
	require.Equal(t, txn.ID, l.last().ID)
	require.True(t, l.now(txn.ID).SendDueAt.After(txn.SendDueAt), "a first send, which is not late")
	require.Equal(t, []payment.Outcome{payment.AnswerNotFound, payment.AnswerSucceeded}, l.outcomes(txn.ID))
	require.NotEqual(t, l.sends(txn.ID)[0].Key, l.sends(txn.ID)[1].Key)
	require.Equal(t, 1, l.Provider.Captures()[txn.ID])
	require.Equal(t, invoice.Paid, l.invoices()[1].Status)
	l.sound()
}

// It is routed anew: the backup takes it where the primary is out of use by then. Should the primary have captured the
// first send after all, that money goes back by itself.
func TestCharge_ProvenAbsenceIsRoutedAnew(t *testing.T) {
	t.Parallel()
	l, txn := lostOnce(t)
	config, backup := withBackup(t, l.Scene)
	_, err := l.Pool.Exec(t.Context(),
		"update provider_configs set is_primary = false, disabled_at = now() where id = $1", l.Config.ID)
	require.NoError(t, err)
	l.until(l.Clock.Now().Add(proofTime))
	require.Equal(t, payment.Success, l.now(txn.ID).Status)
	require.Equal(t, config.ID, l.now(txn.ID).ProviderConfigID)
	require.Equal(t, map[string]int{txn.ID: 1}, backup.Captures())

	l.Provider.Settle(txn.ID, providers.Succeeded)
	said := providers.Callback{
		EventID: "late", Type: "succeeded", Kind: providers.KindSucceeded, TransactionID: txn.ID,
		Ref: l.Provider.Reference(txn.ID),
	}
	l.hears(said)
	refunds := l.refunds()
	require.Len(t, refunds, 1)
	require.Equal(t, payment.Refunded, refunds[0].Status)
	require.Equal(t, l.Config.ID, refunds[0].ProviderConfigID)
	l.hears(said)
	require.Empty(t, l.refunds(), "once")
}

// So it does where the second send went to the same account.
func TestCharge_LateCaptureOfAnEarlierSendAtTheSameAccount(t *testing.T) {
	t.Parallel()
	l, txn := lostOnce(t)
	l.until(l.Clock.Now().Add(proofTime))
	require.Equal(t, payment.Success, l.now(txn.ID).Status)

	late := l.Provider.CaptureAgain(txn.ID)
	l.told(txn, "late", late)

	refunds := l.refunds()
	require.Len(t, refunds, 1)
	require.Equal(t, payment.Refunded, refunds[0].Status)
	first, err := l.Store.Transaction(t.Context(), l.Env, refunds[0].ChargeID)
	require.NoError(t, err)
	require.Equal(t, []string{txn.ID, late}, []string{first.RecoveredFrom, first.ProviderRef})
	require.True(t, l.now(txn.ID).ParkedAt.IsZero(), "nobody has to look")
	l.told(txn, "late again", late)
	require.Empty(t, l.refunds(), "once")
	require.Zero(t, l.open())
}

// An erased customer's payment is not sent anew.
func TestCharge_ProvenAbsenceOfAnErasedPayer(t *testing.T) {
	t.Parallel()
	l, txn := lostOnce(t)
	deleteCustomer(t, l.Scene, txn.CustomerID)
	l.until(l.Clock.Now().Add(proofTime))
	require.Equal(t, payment.Canceled, l.now(txn.ID).Status)
	require.Len(t, l.sends(txn.ID), 1)
}
