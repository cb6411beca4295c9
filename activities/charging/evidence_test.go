package charging_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"perennial/billing/invoice"
	"perennial/billing/payment"
	"perennial/db"
	"perennial/internal/id"
	"perennial/internal/testkit/orders"
	"perennial/providers"
	"perennial/service"
	"perennial/test/life"
	"perennial/test/scene"
)

// toldOnly is a provider that cannot be asked: after the charge, it sends callbacks only.
type toldOnly struct {
	*scene.Provider
	t testing.TB
}

func (toldOnly) Capabilities() providers.Capabilities {
	return providers.Capabilities{ReplayWindow: scene.Window}
}

func (p toldOnly) LookupCharge(context.Context, providers.LookupRequest) (providers.Result, error) {
	p.t.Error("a provider that cannot be asked was asked")
	return providers.Result{Outcome: providers.Unknown}, nil
}

// onlyTold gives a subscription whose provider accepts charges and then can only tell.
func onlyTold(t testing.TB) *life.Life {
	t.Helper()
	s := scene.New(t)
	s.Payments.Gateway = scene.Gateway{Only: toldOnly{s.Provider, t}}
	s.Provider.Script = life.Always(scene.Pend)
	return life.Begin(t, s, scene.Monthly(1000))
}

// says is a signed message that proves an outcome.
func says(txn payment.Transaction, event string, outcome providers.Outcome) providers.Callback {
	kinds := map[providers.Outcome]providers.Kind{
		providers.Succeeded: providers.KindSucceeded, providers.Pending: providers.KindProcessing,
		providers.Failed: providers.KindFailed,
	}
	c := providers.Callback{
		EventID: event, Type: event, Kind: kinds[outcome], TransactionID: txn.ID, Ref: txn.ProviderRef,
		Evidence: &providers.Result{Outcome: outcome, Ref: txn.ProviderRef},
	}
	if outcome == providers.Succeeded {
		c.Evidence.Amount, c.Evidence.Currency = txn.Amount, txn.Currency
	}
	return c
}

// A worker dies in a call, and a callback decides the payment before anything is called again: the provider cannot be
// asked, so nothing else would ever end the call's row.
func TestEvidence_EndsTheCallOfADeadWorker(t *testing.T) {
	t.Parallel()
	l := onlyTold(t)
	txn := l.Last()
	died := db.ProviderCall{
		ID: id.New(id.ProviderCall, l.Clock.Now()), TransactionID: txn.ID, Operation: db.CallCharge, SendNumber: 1,
		StartedAt: l.Clock.Now(),
	}
	l.InTx(t, func(tx *db.Tx) error { return tx.Payments.InsertProviderCall(t.Context(), l.Env, died) })

	l.Receive(says(txn, "one", providers.Succeeded))

	require.Equal(t, payment.Success, l.Last().Status)
	calls, err := l.Store.Payments.ProviderCalls(t.Context(), l.Env, txn.ID)
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"pending", db.CallCutOff}, []string{calls[0].Outcome, calls[1].Outcome})
}

func TestEvidence_DecidesWhatCannotBeAsked(t *testing.T) {
	t.Parallel()
	l := onlyTold(t)
	txn := l.Last()
	require.Equal(t, payment.Pending, txn.Status)
	l.Until(scene.Start.Add(time.Minute))
	require.Equal(t, scene.Start.Add(scene.Window+24*time.Hour), l.Transaction(txn.ID).NextCheckAt, "it waits")

	l.Receive(says(txn, "one", providers.Succeeded))

	require.Equal(t, payment.Success, l.Last().Status)
	require.Equal(t, invoice.Paid, l.Invoices()[0].Status)
	require.Equal(t, []string{"charge"}, l.Operations(txn.ID))
	require.Zero(t, l.OpenCallbacks())
}

// Whatever the order of four messages, and however often each is repeated, the end is the same, and is reached once.
func TestCallback_AllOrdersAndRepeats(t *testing.T) {
	t.Parallel()
	for name, begun := range tellers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := begun(t)
			var paid []string
			for _, order := range orders.Of(4) {
				txn := l.OwnCharge(t)
				l.Check(txn.ID)
				txn = l.Transaction(txn.ID)
				l.Provider.Settle(txn.ID, providers.Succeeded)
				four := []providers.Callback{
					says(txn, "processing "+txn.ID, providers.Pending), says(txn, "authorised "+txn.ID, providers.Succeeded),
					says(txn, "captured "+txn.ID, providers.Succeeded), says(txn, "accepted "+txn.ID, providers.Pending),
				}
				for _, n := range order {
					l.Receive(four[n], four[n])
				}
				l.Receive(four...)
				require.Equal(t, payment.Success, l.Transaction(txn.ID).Status)
				paid = append(paid, txn.ID)
			}
			require.Zero(t, l.OpenCallbacks())
			require.Empty(t, l.Refunds())
			l.RequireAnnounced(paid...)
		})
	}
}

