package activities_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/invoice"
	"perennial/billing/payment"
	"perennial/contract"
	"perennial/providers"
	"perennial/test/scene"
)

// operations lists what the provider was asked about a transaction, in order.
func (l *life) operations(txn string) []string {
	var out []string
	for _, c := range l.Provider.Calls() {
		if c.TransactionID == txn {
			out = append(out, c.Operation)
		}
	}
	return out
}

// A database restored to a moment before a send does not know of it. A first send that comes so late that the provider
// may have forgotten the key asks the provider first.
func TestCharge_LateFirstSendLooksUp(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		late     time.Duration
		captured bool
		want     []string
	}{
		"never sent":             {scene.Window / 2, false, []string{"lookup", "charge"}},
		"sent before a restore":  {scene.Window / 2, true, []string{"lookup"}},
		"within half the window": {scene.Window/2 - time.Second, false, []string{"charge"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := begin(t, scene.New(t), scene.Monthly(1000))
			l.Clock.Set(scene.Start.AddDate(0, 1, 0).Add(c.late))
			l.due()
			txn := l.last()
			require.Equal(t, scene.Start.AddDate(0, 1, 0), txn.SendDueAt, "due with the boundary, not with the worker's return")
			if c.captured {
				l.Provider.Settle(txn.ID, providers.Succeeded)
			}

			l.until(l.Clock.Now())

			require.Equal(t, payment.Success, l.last().Status)
			require.Equal(t, txn.ID, l.last().ID)
			require.Equal(t, c.want, l.operations(txn.ID))
			require.Equal(t, 1, l.Provider.Captures()[txn.ID])
			require.Equal(t, invoice.Paid, l.invoices()[1].Status)
			l.sound()
		})
	}
}

// The look-up before a late first send proves nothing about that send: its silence is followed as ever.
func TestCharge_LateFirstSendLost(t *testing.T) {
	t.Parallel()
	l := begin(t, scene.New(t), scene.Monthly(1000))
	l.Provider.Script = func(int, providers.ChargeRequest) scene.Answer { return scene.Lose }
	sent := scene.Start.AddDate(0, 1, 0).Add(scene.Window)
	l.Clock.Set(sent)
	l.due()
	txn := l.last().ID
	l.until(sent.Add(scene.Window + time.Hour - time.Second))
	require.Equal(t, payment.Pending, l.last().Status)
	l.until(sent.Add(scene.Window + 3*time.Hour))
	sends := l.sends(txn)
	require.Len(t, sends, 2, "proven absent, and sent anew")
	require.GreaterOrEqual(t, sends[1].SentAt.Sub(sent), scene.Window+time.Hour)
	l.sound()
}

// declinesRefunds answers refunds as a provider does that declines them, rather than failing them.
type declinesRefunds struct{ *scene.Provider }

func (p declinesRefunds) Refund(ctx context.Context, in providers.RefundRequest) (providers.Result, error) {
	result, err := p.Provider.Refund(ctx, in)
	result.Outcome = providers.Declined
	return result, err
}

func TestCharge_DeclinedRefundFails(t *testing.T) {
	t.Parallel()
	l := begin(t, scene.New(t), scene.Monthly(1000))
	l.Provider.RefundScript = func(int, providers.RefundRequest) scene.Answer { return scene.Decline }
	l.Payments.Gateway = scene.Gateway{Only: declinesRefunds{l.Provider}}
	l.Clock.Set(scene.Start.AddDate(0, 0, 10))
	l.perform(cancelNow("prorated"))

	refunds := l.refunds() // an error would be repeated at once, for ever

	require.Len(t, refunds, 1)
	require.Equal(t, payment.Failed, refunds[0].Status)
	require.True(t, refunds[0].NextCheckAt.IsZero())
	require.Equal(t, []string{"refund"}, l.operations(refunds[0].ID))
	l.Clock.Add(time.Hour)
	l.check(refunds[0].ID)
	require.Equal(t, []string{"refund"}, l.operations(refunds[0].ID))
	require.Contains(t, l.events(), "payment.refund_failed")
	l.sound()
}

// What has a workflow of its own is found by the reconciler where that workflow was never started, or its worker died
// while it sent.
func TestCharge_NextCheckOfOwnTransactions(t *testing.T) {
	t.Parallel()
	for name, begun := range map[string]func(*testing.T, *life) payment.Transaction{
		"charge": func(t *testing.T, l *life) payment.Transaction { return l.own(t) },
		"refund": func(t *testing.T, l *life) payment.Transaction {
			l.perform(cancelNow("prorated"))
			refund, err := l.Store.Transaction(t.Context(), l.Env, l.Started.Take()[0].ID)
			require.NoError(t, err)
			return refund
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, w := begin(t, scene.New(t), scene.Monthly(1000)), &woken{}
			_ = w.pass(t, l.Scene)
			l.Clock.Set(scene.Start.AddDate(0, 0, 10))
			txn := begun(t, l)
			require.Equal(t, l.Clock.Now(), txn.NextCheckAt)
			require.Equal(t, l.Clock.Now(), txn.SendDueAt)
			_ = w.pass(t, l.Scene) // starts it, and Temporal then loses it
			check := "check  " + txn.ID
			l.Clock.Add(time.Minute)
			require.NotContains(t, w.pass(t, l.Scene), check)
			l.Clock.Add(time.Second)
			require.Contains(t, w.pass(t, l.Scene), check)

			sent := l.Clock.Now()
			l.Provider.During = func(string, string) {
				sending, err := l.Store.Transaction(t.Context(), l.Env, txn.ID)
				require.NoError(t, err)
				require.Equal(t, sent.Add(10*time.Second), sending.NextCheckAt)
				require.Equal(t, sent, sending.FirstSentAt)
			}
			out, err := l.Payments.Charge(t.Context(), contract.ResolveInput{EnvironmentID: l.Env, TransactionID: txn.ID})
			require.NoError(t, err)
			require.NotEqual(t, payment.Pending, out.Status)
			require.True(t, out.CheckAt.IsZero())
		})
	}
}
