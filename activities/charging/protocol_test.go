package charging_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/billing/period"
	"perennial/billing/subscription"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/id"
	"perennial/providers"
	"perennial/test/life"
	"perennial/test/scene"
)

// The answer to a charge is lost, with or without the charge: the repeat has the same key, and the payer pays once.
func TestCharge_UnknownOutcomeIsReplayedWithSameKey(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]scene.Answer{
		"the answer was lost": scene.Silent, "the request was lost": scene.Lose,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := life.Answering(t, answer)
			txn := l.Last()
			require.Equal(t, payment.Pending, txn.Status)
			require.Equal(t, txn.ID, l.Snap.Live.TransactionID)
			require.True(t, l.Snap.Live.Sent)
			l.Until(l.Clock.Now().Add(time.Minute))

			require.Equal(t, payment.Success, l.Last().Status)
			require.Equal(t, txn.ID, l.Last().ID)
			calls := l.Provider.Calls()
			require.Len(t, calls, 3)
			require.Equal(t, calls[1].Key, calls[2].Key)
			require.NotEqual(t, calls[0].Key, calls[1].Key)
			require.Equal(t, 1, l.Provider.Captures()[txn.ID])
			rows, err := l.Store.Payments.ProviderCalls(t.Context(), l.Env, txn.ID)
			require.NoError(t, err)
			require.Len(t, rows, 2)
			l.Sound()
		})
	}
}

// After the provider has forgotten the key, only questions are asked. Two that find nothing, far enough apart, prove
// that nothing was taken. It is sent anew twice; then the next attempt is another transaction.
func TestCharge_AbsenceProvenByLookUpAfterWindow(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Monthly(1000))
	l.Provider.Script = func(int, providers.ChargeRequest) scene.Answer { return scene.Lose }
	l.Until(scene.Start.AddDate(0, 1, 0))
	first := l.Last()
	due := l.Clock.Now()
	l.Until(due.Add(scene.Window - time.Second))
	require.Equal(t, payment.Pending, l.Last().Status)
	sends := map[string]bool{}
	for _, c := range l.Provider.Calls()[1:] {
		if c.Operation == "charge" {
			sends[c.Key] = true
		}
	}
	require.Len(t, sends, 1)
	before := len(l.Provider.Calls())

	proof := scene.Window + 3*time.Hour
	l.Until(due.Add(proof))
	after := l.Provider.Calls()[before:]
	sent := slices.IndexFunc(after, func(c scene.Call) bool { return c.Operation == "charge" })
	for _, c := range after[:sent] {
		require.Equal(t, "lookup", c.Operation)
	}
	require.False(t, sends[after[sent].Key])
	l.Until(due.Add(3 * proof))
	require.Len(t, l.Sends(first.ID), 3)
	txn, err := l.Store.Payments.Transaction(t.Context(), l.Env, first.ID)
	require.NoError(t, err)
	require.Equal(t, payment.Failed, txn.Status)
	require.Equal(t, "DECLINED", txn.FailureCode)
	require.GreaterOrEqual(t, txn.CompletedAt.Sub(due), 3*(scene.Window+time.Hour))
	require.Equal(t, subscription.ActionPaymentRetry, l.Snap.NextAction)

	l.Provider.Script = nil
	l.Until(due.AddDate(0, 0, 10))
	require.Equal(t, payment.Success, l.Last().Status)
	require.NotEqual(t, first.ID, l.Last().ID)
	l.Sound()
}

func TestCharge_ProvenRefusalIsSentWithNewKey(t *testing.T) {
	t.Parallel()
	l := life.Answering(t, scene.Refuse)
	l.Until(l.Clock.Now().Add(time.Minute))
	calls := l.Provider.Calls()
	require.Len(t, calls, 3)
	require.NotEqual(t, calls[1].Key, calls[2].Key)
	require.Equal(t, calls[1].TransactionID, calls[2].TransactionID)
	require.Equal(t, 2, l.Last().SendNumber)
	l.Sound()
}

// slow is a provider whose first answer comes after another worker took over: a gateway refused the first request.
type slow struct {
	*scene.Provider
	meanwhile func()
}

