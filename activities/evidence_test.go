package activities_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"perennial/billing/invoice"
	"perennial/billing/payment"
	"perennial/db"
	"perennial/internal/id"
	"perennial/providers"
	"perennial/service"
	"perennial/test/scene"
)

// toldOnly is a provider that cannot be asked: its callbacks are all that it says after the charge.
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
func onlyTold(t testing.TB) *life {
	t.Helper()
	s := scene.New(t)
	s.Payments.Gateway = scene.Gateway{Only: toldOnly{s.Provider, t}}
	s.Provider.Script = always(scene.Pend)
	return begin(t, s, scene.Monthly(1000))
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

// hears receives messages as the API does, each followed by the check that it signals.
func (l *life) hears(messages ...providers.Callback) {
	l.t.Helper()
	receiver := service.New(l.Store, l.Clock.Now)
	for _, m := range messages {
		require.NoError(l.t, receiver.ReceiveCallback(l.t.Context(), l.Config, m))
		l.asked(m.TransactionID)
		l.Clock.Add(time.Second)
	}
}

// A worker dies in a call, and a callback decides the payment before anything is called again: the provider cannot be
// asked, so nothing else would ever end the call's row.
func TestEvidence_EndsTheCallOfADeadWorker(t *testing.T) {
	t.Parallel()
	l := onlyTold(t)
	txn := l.last()
	died := db.ProviderCall{
		ID: id.New(id.ProviderCall, l.Clock.Now()), TransactionID: txn.ID, Operation: db.CallCharge, SendNumber: 1,
		StartedAt: l.Clock.Now(),
	}
	l.InTx(t, func(tx *db.Tx) error { return tx.InsertProviderCall(t.Context(), l.Env, died) })

	l.hears(says(txn, "one", providers.Succeeded))

	require.Equal(t, payment.Success, l.last().Status)
	calls, err := l.Store.ProviderCalls(t.Context(), l.Env, txn.ID)
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"pending", db.CallCutOff}, []string{calls[0].Outcome, calls[1].Outcome})
}

func TestEvidence_DecidesWhatCannotBeAsked(t *testing.T) {
	t.Parallel()
	l := onlyTold(t)
	txn := l.last()
	require.Equal(t, payment.Pending, txn.Status)
	l.until(scene.Start.Add(time.Minute))
	require.Equal(t, scene.Start.Add(scene.Window+24*time.Hour), l.now(txn.ID).NextCheckAt, "it waits")

	l.hears(says(txn, "one", providers.Succeeded))

	require.Equal(t, payment.Success, l.last().Status)
	require.Equal(t, invoice.Paid, l.invoices()[0].Status)
	require.Equal(t, []string{"charge"}, l.operations(txn.ID))
	require.Zero(t, l.open())
}

// Whatever the order of four messages, and however often each is repeated, the end is the same, and is reached once.
func TestCallback_AllOrdersAndRepeats(t *testing.T) {
	t.Parallel()
	for name, begun := range tellers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := begun(t)
			var paid []string
			for _, order := range permutations(4) {
				txn := l.own(t)
				l.check(txn.ID)
				txn = l.now(txn.ID)
				l.Provider.Settle(txn.ID, providers.Succeeded)
				four := []providers.Callback{
					says(txn, "processing "+txn.ID, providers.Pending), says(txn, "authorised "+txn.ID, providers.Succeeded),
					says(txn, "captured "+txn.ID, providers.Succeeded), says(txn, "accepted "+txn.ID, providers.Pending),
				}
				for _, n := range order {
					l.hears(four[n], four[n])
				}
				l.hears(four...)
				require.Equal(t, payment.Success, l.now(txn.ID).Status)
				paid = append(paid, txn.ID)
			}
			require.Zero(t, l.open())
			require.Empty(t, l.refunds())
			l.requireAnnounced(paid...)
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
			txn := l.last()
			l.Provider.Settle(txn.ID, providers.Succeeded)
			receiver := service.New(l.Store, l.Clock.Now)
			var copies errgroup.Group
			copies.SetLimit(16)
			for range 100 {
				copies.Go(func() error {
					if err := receiver.ReceiveCallback(t.Context(), l.Config, says(txn, "captured", providers.Succeeded)); err != nil {
						return err
					}
					return l.checkUntilSettled(t.Context(), txn.ID)
				})
			}
			require.NoError(t, copies.Wait())
			require.Equal(t, payment.Success, l.now(txn.ID).Status)
			var stored int
			require.NoError(t, l.Pool.QueryRow(t.Context(), "select count(*) from provider_callbacks").Scan(&stored))
			require.Equal(t, 1, stored)
			require.Zero(t, l.open())
			l.requireAnnounced(txn.ID)
			l.sound()
		})
	}
}

