package api

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/api/httpkit"
	"perennial/billing/answer"
	"perennial/billing/event"
	"perennial/billing/lifecycle"
	"perennial/billing/payment"
	"perennial/billing/recording"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/id"
	"perennial/service/engine"
)

func (b *bench) charge(t *testing.T, customerID string, headers ...string) response {
	t.Helper()
	return b.ask(t, b.test, "POST", "/api/payments",
		map[string]any{"customerId": customerID, "amount": 500, "currency": "USD"}, headers...)
}

// succeed makes a pending transaction a success, as its workflow would.
func (b *bench) succeed(t *testing.T, transactionID string) {
	t.Helper()
	b.answered(t, transactionID, answer.Answer{Outcome: answer.Succeeded, Ref: "pi_" + transactionID})
}

// decline ends a pending charge without money, as its workflow would.
func (b *bench) decline(t *testing.T, transactionID string) {
	t.Helper()
	b.answered(t, transactionID, answer.Answer{Outcome: answer.Declined, FailureCode: answer.DeclinedCode})
}

// answered records a provider's answer about the whole amount of a charge.
func (b *bench) answered(t *testing.T, transactionID string, answer answer.Answer) {
	t.Helper()
	b.write(t, func(ctx context.Context, tx *db.Tx) error {
		txn, err := b.store.Payments.Transaction(ctx, b.test.environmentID, transactionID)
		require.NoError(t, err)
		var state lifecycle.State
		if txn.SubscriptionID == "" {
			state, err = tx.Lifecycle.LockOwner(ctx, b.test.environmentID, txn)
			require.NoError(t, err)
		} else {
			state = b.state(ctx, t, tx, txn.SubscriptionID)
		}
		answer.Amount, answer.Currency = txn.Amount, txn.Currency
		txn.Provider, txn.ProviderConfigID = "stripe", b.test.providerID // as its send would note
		result := recording.Result{Transaction: txn, Move: payment.MoveSend, Answer: answer}
		state, _, changes, err := recording.Record(state, result, momentOf(tx))
		require.NoError(t, err)
		return tx.Lifecycle.Write(ctx, b.test.environmentID, state, changes)
	})
}

// newDebt is a subscription whose first invoice is open, because its first payment was declined.
func (b *bench) newDebt(t *testing.T) Subscription {
	t.Helper()
	sub := as[Subscription](t, http.StatusCreated, b.ask(t, b.test, "POST", "/api/subscriptions",
		map[string]any{"customerId": b.newCustomer(t, b.test).ID, "planId": b.newPlan(t, b.test).ID}))
	b.decline(t, b.begin(t, sub.ID))
	return as[Subscription](t, 200, b.ask(t, b.test, "GET", "/api/subscriptions/"+sub.ID, nil))
}

// begin opens the first period of a subscription, as its workflow would, and returns the attempt that this begins.
func (b *bench) begin(t *testing.T, subscriptionID string) (attempt string) {
	t.Helper()
	b.write(t, func(ctx context.Context, tx *db.Tx) error {
		state, changes, err := lifecycle.Advance(b.state(ctx, t, tx, subscriptionID), momentOf(tx))
		require.NoError(t, err)
		attempt = changes.Attempt
		return tx.Lifecycle.Write(ctx, b.test.environmentID, state, changes)
	})
	return attempt
}

func momentOf(tx *db.Tx) lifecycle.Moment {
	return lifecycle.Moment{Now: tx.Now, Real: tx.Real, IDs: id.Source{Now: tx.Real}}
}

func TestCreatePayment_RecordedBeforeSend(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	cust := b.newCustomer(t, b.test)
	got := as[Payment](t, http.StatusCreated, b.charge(t, cust.ID))
	require.Equal(t, Payment{
		ID: got.ID, Type: "charge", Status: "pending", CustomerID: cust.ID, Amount: 500, Currency: "USD",
		PaymentMethodID: cust.DefaultMethod, CreatedAt: got.CreatedAt,
	}, got)
	require.Equal(t, []contract.PaymentInput{{Ref: contract.Ref{EnvironmentID: b.test.environmentID, ID: got.ID}}},
		b.engine.payments)
	events := as[httpkit.List[Event]](t, 200, b.ask(t, b.test, "GET", "/api/events?type=payment.pending", nil))
	require.Len(t, events.Data, 1)
	require.Equal(t, got.ID, dataOf[event.PaymentPending](t, events.Data[0]).ID)
}

func TestCreatePayment_ImpossibleChargeFails(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	cust := as[Customer](t, 201, b.ask(t, b.test, "POST", "/api/customers", `{"email":"a@example.com"}`))
	got := as[Payment](t, http.StatusCreated, b.charge(t, cust.ID))
	require.Equal(t, "failed", got.Status)
	require.Equal(t, "INVALID_ACCOUNT", got.FailureCode)
	require.NotZero(t, got.CompletedAt)
	require.Empty(t, b.engine.payments)
	require.Len(t, as[httpkit.List[Event]](t, 200, b.ask(t, b.test, "GET", "/api/events?type=payment.failed", nil)).Data,
		1)
}

func TestCreatePayment_WithoutTemporal(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	cust := b.newCustomer(t, b.test)
	b.engine.onPayment = func(context.Context, contract.PaymentInput) error { return engine.ErrUnavailable }
	got := as[Payment](t, http.StatusCreated, b.charge(t, cust.ID))
	require.Equal(t, 1, b.count(t, "select count(*) from transactions where id = $1 and started_epoch = 0", got.ID))
}