func (s *slow) Charge(ctx context.Context, in providers.ChargeRequest) (providers.Result, error) {
	if s.meanwhile == nil {
		return s.Provider.Charge(ctx, in)
	}
	meanwhile := s.meanwhile
	s.meanwhile = nil
	meanwhile()
	return providers.Result{Outcome: providers.NotSent}, nil
}

// A worker that hung in its call until another took over hears "not taken" too late: the other's request under the same
// key may have got through, so there is no new key.
func TestCharge_LateRefusalKeepsReplayInFlight(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Monthly(1000))
	l.Provider.Script = func(int, providers.ChargeRequest) scene.Answer { return scene.Silent }
	hung := &slow{Provider: l.Provider}
	l.Payments.Gateway = scene.Gateway{Only: hung}
	hung.meanwhile = func() {
		out, err := l.Payments.Charge(t.Context(),
			contract.ResolveInput{EnvironmentID: l.Env, TransactionID: l.Snap.Live.TransactionID, Now: l.Clock.Now()})
		require.NoError(t, err)
		require.Equal(t, payment.Pending, out.Status)
	}
	l.Until(scene.Start.AddDate(0, 1, 0).Add(time.Hour))
	require.Equal(t, payment.Success, l.Last().Status)
	require.Equal(t, 1, l.Last().SendNumber, "no second key")
	l.Sound()
}

// A question asked meanwhile is no second send: a charge that is called off while its send hangs is over as soon as
// that is refused, not after the provider's window.
func TestCharge_LateRefusalAfterLookUp(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Monthly(1000))
	hung := &slow{Provider: l.Provider}
	l.Payments.Gateway = scene.Gateway{Only: hung}
	hung.meanwhile = func() {
		l.Clock.Add(time.Second)
		txn := l.Snap.Live.TransactionID
		require.Nil(t, l.Command(life.CancelNow("")).Refusal)
		out, err := l.Payments.Charge(t.Context(),
			contract.ResolveInput{EnvironmentID: l.Env, TransactionID: txn, Now: l.Clock.Now()})
		require.NoError(t, err)
		require.Equal(t, payment.Pending, out.Status)
	}
	l.Until(scene.Start.AddDate(0, 1, 0).Add(time.Minute))

	require.Equal(t, payment.Canceled, l.Last().Status)
	calls, err := l.Store.Payments.ProviderCalls(t.Context(), l.Env, l.Last().ID)
	require.NoError(t, err)
	require.Len(t, calls, 2)
	require.Equal(t, []string{db.CallCharge, db.CallCancel}, []string{calls[0].Operation, calls[1].Operation})
	require.NotEmpty(t, calls[0].Key)
	require.Empty(t, calls[1].Key, "no key was sent")
	l.Sound()
}

func TestCharge_CallbackSettlesPendingCharge(t *testing.T) {
	t.Parallel()
	for outcome, want := range map[providers.Outcome]payment.Status{
		providers.Succeeded: payment.Success, providers.Declined: payment.Declined, providers.Failed: payment.Failed,
	} {
		t.Run(string(outcome), func(t *testing.T) {
			t.Parallel()
			l := life.Answering(t, scene.Pend)
			txn := l.Last()
			require.Equal(t, payment.Pending, txn.Status)
			require.Contains(t, l.Events(), "payment.pending")
			l.Provider.Settle(txn.ID, outcome)
			out := l.CheckAsked(txn.ID)
			require.Equal(t, want, out.Status)
			require.Nil(t, l.Snap.Live)
			l.Sound()
		})
	}
}

// A bank changes its mind: the failed attempt did take the money after all.
func TestCharge_LateSuccessOfFailedAttemptSettles(t *testing.T) {
	t.Parallel()
	l := life.Answering(t, scene.Decline)
	txn := l.Last()
	require.Equal(t, payment.Declined, txn.Status)
	l.Until(l.Clock.Now().Add(time.Hour))
	l.Provider.Settle(txn.ID, providers.Succeeded)
	out := l.CheckAsked(txn.ID)
	require.Equal(t, payment.Success, out.Status)
	require.Equal(t, subscription.ActionRenewal, l.Snap.NextAction, "the retry is called off")
	require.Equal(t, invoice.Paid, l.Invoices()[1].Status)
	l.Until(scene.Start.AddDate(0, 1, 20))
	require.Len(t, l.Transactions(), 2)
	l.Sound()
}