// tellers begin lives whose provider accepts a charge, and then tells what became of it.
var tellers = map[string]func(testing.TB) *life{
	"cannot be asked": onlyTold,
	"is asked": func(t testing.TB) *life {
		s := scene.New(t)
		s.Provider.Script = always(scene.Pend)
		return begin(t, s, scene.Monthly(1000))
	},
}

// requireAnnounced wants one event of success for each of the payments.
func (l *life) requireAnnounced(paid ...string) {
	l.t.Helper()
	var announced int
	require.NoError(l.t, l.Pool.QueryRow(l.t.Context(),
		"select count(*) from events where type = 'payment.success' and object_id = any($1)", paid).Scan(&announced))
	require.Equal(l.t, len(paid), announced)
}

func permutations(n int) (out [][]int) {
	if n == 0 {
		return [][]int{{}}
	}
	for _, p := range permutations(n - 1) {
		for i := range n {
			out = append(out, slices.Insert(slices.Clone(p), i, n-1))
		}
	}
	return out
}

func TestEvidence_OfAnotherAmountNeedsReview(t *testing.T) {
	t.Parallel()
	l := onlyTold(t)
	forged := says(l.last(), "one", providers.Succeeded)
	forged.Evidence.Amount++
	l.hears(forged)
	require.Equal(t, payment.Pending, l.last().Status)
	require.Equal(t, payment.ReviewAmountMismatch, l.last().Review.Reason)
	require.Zero(t, l.open())
}

// Its reason is of the failed attempt, and the success that follows counts as any late success does.
func TestEvidence_AfterTheEnd(t *testing.T) {
	t.Parallel()
	l := onlyTold(t)
	txn := l.last()
	failed := says(txn, "failed", providers.Failed)
	failed.Evidence.FailureCode, failed.Evidence.FailureReason = providers.InsufficientFunds, "Not enough balance"
	l.hears(failed)
	require.Equal(t, payment.Failed, l.now(txn.ID).Status)
	require.Equal(t, "Not enough balance", l.now(txn.ID).FailureReason)

	l.hears(says(txn, "authorised", providers.Succeeded), failed)
	require.Equal(t, payment.Success, l.now(txn.ID).Status)
	require.Equal(t, invoice.Paid, l.invoices()[0].Status)

	second := says(txn, "again", providers.Succeeded)
	second.Ref, second.Evidence.Ref = "other", "other"
	l.hears(second)
	require.Equal(t, payment.ReviewSecondCapture, l.now(txn.ID).Review.Reason)
}

func TestEvidence_BadEndOfAnotherOperationIsNoEnd(t *testing.T) {
	t.Parallel()
	l := onlyTold(t)
	old := says(l.last(), "old", providers.Failed)
	old.Ref, old.Evidence.Ref = "older", "older"
	l.hears(old)
	require.Equal(t, payment.Pending, l.last().Status)
	require.Zero(t, l.open())
}

// Signals get lost: the next check finds all that was said meanwhile.
func TestEvidence_IsFoundWithoutItsSignal(t *testing.T) {
	t.Parallel()
	l := onlyTold(t)
	txn := l.last()
	receiver := service.New(l.Store, l.Clock.Now)
	for _, m := range []providers.Callback{
		says(txn, "processing", providers.Pending), says(txn, "authorised", providers.Succeeded),
	} {
		require.NoError(t, receiver.ReceiveCallback(t.Context(), l.Config, m))
	}
	l.check(txn.ID)
	require.Equal(t, payment.Success, l.last().Status)
	require.Zero(t, l.open())
}

// A provider that cannot be asked and says nothing: after its window and a day a person must find out.
func TestEvidence_NeverCame(t *testing.T) {
	t.Parallel()
	l := onlyTold(t)
	l.until(scene.Start.Add(scene.Window + 24*time.Hour))
	require.Equal(t, payment.ReviewOutcomeUnknown, l.last().Review.Reason)
	require.Contains(t, l.events(), "payment.needs_review")
	require.Equal(t, []string{"charge"}, l.operations(l.last().ID))
}
