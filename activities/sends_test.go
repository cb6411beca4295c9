package activities_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/invoice"
	"perennial/billing/payment"
	"perennial/db"
	"perennial/internal/id"
	"perennial/providers"
	"perennial/service"
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
	s.InTx(t, func(tx *db.Tx) error { return tx.InsertProviderConfig(t.Context(), s.Env, config) })
	backup = s.NewProvider()
	s.Payments.Gateway = accounts{s.Config.ID: s.Provider, config.ID: backup}
	return config, backup
}

func (l *life) sends(txn string) []payment.Send {
	l.t.Helper()
	sends, err := l.Store.Sends(l.t.Context(), l.Env, txn)
	require.NoError(l.t, err)
	return sends
}

func TestSends_EachHasItsRow(t *testing.T) {
	t.Parallel()
	l := answering(t, scene.Refuse)
	require.Equal(t, scene.Start.AddDate(0, 1, 0), l.last().CreatedAt)
	l.until(l.Clock.Now().Add(time.Minute))

	txn, calls := l.last(), l.Provider.Calls()
	sends := l.sends(txn.ID)
	require.Len(t, sends, 2)
	require.Equal(t, []payment.Outcome{payment.AnswerNotSent, payment.AnswerSucceeded},
		[]payment.Outcome{sends[0].Outcome, sends[1].Outcome})
	require.Equal(t, []string{calls[1].Key, calls[2].Key}, []string{sends[0].Key, sends[1].Key})
	require.Equal(t, []string{"", txn.ProviderRef}, []string{sends[0].ProviderRef, sends[1].ProviderRef})
	for _, s := range sends {
		require.Equal(t, l.Config.ID, s.ProviderConfigID)
		require.Equal(t, "primary", s.Reason)
	}
}

func TestSends_ChargeHasNoProviderBeforeItsFirst(t *testing.T) {
	t.Parallel()
	l := begin(t, scene.New(t), scene.Monthly(1000))
	l.Clock.Set(scene.Start.AddDate(0, 1, 0))
	l.due()
	require.Empty(t, l.last().Provider+l.last().ProviderConfigID)
	l.check(l.last().ID)
	require.Equal(t, l.Config.ID, l.last().ProviderConfigID)
}

// A message that names a send by our key alone finds its payment.
func TestSends_CallbackByKey(t *testing.T) {
	t.Parallel()
	l := onlyTold(t)
	txn := l.last()
	said := says(txn, "one", providers.Succeeded)
	said.TransactionID, said.Ref, said.Key = "", "", l.sends(txn.ID)[0].Key
	require.NoError(t, service.New(l.Store, l.Clock.Now).ReceiveCallback(t.Context(), l.Config, said))
	l.check(txn.ID)
	require.Equal(t, payment.Success, l.last().Status)
}

// The primary refused, the backup took the payment, and then the primary says that it took it after all. It is asked,
// and what moved twice goes back once.
func TestSends_LateSuccessOfAnEarlierProvider(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		backup   scene.Answer
		settled  providers.Outcome // of what the backup left open, later
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
			l := answering(t)
			_, backup := withBackup(t, l.Scene)
			l.Provider.Script = func(int, providers.ChargeRequest) scene.Answer { return scene.Refuse }
			backup.Script = func(int, providers.ChargeRequest) scene.Answer { return c.backup }
			l.until(scene.Start.AddDate(0, 2, 0))
			txn := l.last()
			l.Provider.Settle(txn.ID, providers.Succeeded)
			said := providers.Callback{
				EventID: "late", Type: "succeeded", Kind: providers.KindSucceeded, TransactionID: txn.ID,
				Ref: l.Provider.Reference(txn.ID),
			}
			l.hears(said)
			if c.settled != "" {
				require.Equal(t, payment.Pending, l.now(txn.ID).Status, "until the backup has decided")
				require.Equal(t, 1, l.open())
				backup.Settle(txn.ID, c.settled)
			}
			l.until(l.Clock.Now().Add(time.Minute))
			l.asked(txn.ID) // as the reconciler does while messages are open

			require.Zero(t, l.open())
			require.Equal(t, payment.Success, l.now(txn.ID).Status)
			require.Equal(t, invoice.Paid, l.invoices()[2].Status)
			require.Equal(t, c.from, l.now(txn.ID).ProviderConfigID == l.Config.ID)
			require.Equal(t, c.captures, backup.Captures()[txn.ID])
			refunds := l.refunds()
			require.Len(t, refunds, c.refunds)
			for _, r := range refunds {
				require.Equal(t, payment.Refunded, r.Status)
				require.Equal(t, l.Config.ID, r.ProviderConfigID, "given back where it was taken twice")
			}
			l.hears(said)
			require.Empty(t, l.refunds(), "once")
		})
	}
}

// Both accounts said that they did not take a payment, and then the first one's callback says that it did: the payment
// is booked there, where its refunds must go.
func TestSends_CallbackOfAnAccountThatRefused(t *testing.T) {
	t.Parallel()
	l, backup, _ := renewing(t)
	l.Provider.Script, backup.Script = always(scene.Refuse), always(scene.Refuse)
	txn := l.last()
	l.check(txn.ID)
	require.Len(t, l.sends(txn.ID), 2)
	l.Provider.Settle(txn.ID, providers.Succeeded)

	l.told(txn, "succeeded after all", l.Provider.Reference(txn.ID))

	txn = l.last()
	require.Equal(t, payment.Success, txn.Status)
	require.Equal(t, [2]string{l.Config.Provider, l.Config.ID}, [2]string{txn.Provider, txn.ProviderConfigID})
	require.Equal(t, l.Provider.Reference(txn.ID), txn.ProviderRef)
}
