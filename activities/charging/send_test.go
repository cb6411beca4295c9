package charging_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/invoice"
	"perennial/billing/payment"
	"perennial/contract"
	"perennial/providers"
	"perennial/test/life"
	"perennial/test/scene"
)

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
			l := life.Begin(t, scene.New(t), scene.Monthly(1000))
			l.Clock.Set(scene.Start.AddDate(0, 1, 0).Add(c.late))
			l.Due()
			txn := l.Last()
			require.Equal(t, scene.Start.AddDate(0, 1, 0), txn.SendDueAt, "due with the boundary, not with the worker's return")
			if c.captured {
				l.Provider.Settle(txn.ID, providers.Succeeded)
			}

			l.Until(l.Clock.Now())

			require.Equal(t, payment.Success, l.Last().Status)
			require.Equal(t, txn.ID, l.Last().ID)
			require.Equal(t, c.want, l.Operations(txn.ID))
			require.Equal(t, 1, l.Provider.Captures()[txn.ID])
			require.Equal(t, invoice.Paid, l.Invoices()[1].Status)
			l.Sound()
		})
	}
}

// The look-up before a late first send proves nothing about that send: its silence is followed as ever.
func TestCharge_LateFirstSendLost(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Monthly(1000))
	l.Provider.Script = func(int, providers.ChargeRequest) scene.Answer { return scene.Lose }
	sent := scene.Start.AddDate(0, 1, 0).Add(scene.Window)
	l.Clock.Set(sent)
	l.Due()
	txn := l.Last().ID
	l.Until(sent.Add(scene.Window + time.Hour - time.Second))
	require.Equal(t, payment.Pending, l.Last().Status)
	l.Until(sent.Add(scene.Window + 3*time.Hour))
	sends := l.Sends(txn)
	require.Len(t, sends, 2, "proven absent, and sent anew")
	require.GreaterOrEqual(t, sends[1].SentAt.Sub(sent), scene.Window+time.Hour)
	l.Sound()
}

// declinesRefunds declines refunds rather than failing them.
type declinesRefunds struct{ *scene.Provider }

func (p declinesRefunds) Refund(ctx context.Context, in providers.RefundRequest) (providers.Result, error) {
	result, err := p.Provider.Refund(ctx, in)
	result.Outcome = providers.Declined
	return result, err
}

func TestCharge_DeclinedRefundFails(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Monthly(1000))
	l.Provider.RefundScript = func(int, providers.RefundRequest) scene.Answer { return scene.Decline }
	l.Payments.Gateway = scene.Gateway{Only: declinesRefunds{l.Provider}}
	l.Clock.Set(scene.Start.AddDate(0, 0, 10))
	l.Perform(life.CancelNow("prorated"))

	refunds := l.Refunds() // an error would be repeated at once, for ever

	require.Len(t, refunds, 1)
	require.Equal(t, payment.Failed, refunds[0].Status)
	require.True(t, refunds[0].NextCheckAt.IsZero())
	require.Equal(t, []string{"refund"}, l.Operations(refunds[0].ID))
	l.Clock.Add(time.Hour)
	l.Check(refunds[0].ID)
	require.Equal(t, []string{"refund"}, l.Operations(refunds[0].ID))
	require.Contains(t, l.Events(), "payment.refund_failed")
	l.Sound()
}

// The reconciler finds a transaction with its own workflow where that workflow was never started, or its worker died
// while it sent.
func TestCharge_NextCheckOfOwnTransactions(t *testing.T) {
	t.Parallel()
	for name, begun := range map[string]func(*testing.T, *life.Life) payment.Transaction{
		"charge": func(t *testing.T, l *life.Life) payment.Transaction { return l.OwnCharge(t) },
		"refund": func(t *testing.T, l *life.Life) payment.Transaction {
			l.Perform(life.CancelNow("prorated"))
			refund, err := l.Store.Payments.Transaction(t.Context(), l.Env, l.Started.Take()[0].ID)
			require.NoError(t, err)
			return refund
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, w := life.Begin(t, scene.New(t), scene.Monthly(1000)), &life.Waker{}
			_ = w.Pass(t, l.Scene)
			l.Clock.Set(scene.Start.AddDate(0, 0, 10))
			txn := begun(t, l)
			require.Equal(t, l.Clock.Now(), txn.NextCheckAt)
			require.Equal(t, l.Clock.Now(), txn.SendDueAt)
			_ = w.Pass(t, l.Scene) // starts it, and Temporal then loses it
			check := "check  " + txn.ID
			l.Clock.Add(time.Minute)
			require.NotContains(t, w.Pass(t, l.Scene), check)
			l.Clock.Add(time.Second)
			require.Contains(t, w.Pass(t, l.Scene), check)

			sent := l.Clock.Now()
			l.Provider.During = func(string, string) {
				sending, err := l.Store.Payments.Transaction(t.Context(), l.Env, txn.ID)
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
