package charging_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/invoice"
	"perennial/billing/payment"
	"perennial/db"
	"perennial/internal/id"
	"perennial/providers"
	"perennial/service"
	"perennial/test/life"
	"perennial/test/scene"
)

// accounts opens a provider by its configuration.
type accounts map[string]providers.Provider

func (a accounts) Provider(_ context.Context, c db.ProviderConfig) (providers.Provider, error) {
	return a[c.ID], nil
}

// withBackup adds a second provider configuration to a scene.
func withBackup(t testing.TB, s *scene.Scene) (config db.ProviderConfig, backup *scene.Provider) {
	t.Helper()
	config = s.Config
	config.ID, config.Primary = id.New(id.ProviderConfig, scene.Start), false
	s.InTx(t, func(tx *db.Tx) error { return tx.Payments.InsertProviderConfig(t.Context(), s.Env, config) })
	backup = s.NewProvider()
	s.Payments.Gateway = accounts{s.Config.ID: s.Provider, config.ID: backup}
	return config, backup
}

func TestSends_EachHasItsRow(t *testing.T) {
	t.Parallel()
	l := life.Answering(t, scene.Refuse)
	require.Equal(t, scene.Start.AddDate(0, 1, 0), l.Last().CreatedAt)
	l.Until(l.Clock.Now().Add(time.Minute))

	txn, calls := l.Last(), l.Provider.Calls()
	sends := l.Sends(txn.ID)
	require.Len(t, sends, 2)
	require.Equal(t, []answer.Outcome{answer.NotSent, answer.Succeeded},
		[]answer.Outcome{sends[0].Outcome, sends[1].Outcome})
	require.Equal(t, []string{calls[1].Key, calls[2].Key}, []string{sends[0].Key, sends[1].Key})
	require.Equal(t, []string{"", txn.ProviderRef}, []string{sends[0].ProviderRef, sends[1].ProviderRef})
	for _, s := range sends {
		require.Equal(t, l.Config.ID, s.ProviderConfigID)
		require.Equal(t, "primary", s.Reason)
	}
}

func TestSends_ChargeHasNoProviderBeforeItsFirst(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Monthly(1000))
	l.Clock.Set(scene.Start.AddDate(0, 1, 0))
	l.Due()
	require.Empty(t, l.Last().Provider+l.Last().ProviderConfigID)
	l.Check(l.Last().ID)
	require.Equal(t, l.Config.ID, l.Last().ProviderConfigID)
}

// A message that names a send by our key alone finds its payment.
func TestSends_CallbackByKey(t *testing.T) {
	t.Parallel()
	l := onlyTold(t)
	txn := l.Last()
	said := says(txn, "one", providers.Succeeded)
	said.TransactionID, said.Ref, said.Key = "", "", l.Sends(txn.ID)[0].Key
	require.NoError(t, service.New(l.Store, l.Clock.Now).Payments.ReceiveCallback(t.Context(), l.Config, said))
	l.Check(txn.ID)
	require.Equal(t, payment.Success, l.Last().Status)
}

// The primary refused, the backup took the payment, and then the primary says that it took it after all. It is asked,
// and what moved twice goes back once.
func TestSends_LateSuccessOfAnEarlierProvider(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		backup   scene.Answer
		settled  providers.Outcome // a later answer about what the backup left open
		captures int
		refunds  int
		from     bool // the primary's capture paid the invoice
	}{
		"the backup captured":               {scene.Capture, "", 1, 1, false},
		"the backup declined":               {scene.Decline, "", 0, 0, true},
		"the backup has not decided":        {scene.Pend, providers.Succeeded, 1, 1, false},
		"the backup declines in the end":    {scene.Pend, providers.Declined, 0, 0, true},
		"the backup's answer was lost once": {scene.Silent, "", 1, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := life.Answering(t)
			_, backup := withBackup(t, l.Scene)
			l.Provider.Script = func(int, providers.ChargeRequest) scene.Answer { return scene.Refuse }
			backup.Script = func(int, providers.ChargeRequest) scene.Answer { return c.backup }
			l.Until(scene.Start.AddDate(0, 2, 0))
			txn := l.Last()
			l.Provider.Settle(txn.ID, providers.Succeeded)
			said := providers.Callback{
				EventID: "late", Type: "succeeded", Kind: providers.KindSucceeded, TransactionID: txn.ID,
				Ref: l.Provider.Reference(txn.ID),
			}
			l.Receive(said)
			if c.settled != "" {
				require.Equal(t, payment.Pending, l.Transaction(txn.ID).Status, "until the backup has decided")
				require.Equal(t, 1, l.OpenCallbacks())
				backup.Settle(txn.ID, c.settled)
			}
			l.Until(l.Clock.Now().Add(time.Minute))
			l.CheckAsked(txn.ID) // as the reconciler does while messages are open

			require.Zero(t, l.OpenCallbacks())
			require.Equal(t, payment.Success, l.Transaction(txn.ID).Status)
			require.Equal(t, invoice.Paid, l.Invoices()[2].Status)
			require.Equal(t, c.from, l.Transaction(txn.ID).ProviderConfigID == l.Config.ID)
			require.Equal(t, c.captures, backup.Captures()[txn.ID])
			refunds := l.Refunds()
			require.Len(t, refunds, c.refunds)
			for _, r := range refunds {
				require.Equal(t, payment.Refunded, r.Status)
				require.Equal(t, l.Config.ID, r.ProviderConfigID, "given back where it was taken twice")
			}
			l.Receive(said)
			require.Empty(t, l.Refunds(), "once")
		})
	}
}

// Both accounts said that they did not take a payment, and then the first one's callback says that it did: the payment
// is booked there, where its refunds must go.
func TestSends_CallbackOfAnAccountThatRefused(t *testing.T) {
	t.Parallel()
	l, backup, _ := renewing(t)
	l.Provider.Script, backup.Script = life.Always(scene.Refuse), life.Always(scene.Refuse)
	txn := l.Last()
	l.Check(txn.ID)
	require.Len(t, l.Sends(txn.ID), 2)
	l.Provider.Settle(txn.ID, providers.Succeeded)

	l.Notify(txn, "succeeded after all", l.Provider.Reference(txn.ID))

	txn = l.Last()
	require.Equal(t, payment.Success, txn.Status)
	require.Equal(t, [2]string{l.Config.Provider, l.Config.ID}, [2]string{txn.Provider, txn.ProviderConfigID})
	require.Equal(t, l.Provider.Reference(txn.ID), txn.ProviderRef)
}
