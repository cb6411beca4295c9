package activities_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/activities"
	"perennial/billing/collection"
	"perennial/billing/payment"
	"perennial/billing/period"
	"perennial/billing/testclock"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/id"
	"perennial/providers"
	"perennial/test/scene"
)

// onOldClock subscribes a customer whose clock stands a year behind real time.
func onOldClock(t *testing.T) *life {
	t.Helper()
	s := scene.New(t)
	clock := testclock.Clock{
		ID: id.New(id.TestClock, scene.Start), Status: testclock.Ready, NowAt: scene.Start, Revision: 1,
		CreatedAt: scene.Start,
	}
	s.InTx(t, func(tx *db.Tx) error { return tx.InsertTestClock(t.Context(), s.Env, clock) })
	s.Clock.Set(scene.Start.AddDate(1, 0, 0))
	l := &life{Scene: s, t: t, customer: s.Customer(t, clock.ID)}
	l.ref = s.SubscribeAt(t, l.customer, s.Plan(t, scene.Monthly(1000)), scene.Start)
	l.reload()
	return l
}

// own inserts a charge without a subscription, as the API does.
func (l *life) own(t *testing.T) payment.Transaction {
	t.Helper()
	now := l.Clock.Now()
	if l.customer.TestClockID != "" {
		now = scene.Start // where the clock stands
	}
	txn := payment.NewCharge(payment.NewChargeInput{
		ID: id.New(id.Transaction, l.Clock.Now()), Customer: l.customer, Amount: 5, Currency: "EUR",
		Trigger: collection.Manual, HasProvider: true, Due: now, Now: now,
		Real: l.Clock.Now(), Virtual: l.customer.TestClockID != "",
	})
	l.InTx(t, func(tx *db.Tx) error { return tx.InsertTransaction(t.Context(), l.Env, txn) })
	return txn
}

// charge calls Charge as a workflow of the transaction's own does: without a time.
func (l *life) charge(t *testing.T, txnID string) {
	t.Helper()
	_, err := l.Payments.Charge(t.Context(), contract.ResolveInput{EnvironmentID: l.Env, TransactionID: txnID})
	require.NoError(t, err)
}

func TestCharge_RefundKeepsTimeOfTestClock(t *testing.T) {
	t.Parallel()
	l := onOldClock(t)
	l.Provider.Script = func(n int, _ providers.ChargeRequest) scene.Answer {
		if n == 1 {
			return scene.Decline
		}
		return scene.Capture
	}
	snap, err := l.Subscriptions.Advance(t.Context(), contract.AdvanceInput{Ref: l.ref, Now: scene.Start})
	require.NoError(t, err)
	declined := snap.Live.TransactionID
	l.charge(t, declined)
	paid := l.command(command{Name: contract.CommandPay})
	require.Nil(t, paid.Refusal)
	l.charge(t, paid.TransactionID)
	l.Provider.Settle(declined, providers.Succeeded)
	_, err = l.Payments.Charge(t.Context(), contract.ResolveInput{
		EnvironmentID: l.Env, TransactionID: declined, Asked: true,
	})
	require.NoError(t, err)
	refunds := l.Started.Take()
	require.Len(t, refunds, 1)

	l.charge(t, refunds[0].ID)

	require.Len(t, l.invoices(), 1, "the clock stands still, so nothing else is due")
	refund, err := l.Store.Transaction(t.Context(), l.Env, refunds[0].ID)
	require.NoError(t, err)
	require.Equal(t, payment.Refunded, refund.Status)
	require.Equal(t, scene.Start, refund.CompletedAt)
}

func TestCharge_StandaloneChargeUsesCustomersClock(t *testing.T) {
	t.Parallel()
	l := onOldClock(t)
	txn := l.own(t)

	l.charge(t, txn.ID)

	got, err := l.Store.Transaction(t.Context(), l.Env, txn.ID)
	require.NoError(t, err)
	require.Equal(t, payment.Success, got.Status)
	require.Equal(t, scene.Start, got.CompletedAt)
}

func TestCharge_ErasedCustomersChargeIsLookedUp(t *testing.T) {
	t.Parallel()
	l := begin(t, scene.New(t), scene.Monthly(0))
	l.Provider.Script = func(int, providers.ChargeRequest) scene.Answer { return scene.Silent }
	txn := l.own(t)
	l.charge(t, txn.ID)
	l.InTx(t, func(tx *db.Tx) error { return tx.EraseCustomer(t.Context(), l.Env, l.customer.ID) })
	l.Clock.Add(time.Minute)

	l.charge(t, txn.ID)

	got, err := l.Store.Transaction(t.Context(), l.Env, txn.ID)
	require.NoError(t, err)
	require.Equal(t, payment.Success, got.Status, "the provider had taken it")
}

func TestChangePlan_RefusedWhenAmountTooLarge(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	s.Provider.Script = func(int, providers.ChargeRequest) scene.Answer { return scene.Decline }
	l := begin(t, s, scene.Monthly(999_999_999_999))
	yearly := s.Plan(t, scene.Every(period.Year, 999_999_999_999))
	s.Clock.Add(12 * time.Hour)

	out := l.command(command{Name: contract.CommandChangePlan, PlanID: yearly.ID})

	require.NotNil(t, out.Refusal)
	require.Equal(t, "amount_too_large", out.Refusal.Code)
}

