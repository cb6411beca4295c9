package payments

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/billing/payment"
	"perennial/db"
	"perennial/internal/id"
	"perennial/service/usecase"
)

// inReview makes a charge of its own that needs review, in the status that shape gives it.
func (h *house) inReview(
	t *testing.T, reason string, shape func(payment.Transaction) payment.Transaction,
) payment.Transaction {
	t.Helper()
	txn, err := h.ChargeCustomer(t.Context(), h.caller,
		NewCharge{CustomerID: h.Customer(t, "").ID, Amount: 700, Currency: "EUR"}, nil)
	require.NoError(t, err)
	txn, news := shape(payment.Protocol{}.Sending(txn, h.Clock.Now())).NeedsReview(reason, "pi_2", h.Clock.Now())
	require.True(t, news)
	h.InTx(t, func(tx *db.Tx) error { return tx.Payments.SaveTransaction(t.Context(), h.Env, txn) })
	return txn
}

func TestResolvePayment(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	closed := func(status payment.Status) func(payment.Transaction) payment.Transaction {
		return func(txn payment.Transaction) payment.Transaction {
			txn, err := txn.Close(status, h.Clock.Now())
			require.NoError(t, err)
			return txn
		}
	}
	open := func(txn payment.Transaction) payment.Transaction { return txn }
	for name, c := range map[string]struct {
		reason   string
		shape    func(payment.Transaction) payment.Transaction
		decision payment.Decision
		want     payment.Status
		refusal  string
	}{
		"pending, it succeeded": {payment.ReviewAmountMismatch, open, payment.DecideSucceeded, payment.Success, ""},
		"pending, it failed":    {payment.ReviewAmountMismatch, open, payment.DecideFailed, payment.Failed, ""},
		"pending, given back":   {"provider_key_reused", open, payment.DecideReturned, payment.Failed, ""},
		"declined, it succeeded": {payment.ReviewAmountMismatch, closed(payment.Declined), payment.DecideSucceeded,
			payment.Success, ""},
		"canceled, given back": {payment.ReviewAmountMismatch, closed(payment.Canceled), payment.DecideReturned,
			payment.Canceled, ""},
		"taken twice, given back once": {
			payment.ReviewSecondCapture, closed(payment.Success), payment.DecideReturned, payment.Success, "",
		},
		"taken twice, and kept": {payment.ReviewSecondCapture, closed(payment.Success), payment.DecideSucceeded,
			payment.Success, "decision_impossible"},
		"success, it failed": {payment.ReviewAmountMismatch, closed(payment.Success), payment.DecideFailed,
			payment.Success, "decision_impossible"},
	} {
		txn := h.inReview(t, c.reason, c.shape)
		resolve := func() error {
			return h.ResolvePayment(t.Context(), h.caller, Resolution{txn.ID, c.decision, "asked the bank"},
				usecase.Around[payment.Transaction]{})
		}
		err := resolve()
		after, readErr := h.Service.Store.Payments.Transaction(t.Context(), h.Env, txn.ID)
		require.NoError(t, readErr)
		decisions, readErr := h.Service.Store.Payments.Decisions(t.Context(), h.Env, txn.ID)
		require.NoError(t, readErr)
		require.Equal(t, c.want, after.Status, name)
		if c.refusal != "" {
			require.Equal(t, c.refusal, fault.From(err).Code, name)
			require.False(t, after.ParkedAt.IsZero(), name)
			require.Empty(t, decisions, name)
			continue
		}
		require.NoError(t, err, name)
		require.True(t, after.ParkedAt.IsZero(), name)
		require.Len(t, decisions, 1, name)
		d := decisions[0]
		require.Equal(t, []string{c.reason, "pi_2", string(c.decision), "asked the bank", h.caller.Actor.ID()},
			[]string{d.Reason, d.ProviderRef, d.Outcome, d.Note, d.ActorID}, name)
		require.ErrorIs(t, resolve(), payment.ErrNotInReview, "%s: once", name)
	}
}

// A capture of a canceled charge comes back as a success of its own, and the canceled one leaves the review.
func TestResolvePayment_CanceledChargeThatWasCaptured(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	txn := h.inReview(t, payment.ReviewAmountMismatch, func(txn payment.Transaction) payment.Transaction {
		txn, err := txn.Close(payment.Canceled, h.Clock.Now())
		require.NoError(t, err)
		return txn
	})
	require.NoError(t, h.ResolvePayment(t.Context(), h.caller,
		Resolution{txn.ID, payment.DecideSucceeded, "seen at the provider"}, usecase.Around[payment.Transaction]{}))
	require.Equal(t, 1, h.count(t,
		"select count(*) from transactions where status = 'success' and recovered_from is not null and parked_at is null"))
	require.Zero(t, h.count(t, "select count(*) from transactions where parked_at is not null"))
	require.Equal(t, 1, h.count(t, "select count(*) from audit_log where object_id = $1 and changes::jsonb @> $2",
		txn.ID, `[{"field": "outcome", "after": "`+string(payment.DecideSucceeded)+`"}]`),
		"a terminal sends no body that tells")
}

func TestCloseCallback(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	lost := id.New(id.Transaction, h.Clock.Now())
	var first string
	for _, event := range []string{"e1", "e2"} {
		c := db.Callback{
			ID: id.New(id.Callback, h.Clock.Now()), ProviderConfigID: h.Config.ID, ProviderEventID: event,
			Type: "charge.succeeded", ProviderRef: "pi_1", LostTransactionID: lost, ReceivedAt: h.Clock.Now(),
		}
		h.InTx(t, func(tx *db.Tx) error { _, err := tx.Payments.InsertCallback(t.Context(), h.Env, c); return err })
		first = c.ID
	}
	require.Equal(t, "field_missing", fault.From(h.CloseCallback(t.Context(), h.caller, first, "")).Code)
	require.NoError(t, h.CloseCallback(t.Context(), h.caller, first, "refunded at the dashboard"))
	b, err := h.Service.Store.Reconcile.Backlog(t.Context(), h.Clock.Now(), time.Minute)
	require.NoError(t, err)
	require.Zero(t, b.Lost, "all about that payment")
	require.Equal(t, "callback_not_found", fault.From(h.CloseCallback(t.Context(), h.caller, first, "again")).Code)
	decisions, err := h.Service.Store.Payments.Decisions(t.Context(), h.Env, lost)
	require.NoError(t, err)
	require.Len(t, decisions, 1)
	require.Equal(t, [3]string{first, "closed", "refunded at the dashboard"},
		[3]string{decisions[0].CallbackID, decisions[0].Outcome, decisions[0].Note})
}