// A hundred copies of one message, sixteen at a time, are one transition.
func TestCallback_AHundredCopies(t *testing.T) {
	t.Parallel()
	for name, begun := range tellers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := begun(t)
			txn := l.Last()
			l.Provider.Settle(txn.ID, providers.Succeeded)
			receiver := service.New(l.Store, l.Clock.Now)
			var copies errgroup.Group
			copies.SetLimit(16)
			for range 100 {
				copies.Go(func() error {
					if err := receiver.Payments.ReceiveCallback(t.Context(), l.Config,
						says(txn, "captured", providers.Succeeded)); err != nil {
						return err
					}
					return l.CheckUntilSettled(t.Context(), txn.ID)
				})
			}
			require.NoError(t, copies.Wait())
			require.Equal(t, payment.Success, l.Transaction(txn.ID).Status)
			var stored int
			require.NoError(t, l.Pool.QueryRow(t.Context(), "select count(*) from provider_callbacks").Scan(&stored))
			require.Equal(t, 1, stored)
			require.Zero(t, l.OpenCallbacks())
			l.RequireAnnounced(txn.ID)
			l.Sound()
		})
	}
}

// tellers begin lives whose provider accepts a charge, and then tells what became of it.
var tellers = map[string]func(testing.TB) *life.Life{
	"cannot be asked": onlyTold,
	"is asked": func(t testing.TB) *life.Life {
		s := scene.New(t)
		s.Provider.Script = life.Always(scene.Pend)
		return life.Begin(t, s, scene.Monthly(1000))
	},
}

func TestEvidence_OfAnotherAmountNeedsReview(t *testing.T) {
	t.Parallel()
	l := onlyTold(t)
	forged := says(l.Last(), "one", providers.Succeeded)
	forged.Evidence.Amount++
	l.Receive(forged)
	require.Equal(t, payment.Pending, l.Last().Status)
	require.Equal(t, payment.ReviewAmountMismatch, l.Last().Review.Reason)
	require.Zero(t, l.OpenCallbacks())
}

// Its reason is of the failed attempt, and the success that follows counts as any late success does.
func TestEvidence_AfterTheEnd(t *testing.T) {
	t.Parallel()
	l := onlyTold(t)
	txn := l.Last()
	failed := says(txn, "failed", providers.Failed)
	failed.Evidence.FailureCode, failed.Evidence.FailureReason = providers.InsufficientFunds, "Not enough balance"
	l.Receive(failed)
	require.Equal(t, payment.Failed, l.Transaction(txn.ID).Status)
	require.Equal(t, "Not enough balance", l.Transaction(txn.ID).FailureReason)

	l.Receive(says(txn, "authorised", providers.Succeeded), failed)
	require.Equal(t, payment.Success, l.Transaction(txn.ID).Status)
	require.Equal(t, invoice.Paid, l.Invoices()[0].Status)

	second := says(txn, "again", providers.Succeeded)
	second.Ref, second.Evidence.Ref = "other", "other"
	l.Receive(second)
	require.Equal(t, payment.ReviewSecondCapture, l.Transaction(txn.ID).Review.Reason)
}

func TestEvidence_BadEndOfAnotherOperationIsNoEnd(t *testing.T) {
	t.Parallel()
	l := onlyTold(t)
	old := says(l.Last(), "old", providers.Failed)
	old.Ref, old.Evidence.Ref = "older", "older"
	l.Receive(old)
	require.Equal(t, payment.Pending, l.Last().Status)
	require.Zero(t, l.OpenCallbacks())
}

// Signals get lost: the next check finds all callbacks since then.
func TestEvidence_IsFoundWithoutItsSignal(t *testing.T) {
	t.Parallel()
	l := onlyTold(t)
	txn := l.Last()
	receiver := service.New(l.Store, l.Clock.Now)
	for _, m := range []providers.Callback{
		says(txn, "processing", providers.Pending), says(txn, "authorised", providers.Succeeded),
	} {
		require.NoError(t, receiver.Payments.ReceiveCallback(t.Context(), l.Config, m))
	}
	l.Check(txn.ID)
	require.Equal(t, payment.Success, l.Last().Status)
	require.Zero(t, l.OpenCallbacks())
}

// A provider that cannot be asked and says nothing: after its window and a day a person must find out.
func TestEvidence_NeverCame(t *testing.T) {
	t.Parallel()
	l := onlyTold(t)
	l.Until(scene.Start.Add(scene.Window + 24*time.Hour))
	require.Equal(t, payment.ReviewOutcomeUnknown, l.Last().Review.Reason)
	require.Contains(t, l.Events(), "payment.needs_review")
	require.Equal(t, []string{"charge"}, l.Operations(l.Last().ID))
}