// What a provider says about a person who was erased while it was asked is not written down.
func TestCharge_ResponseAboutErasedCustomerIsDropped(t *testing.T) {
	t.Parallel()
	l := begin(t, scene.New(t), scene.Monthly(0))
	l.Provider.Script = func(int, providers.ChargeRequest) scene.Answer { return scene.Decline }
	l.Provider.During = func(string, string) {
		l.InTx(t, func(tx *db.Tx) error { return tx.EraseCustomer(t.Context(), l.Env, l.customer.ID) })
	}
	txn := l.own(t)
	l.charge(t, txn.ID)

	got, err := l.Store.Transaction(t.Context(), l.Env, txn.ID)
	require.NoError(t, err)
	require.Equal(t, payment.Declined, got.Status)
	require.Equal(t, "The provider gave no reason.", got.FailureReason)
	require.Nil(t, got.ProviderResponse)
	calls, err := l.Store.ProviderCalls(t.Context(), l.Env, txn.ID)
	require.NoError(t, err)
	require.Len(t, calls, 1)
	require.Nil(t, calls[0].Response)
	var told string
	require.NoError(t, l.Pool.QueryRow(t.Context(),
		"select json_agg(data)::text from events where type = 'payment.failed'").Scan(&told))
	require.NotContains(t, told, "funds")
}

// word is a provider's message about a transaction, and count how many nobody has followed yet.
func word(t *testing.T, s *scene.Scene, txn payment.Transaction, ref string) (open func() int) {
	t.Helper()
	s.Provider.Settle(txn.ID, providers.Succeeded)
	s.InTx(t, func(tx *db.Tx) error {
		_, err := tx.InsertCallback(t.Context(), s.Env, db.Callback{
			ID: id.New(id.Callback, s.Clock.Now()), ProviderConfigID: s.Config.ID, ProviderEventID: "evt_1",
			Type: "payment_intent.succeeded", TransactionID: txn.ID, ProviderRef: ref, ReceivedAt: s.Clock.Now(),
		})
		return err
	})
	s.Clock.Add(time.Second)
	return func() int {
		refs, err := s.Store.OpenCallbacksBefore(t.Context(), s.Clock.Now().Add(time.Hour), 10)
		require.NoError(t, err)
		return len(refs)
	}
}

func TestCharge_CallbackOfLateCaptureStaysOpen(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	s.Provider.Script = func(int, providers.ChargeRequest) scene.Answer { return scene.Decline }
	l := begin(t, s, scene.Monthly(1000))
	txn := l.last()
	require.Equal(t, payment.Declined, txn.Status)
	open := word(t, s, txn, "")

	l.charge(t, txn.ID) // a repeat of an activity whose completion was lost: nobody told it of the callback
	require.Equal(t, 1, open())

	for _, silence := range []providers.Outcome{providers.Unknown, providers.NotFound} {
		s.Provider.LookupScript = func(providers.LookupRequest) (providers.Outcome, bool) { return silence, true }
		l.asked(txn.ID)
		require.Equal(t, 1, open(), "%s is no answer", silence)
	}
	s.Provider.LookupScript = nil
	l.asked(txn.ID)
	require.Zero(t, open())
	require.Equal(t, payment.Success, l.last().Status)
}

// A payment that counted as never arrived has no name at the provider in our books; the word of it brings the name.
func TestCharge_CallbackBringsProviderReference(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	s.Provider.Script = func(int, providers.ChargeRequest) scene.Answer { return scene.Lose }
	s.Provider.LookupScript = func(in providers.LookupRequest) (providers.Outcome, bool) {
		return providers.NotFound, in.Ref == ""
	}
	l := begin(t, s, scene.Monthly(1000))
	for i := 0; l.last().Status == payment.Pending; i++ {
		require.Less(t, i, 200, "absence is never proven")
		s.Clock.Set(l.last().NextCheckAt)
		l.charge(t, l.last().ID)
	}
	txn := l.last()
	require.Equal(t, payment.Failed, txn.Status)
	require.Empty(t, txn.ProviderRef)
	open := word(t, s, txn, "pi_"+txn.ID)
	l.asked(txn.ID)
	require.Zero(t, open())
	require.Equal(t, payment.Success, l.last().Status)
}

func TestReconcile_WakesEachOnce(t *testing.T) {
	t.Parallel()
	s, w := scene.New(t), &woken{}
	payer, p := s.Customer(t, ""), s.Plan(t, scene.Monthly(1000))
	for range 500 { // a full batch
		s.Subscribe(t, payer, p)
	}
	s.Clock.Add(2 * time.Minute)
	wakes := map[string]int{}
	for passes := 1; ; passes++ {
		w.did = nil
		r := &activities.Reconciler{Store: s.Worker, Clock: s.Clock.Now, Waker: w}
		found, err := r.Reconcile(t.Context())
		require.NoError(t, err)
		for _, did := range w.did {
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

// The word of a second operation under a transaction that has ended used to be marked processed without a look: the
// money that it had taken was lost, or, where the first one had failed, the success was.
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
		l := begin(t, s, scene.Monthly(1000))
		txn := l.last()
		require.Equal(t, status, txn.Status)
		open := word(t, s, txn, "pi_second")

		l.asked(txn.ID)

		require.Zero(t, open())
		got := l.last()
		require.Equal(t, payment.Success, got.Status)
		if first == scene.Capture {
			require.False(t, got.ParkedAt.IsZero(), "a person learns of it")
			require.Equal(t, txn.ProviderRef, got.ProviderRef)
			continue
		}
		require.Equal(t, "pi_second", got.ProviderRef)
	}
}