// Two attempts of one invoice both take the money: the first to be recorded counts, the other is refunded
// automatically.
func TestCharge_SecondSuccessIsRefunded(t *testing.T) {
	t.Parallel()
	l := life.Answering(t, scene.Decline, scene.Capture)
	first := l.Last()
	l.Until(l.Clock.Now().Add(life.Day))
	second := l.Last()
	require.Equal(t, payment.Success, second.Status)
	l.Provider.Settle(first.ID, providers.Succeeded)
	require.Equal(t, payment.Success, l.CheckAsked(first.ID).Status)

	refunds := l.Refunds()
	require.Len(t, refunds, 1)
	require.Equal(t, payment.Refunded, refunds[0].Status)
	require.Equal(t, first.ID, refunds[0].ChargeID)
	require.Equal(t, money.Minor(1000), refunds[0].Amount)
	settlement, err := l.Store.Payments.Settlement(t.Context(), l.Env, second.InvoiceID)
	require.NoError(t, err)
	require.Equal(t, second.ID, settlement.TransactionID)
	require.Empty(t, l.Started.Take())
	l.Sound()
}

// The first attempt succeeds late, while the second is under way: that one is called off where that is possible, and
// given back where it is not.
func TestCharge_LateSuccessCancelsLiveAttempt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		meanwhile providers.Outcome
		want      payment.Status
		refunds   int
	}{
		"in time":  {"", payment.Canceled, 0},
		"too late": {providers.Succeeded, payment.Success, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := life.Answering(t, scene.Decline, scene.Pend)
			first := l.Last()
			l.Until(l.Clock.Now().Add(life.Day))
			second := l.Last()
			require.Equal(t, payment.Pending, second.Status)
			l.Provider.Settle(first.ID, providers.Succeeded)
			if c.meanwhile != "" {
				l.Provider.Settle(second.ID, c.meanwhile)
			}
			l.CheckAsked(first.ID)
			require.Equal(t, invoice.Paid, l.Invoices()[1].Status)
			l.Until(l.Clock.Now().Add(time.Minute))
			got, err := l.Store.Payments.Transaction(t.Context(), l.Env, second.ID)
			require.NoError(t, err)
			require.Equal(t, c.want, got.Status)
			require.Len(t, l.Refunds(), c.refunds)
			l.Sound()
		})
	}
}

func TestCharge_CaptureOnCanceledChargeIsRecordedOnce(t *testing.T) {
	t.Parallel()
	l := life.Answering(t, scene.Pend)
	txn := l.Last()
	l.Perform(life.Command{Name: contract.CommandCancel, Reason: "enough", ImmediateEffect: true})
	canceled := l.Last()
	require.Equal(t, payment.Canceled, canceled.Status)
	require.True(t, l.Snap.Finished)

	l.Provider.Settle(txn.ID, providers.Succeeded)
	for range 2 {
		l.CheckAsked(txn.ID)
	}
	var recovered []payment.Transaction
	for _, x := range l.Transactions() {
		if x.RecoveredFrom != "" {
			recovered = append(recovered, x)
		}
	}
	require.Len(t, recovered, 1)
	require.Equal(t, txn.ID, recovered[0].RecoveredFrom)
	require.Equal(t, payment.Success, recovered[0].Status)
	require.Equal(t, invoice.Paid, l.Invoices()[1].Status, "what was owed is paid")
	require.Equal(t, subscription.Canceled, l.Sub().Status)
	l.Sound()
}