func TestCreatePayment_PreferWait(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	cust := b.newCustomer(t, b.test)
	b.engine.onPayment = func(_ context.Context, in contract.PaymentInput) error {
		b.succeed(t, in.Ref.ID)
		return nil
	}
	answer := b.charge(t, cust.ID, "Prefer", "respond-async, wait=10", "Idempotency-Key", "k")
	require.Equal(t, "success", as[Payment](t, http.StatusCreated, answer).Status)
	require.Equal(t, "wait=10", answer.Header.Get("Preference-Applied"))

	problem(t, 400, "header_malformed", "Prefer", b.charge(t, cust.ID, "Prefer", "wait=soon"))
}

// A replayed answer shows the present state of the payment: a caller that repeats wants to know whether it was paid.
func TestCreatePayment_ReplayShowsCurrentState(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.newDebt(t)
	for name, form := range map[string]map[string]any{
		"a charge of its own":     {"customerId": sub.CustomerID, "amount": 500, "currency": "USD"},
		"a payment of an invoice": {"subscriptionId": sub.ID},
	} {
		pay := func(headers ...string) response {
			return b.ask(t, b.test, "POST", "/api/payments", form,
				append(headers, "Idempotency-Key", strings.ReplaceAll(name, " ", "-"))...)
		}
		first := as[Payment](t, 201, pay())
		require.Equal(t, "pending", first.Status, name)
		waited := pay("Prefer", "wait=1")
		require.Equal(t, "pending", as[Payment](t, 201, waited).Status, "it is not decided within the second")
		require.Equal(t, "wait=1", waited.Header.Get("Preference-Applied"), name)

		replayed := make(chan response, 1)
		go func() { replayed <- pay("Prefer", "wait=30") }()
		time.Sleep(100 * time.Millisecond)
		b.succeed(t, first.ID)
		again := <-replayed
		require.Equal(t, "success", as[Payment](t, 201, again).Status, name)
		require.Equal(t, "true", again.Header.Get("Idempotent-Replayed"), name)
		got := as[Payment](t, 201, pay())
		require.Equal(t, "success", got.Status, "also without waiting")
		require.Equal(t, first.ID, got.ID)
	}
}

func TestCreatePayment_ForSubscriptionIsACommand(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.newDebt(t)
	b.engine.woken = nil
	problem(t, 422, "amount_mismatch", "amount",
		b.ask(t, b.test, "POST", "/api/payments", map[string]any{"subscriptionId": sub.ID, "amount": 1899}))
	require.Empty(t, b.engine.woken)
	form := map[string]any{"subscriptionId": sub.ID, "amount": 1900}
	got := as[Payment](t, 201, b.ask(t, b.test, "POST", "/api/payments", form, "Idempotency-Key", "k"))
	require.EqualValues(t, 1900, got.Amount)
	require.Equal(t, "pending", got.Status)
	require.Equal(t, 2, got.AttemptNumber)
	require.Len(t, b.engine.woken, 1)
	require.Equal(t, contract.CommandPay, b.engine.woken[0].Signal)
	require.Empty(t, b.engine.payments, "the subscription's workflow collects its invoices")
	problem(t, 409, "payment_in_progress", "", b.ask(t, b.test, "POST", "/api/payments", form))
	b.succeed(t, got.ID)
	problem(t, 409, "nothing_to_pay", "", b.ask(t, b.test, "POST", "/api/payments", form))
}

// finish cancels a subscription for good.
func (b *bench) finish(t *testing.T, subscriptionID string) {
	t.Helper()
	require.Equal(t, 200, b.ask(t, b.test, "POST", "/api/subscriptions/"+subscriptionID+"/cancel",
		`{"immediateEffect":true}`).Status)
	row, err := b.store.Subscriptions.Get(t.Context(), b.test.environmentID, subscriptionID)
	require.NoError(t, err)
	require.False(t, row.FinishedAt.IsZero())
	b.awake(t, subscriptionID)
}

func TestCreatePayment_ForCanceledSubscription(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.newSubscription(t, b.test)
	invoiceID := b.newInvoice(t, b.test, sub.ID)
	b.finish(t, sub.ID)
	b.engine.woken = nil
	got := as[Payment](t, 201, b.ask(t, b.test, "POST", "/api/payments", map[string]any{"subscriptionId": sub.ID}))
	require.Equal(t, invoiceID, got.InvoiceID)
	require.Len(t, b.engine.woken, 1, "the workflow has ended and is started again")
	require.Equal(t, contract.CommandPay, b.engine.woken[0].Signal)
	row, err := b.store.Subscriptions.Get(t.Context(), b.test.environmentID, sub.ID)
	require.NoError(t, err)
	require.True(t, row.FinishedAt.IsZero(), "while the payment is pending there is something to do")
}

func TestCommand_FinishedSubscriptionIsRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.newSubscription(t, b.test)
	b.finish(t, sub.ID)
	for _, path := range []string{"/cancel", "/reactivate"} {
		problem(t, 409, "subscription_canceled", "", b.ask(t, b.test, "POST", "/api/subscriptions/"+sub.ID+path, `{}`))
	}
}
