package charging_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/activities/reconcile"
	"perennial/billing/payment"
	"perennial/billing/period"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/id"
	"perennial/providers"
	"perennial/test/life"
	"perennial/test/scene"
)

func TestCharge_RefundKeepsTimeOfTestClock(t *testing.T) {
	t.Parallel()
	l := life.OnOldClock(t)
	l.Provider.Script = func(n int, _ providers.ChargeRequest) scene.Answer {
		if n == 1 {
			return scene.Decline
		}
		return scene.Capture
	}
	snap, err := l.Subscriptions.Advance(t.Context(), contract.AdvanceInput{Ref: l.Ref, Now: scene.Start})
	require.NoError(t, err)
	declined := snap.Live.TransactionID
	l.Charge(t, declined)
	paid := l.Command(life.Command{Name: contract.CommandPay})
	require.Nil(t, paid.Refusal)
	l.Charge(t, paid.TransactionID)
	l.Provider.Settle(declined, providers.Succeeded)
	_, err = l.Payments.Charge(t.Context(), contract.ResolveInput{
		EnvironmentID: l.Env, TransactionID: declined, Asked: true,
	})
	require.NoError(t, err)
	refunds := l.Started.Take()
	require.Len(t, refunds, 1)

	l.Charge(t, refunds[0].ID)

	require.Len(t, l.Invoices(), 1, "the clock stands still, so nothing else is due")
	refund, err := l.Store.Payments.Transaction(t.Context(), l.Env, refunds[0].ID)
	require.NoError(t, err)
	require.Equal(t, payment.Refunded, refund.Status)
	require.Equal(t, scene.Start, refund.CompletedAt)
}

func TestCharge_StandaloneChargeUsesCustomersClock(t *testing.T) {
	t.Parallel()
	l := life.OnOldClock(t)
	txn := l.OwnCharge(t)

	l.Charge(t, txn.ID)

	got, err := l.Store.Payments.Transaction(t.Context(), l.Env, txn.ID)
	require.NoError(t, err)
	require.Equal(t, payment.Success, got.Status)
	require.Equal(t, scene.Start, got.CompletedAt)
}

func TestCharge_ErasedCustomersChargeIsLookedUp(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Monthly(0))
	l.Provider.Script = func(int, providers.ChargeRequest) scene.Answer { return scene.Silent }
	txn := l.OwnCharge(t)
	l.Charge(t, txn.ID)
	l.InTx(t, func(tx *db.Tx) error { return tx.Customers.Erase(t.Context(), l.Env, l.Payer.ID) })
	l.Clock.Add(time.Minute)

	l.Charge(t, txn.ID)

	got, err := l.Store.Payments.Transaction(t.Context(), l.Env, txn.ID)
	require.NoError(t, err)
	require.Equal(t, payment.Success, got.Status, "the provider had taken it")
}

func TestChangePlan_RefusedWhenAmountTooLarge(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	s.Provider.Script = func(int, providers.ChargeRequest) scene.Answer { return scene.Decline }
	l := life.Begin(t, s, scene.Monthly(999_999_999_999))
	yearly := s.Plan(t, scene.Every(period.Year, 999_999_999_999))
	s.Clock.Add(12 * time.Hour)

	out := l.Command(life.Command{Name: contract.CommandChangePlan, PlanID: yearly.ID})

	require.NotNil(t, out.Refusal)
	require.Equal(t, "amount_too_large", out.Refusal.Code)
}

// A provider's answer about a person is not written where the person was erased during the request.
func TestCharge_ResponseAboutErasedCustomerIsDropped(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Monthly(0))
	l.Provider.Script = func(int, providers.ChargeRequest) scene.Answer { return scene.Decline }
	l.Provider.During = func(string, string) {
		l.InTx(t, func(tx *db.Tx) error { return tx.Customers.Erase(t.Context(), l.Env, l.Payer.ID) })
	}
	txn := l.OwnCharge(t)
	l.Charge(t, txn.ID)

	got, err := l.Store.Payments.Transaction(t.Context(), l.Env, txn.ID)
	require.NoError(t, err)
	require.Equal(t, payment.Declined, got.Status)
	require.Equal(t, "The provider gave no reason.", got.FailureReason)
	require.Nil(t, got.ProviderResponse)
	calls, err := l.Store.Payments.ProviderCalls(t.Context(), l.Env, txn.ID)
	require.NoError(t, err)
	require.Len(t, calls, 1)
	require.Nil(t, calls[0].Response)
	var told string
	require.NoError(t, l.Pool.QueryRow(t.Context(),
		"select json_agg(data)::text from events where type = 'payment.failed'").Scan(&told))
	require.NotContains(t, told, "funds")
}