func TestCharge_OtherAmountNeedsReview(t *testing.T) {
	t.Parallel()
	l := life.Answering(t, scene.Mischarge)
	txn := l.Last()
	require.Equal(t, payment.Pending, txn.Status)
	require.False(t, txn.ParkedAt.IsZero())
	require.Nil(t, l.Snap.Live, "nobody asks again by itself")
	require.Equal(t, invoice.Open, l.Invoices()[1].Status)
	require.Contains(t, l.Events(), "payment.needs_review")
	require.NotEmpty(t, txn.ProviderRef, "who looks into it needs the reference")
	require.Contains(t, txn.FailureReason, "needs review: amount_mismatch")
	before := l.Events()
	other := l.Plan(t, scene.Monthly(2000)).ID
	for _, c := range []life.Command{{Name: contract.CommandPay}, {Name: contract.CommandChangePlan, PlanID: other}} {
		refusal := l.Command(c).Refusal
		require.Equal(t, "payment_needs_review", refusal.Code, c.Name)
		require.Contains(t, refusal.Detail, txn.ID)
		require.Zero(t, refusal.RetryAfter, "time alone decides nothing")
	}
	out := l.CheckAsked(txn.ID)
	require.True(t, out.Parked)
	require.Equal(t, before, l.Events(), "the same news a second time are none")
}

func TestRefund_FailedRefundCanBeRetried(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Monthly(1000))
	l.Provider.RefundScript = func(int, providers.RefundRequest) scene.Answer { return scene.Decline }
	l.Clock.Set(scene.Start.AddDate(0, 0, 10))
	l.Perform(life.Command{Name: contract.CommandCancel, ImmediateEffect: true, Refund: "prorated"})
	refunds := l.Refunds()
	require.Len(t, refunds, 1)
	require.Equal(t, payment.Failed, refunds[0].Status)
	charge, err := l.Store.Payments.Transaction(t.Context(), l.Env, refunds[0].ChargeID)
	require.NoError(t, err)
	require.Zero(t, charge.AmountRefunded)
	require.Contains(t, l.Events(), "payment.refund_failed")
	l.Sound()
}

// A refund that failed and went through after all takes its place in the charge again.
func TestRefund_LateSuccessCounts(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Monthly(1000))
	l.Provider.RefundScript = func(int, providers.RefundRequest) scene.Answer { return scene.Decline }
	l.Clock.Set(scene.Start.AddDate(0, 0, 10))
	l.Perform(life.Command{Name: contract.CommandCancel, ImmediateEffect: true, Refund: "prorated"})
	refund := l.Refunds()[0]
	require.Equal(t, payment.Failed, refund.Status)
	l.Provider.Settle(refund.ID, providers.Succeeded)
	require.Equal(t, payment.Refunded, l.CheckAsked(refund.ID).Status)
	charge, err := l.Store.Payments.Transaction(t.Context(), l.Env, refund.ChargeID)
	require.NoError(t, err)
	require.Equal(t, refund.Amount, charge.AmountRefunded)
}

// The attempt that a late success made superfluous is called off, also where the next invoice is charged at once.
func TestCharge_SuperfluousAttemptIsResolved(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Every(period.Day, 100))
	answers := map[int]scene.Answer{2: scene.Decline, 3: scene.Pend, 4: scene.Pend}
	l.Provider.Script = func(n int, _ providers.ChargeRequest) scene.Answer { return answers[n] }
	l.Until(scene.Start.Add(2*life.Day + time.Second)) // the second invoice was declined and is retried, the third waits
	all := l.Transactions()
	declined, superfluous := all[1], all[2]
	require.Equal(t, []payment.Status{payment.Success, payment.Declined, payment.Pending}, life.Statuses(all))
	l.Provider.Settle(declined.ID, providers.Succeeded)
	l.CheckAsked(declined.ID)
	l.Until(l.Clock.Now().Add(time.Hour))
	require.Equal(t, []payment.Status{payment.Success, payment.Success, payment.Canceled, payment.Pending},
		life.Statuses(l.Transactions()))
	require.Equal(t, superfluous.ID, l.Transactions()[2].ID)
	l.Sound()
}

func TestCharge_UnknownTransactionEndsAtOnce(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	out, err := s.Payments.Charge(t.Context(), contract.ResolveInput{
		EnvironmentID: s.Env, TransactionID: id.New(id.Transaction, s.Clock.Now()), Asked: true,
	})
	require.NoError(t, err)
	require.Equal(t, contract.ResolveOutput{Status: "absent"}, out)
}
