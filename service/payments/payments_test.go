package payments

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/payment"
	"perennial/db"
	"perennial/internal/id"
	"perennial/providers"
	"perennial/test/scene"
)

func TestChargeCustomer_IsStartedWherePending(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	in := NewCharge{CustomerID: h.Customer(t, "").ID, Amount: 700, Currency: "EUR"}
	txn, err := h.ChargeCustomer(t.Context(), h.caller, in, nil)
	require.NoError(t, err)
	require.Equal(t, payment.Pending, txn.Status)
	require.Equal(t, []db.Effect{db.StartPayment{EnvironmentID: h.Env, ID: txn.ID}}, h.dispatched.Effects)
}

func TestChargeCustomer_WithoutMethodHasFailedAndStartsNothing(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	c := h.Customer(t, "")
	h.SetMethod(t, c.ID, nil)
	txn, err := h.ChargeCustomer(t.Context(), h.caller, NewCharge{CustomerID: c.ID, Amount: 700, Currency: "EUR"}, nil)
	require.NoError(t, err)
	require.Equal(t, payment.Failed, txn.Status)
	require.Empty(t, h.dispatched.Effects)
}

// A message that says nothing new is stored as processed, and wakes no workflow.
func TestReceiveCallback_WithoutNewsIsStoredAndThatIsAll(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	txn, err := h.ChargeCustomer(t.Context(), h.caller,
		NewCharge{CustomerID: h.Customer(t, "").ID, Amount: 700, Currency: "EUR"}, nil)
	require.NoError(t, err)
	h.dispatched.Effects = nil
	change := func(with func(payment.Transaction) payment.Transaction) {
		h.InTx(t, func(tx *db.Tx) error {
			locked, err := tx.Payments.LockTransaction(t.Context(), h.Env, txn.ID)
			require.NoError(t, err)
			return tx.Payments.SaveTransaction(t.Context(), h.Env, with(locked))
		})
	}
	receive := func(event string, kind providers.Kind) (open, checks int) {
		message := providers.Callback{EventID: event, Type: event, Kind: kind, TransactionID: txn.ID, Ref: "pi_1"}
		require.NoError(t, h.ReceiveCallback(t.Context(), h.Config, message))
		checks, h.dispatched.Effects = len(h.dispatched.Effects), nil
		return h.count(t, "select count(*) from provider_callbacks where processed_at is null and type = $1", event), checks
	}
	expect := func(event string, kind providers.Kind, wantOpen, wantChecks int) {
		open, checks := receive(event, kind)
		require.Equal(t, []int{wantOpen, wantChecks}, []int{open, checks}, event)
	}

	change(func(t payment.Transaction) payment.Transaction { return payment.Protocol{}.Sending(t, h.Clock.Now()) })
	expect("created, in flight", providers.KindCreated, 1, 0)
	expect("succeeded, in flight", providers.KindSucceeded, 1, 0)
	expect("disputed, in flight", providers.KindDisputed, 1, 1)
	change(func(txn payment.Transaction) payment.Transaction {
		txn.ProviderRef = "pi_1"
		txn, err := txn.Close(payment.Success, h.Clock.Now())
		require.NoError(t, err)
		return txn
	})
	expect("created", providers.KindCreated, 0, 0)
	expect("succeeded", providers.KindSucceeded, 0, 0)
	expect("refunded", providers.KindRefunded, 1, 1)
	expect("unknown", providers.KindUnknown, 1, 1)

	h.InTx(t, func(tx *db.Tx) error { // what the answer says too is dealt with, although it came after the question
		return tx.Payments.MarkCallbacksProcessed(t.Context(), h.Env, txn.ID, db.LookedAt{At: h.Clock.Now().Add(-time.Hour)},
			payment.MessageCreated, payment.MessageSucceeded)
	})
	require.Equal(t, 3, h.count(t, "select count(*) from provider_callbacks where processed_at is null"))
	require.Zero(t, h.count(t,
		"select count(*) from provider_callbacks where processed_at is null and kind in ('created', 'succeeded')"))
}

func TestReceiveCallback_TellsTheOwnerAlsoOfRepeats(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	txn, err := h.ChargeCustomer(t.Context(), h.caller,
		NewCharge{CustomerID: h.Customer(t, "").ID, Amount: 700, Currency: "EUR"}, nil)
	require.NoError(t, err)
	h.dispatched.Effects = nil
	message := providers.Callback{EventID: "e1", Type: "charge.updated", TransactionID: txn.ID}
	for range 2 {
		require.NoError(t, h.ReceiveCallback(t.Context(), h.Config, message))
	}
	check := db.CheckTransaction{EnvironmentID: h.Env, ID: txn.ID}
	require.Equal(t, []db.Effect{check, check}, h.dispatched.Effects)
	require.Equal(t, 1, h.count(t, "select count(*) from provider_callbacks"))

	unknown := providers.Callback{
		EventID: "e2", Type: "charge.updated", TransactionID: id.New(id.Transaction, scene.Start), Ref: "pi_x",
	}
	require.NoError(t, h.ReceiveCallback(t.Context(), h.Config, unknown))
	require.Equal(t, 1,
		h.count(t, "select count(*) from provider_callbacks where lost_transaction_id = $1 and processed_at is null",
			unknown.TransactionID), "an id of ours that we do not have is kept: the database has lost it")
	require.Len(t, h.dispatched.Effects, 2, "a message about nothing of ours is stored and told to nobody")
	require.Equal(t, 2, h.count(t, "select count(*) from provider_callbacks"))
}