// word stores a provider's message about a transaction; open counts the unprocessed messages.
func word(t *testing.T, s *scene.Scene, txn payment.Transaction, ref string) (open func() int) {
	t.Helper()
	s.Provider.Settle(txn.ID, providers.Succeeded)
	s.InTx(t, func(tx *db.Tx) error {
		_, err := tx.Payments.InsertCallback(t.Context(), s.Env, db.Callback{
			ID: id.New(id.Callback, s.Clock.Now()), ProviderConfigID: s.Config.ID, ProviderEventID: "evt_1",
			Type: "payment_intent.succeeded", TransactionID: txn.ID, ProviderRef: ref, ReceivedAt: s.Clock.Now(),
		})
		return err
	})
	s.Clock.Add(time.Second)
	return func() int {
		refs, err := s.Store.Reconcile.OpenCallbacksBefore(t.Context(), s.Clock.Now().Add(time.Hour), 10)
		require.NoError(t, err)
		return len(refs)
	}
}

func TestCharge_CallbackOfLateCaptureStaysOpen(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	s.Provider.Script = func(int, providers.ChargeRequest) scene.Answer { return scene.Decline }
	l := life.Begin(t, s, scene.Monthly(1000))
	txn := l.Last()
	require.Equal(t, payment.Declined, txn.Status)
	open := word(t, s, txn, "")

	l.Charge(t, txn.ID) // a repeat of an activity whose completion was lost: it does not know of the callback
	require.Equal(t, 1, open())

	for _, silence := range []providers.Outcome{providers.Unknown, providers.NotFound} {
		s.Provider.LookupScript = func(providers.LookupRequest) (providers.Outcome, bool) { return silence, true }
		l.CheckAsked(txn.ID)
		require.Equal(t, 1, open(), "%s is no answer", silence)
	}
	s.Provider.LookupScript = nil
	l.CheckAsked(txn.ID)
	require.Zero(t, open())
	require.Equal(t, payment.Success, l.Last().Status)
}

// A payment that counted as never received has no provider reference; the callback brings one.
func TestCharge_CallbackBringsProviderReference(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	s.Provider.Script = func(int, providers.ChargeRequest) scene.Answer { return scene.Lose }
	s.Provider.LookupScript = func(in providers.LookupRequest) (providers.Outcome, bool) {
		return providers.NotFound, in.Ref == ""
	}
	l := life.Begin(t, s, scene.Monthly(1000))
	for i := 0; l.Last().Status == payment.Pending; i++ {
		require.Less(t, i, 200, "absence is never proven")
		s.Clock.Set(l.Last().NextCheckAt)
		l.Charge(t, l.Last().ID)
	}
	txn := l.Last()
	require.Equal(t, payment.Failed, txn.Status)
	require.Empty(t, txn.ProviderRef)
	open := word(t, s, txn, "pi_"+txn.ID)
	l.CheckAsked(txn.ID)
	require.Zero(t, open())
	require.Equal(t, payment.Success, l.Last().Status)
}

func TestReconcile_WakesEachOnce(t *testing.T) {
	t.Parallel()
	s, w := scene.New(t), &life.Waker{}
	payer, p := s.Customer(t, ""), s.Plan(t, scene.Monthly(1000))
	for range 500 { // a full batch
		s.Subscribe(t, payer, p)
	}
	s.Clock.Add(2 * time.Minute)
	wakes := map[string]int{}
	for passes := 1; ; passes++ {
		w.Did = nil
		r := &reconcile.Reconciler{Store: s.Worker, Clock: s.Clock.Now, Waker: w}
		found, err := r.Reconcile(t.Context())
		require.NoError(t, err)
		for _, did := range w.Did {
			wakes[did]++
		}
		if !found.More {
			require.LessOrEqual(t, passes, 3)
			break
		}
		require.Less(t, passes, 10, "a full batch of late ones asks for more for ever")
	}
	for what, n := range wakes {
		require.LessOrEqual(t, n, 3, "%s: %d times in one run", what, n)
	}
}

// A callback about a second operation of a transaction that has ended used to be marked processed without a look-up:
// money that the operation took was lost, or its success, where the first operation had failed.
func TestCharge_WordOfASecondOperation(t *testing.T) {
	t.Parallel()
	for first, status := range map[scene.Answer]payment.Status{
		scene.Capture: payment.Success, scene.Decline: payment.Declined,
	} {
		s := scene.New(t)
		s.Provider.Script = func(int, providers.ChargeRequest) scene.Answer { return first }
		s.Provider.LookupScript = func(in providers.LookupRequest) (providers.Outcome, bool) {
			return providers.Succeeded, in.Ref == "pi_second"
		}
		l := life.Begin(t, s, scene.Monthly(1000))
		txn := l.Last()
		require.Equal(t, status, txn.Status)
		open := word(t, s, txn, "pi_second")

		l.CheckAsked(txn.ID)

		require.Zero(t, open())
		got := l.Last()
		require.Equal(t, payment.Success, got.Status)
		if first == scene.Capture {
			require.False(t, got.ParkedAt.IsZero(), "a person learns of it")
			require.Equal(t, txn.ProviderRef, got.ProviderRef)
			continue
		}
		require.Equal(t, "pi_second", got.ProviderRef)
	}
}
