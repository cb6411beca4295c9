package api

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/api/httpkit"
	"perennial/billing/payment"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/engine"
)

func (b *bench) charge(t *testing.T, customerID string, headers ...string) response {
	t.Helper()
	return b.ask(t, b.test, "POST", "/api/payments", map[string]any{"customerId": customerID, "amount": 500, "currency": "USD"}, headers...)
}

// settle makes a pending transaction a success, as its workflow would.
func (b *bench) settle(t *testing.T, transactionID string) {
	t.Helper()
	b.write(t, func(ctx context.Context, tx *db.Tx) error {
		txn, err := tx.LockTransaction(ctx, b.test.environmentID, transactionID)
		if err != nil {
			return err
		}
		txn.Status, txn.CompletedAt, txn.ProviderRef = payment.Success, b.clock(), "pi_"+transactionID
		return tx.SaveTransaction(ctx, b.test.environmentID, txn)
	})
}

func TestAChargeIsRecordedBeforeItIsMade(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	cust := b.newCustomer(t, b.test)
	got := as[Payment](t, http.StatusCreated, b.charge(t, cust.ID))
	require.Equal(t, Payment{
		ID: got.ID, Type: "charge", Status: "pending", CustomerID: cust.ID, Amount: 500, Currency: "USD", Provider: "stripe", CreatedAt: got.CreatedAt,
	}, got)
	require.Equal(t, []contract.PaymentInput{{Ref: contract.Ref{EnvironmentID: b.test.environmentID, ID: got.ID}}}, b.engine.payments)
	events := as[httpkit.List[Event]](t, 200, b.ask(t, b.test, "GET", "/api/events?type=payment.pending", nil))
	require.Len(t, events.Data, 1)
	require.Equal(t, got.ID, events.Data[0].Data["id"])
}

func TestAChargeThatCannotBeMadeHasFailed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	cust := as[Customer](t, 201, b.ask(t, b.test, "POST", "/api/customers", `{"email":"a@example.com"}`))
	got := as[Payment](t, http.StatusCreated, b.charge(t, cust.ID))
	require.Equal(t, "failed", got.Status)
	require.Equal(t, "INVALID_ACCOUNT", got.FailureCode)
	require.NotZero(t, got.CompletedAt)
	require.Empty(t, b.engine.payments)
	require.Len(t, as[httpkit.List[Event]](t, 200, b.ask(t, b.test, "GET", "/api/events?type=payment.failed", nil)).Data, 1)
}

func TestAPaymentStandsThoughTheEngineIsAway(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	cust := b.newCustomer(t, b.test)
	b.engine.onPayment = func(context.Context, contract.PaymentInput) error { return engine.ErrUnavailable }
	got := as[Payment](t, http.StatusCreated, b.charge(t, cust.ID))
	require.Equal(t, 1, b.count(t, "select count(*) from transactions where id = $1 and started_epoch = 0", got.ID))
}

func TestPreferWaitKeepsTheAnswerBack(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	cust := b.newCustomer(t, b.test)
	b.engine.onPayment = func(_ context.Context, in contract.PaymentInput) error {
		b.settle(t, in.Ref.ID)
		return nil
	}
	answer := b.charge(t, cust.ID, "Prefer", "respond-async, wait=10", "Idempotency-Key", "k")
	require.Equal(t, "success", as[Payment](t, http.StatusCreated, answer).Status)
	require.Equal(t, "wait=10", answer.Header.Get("Preference-Applied"))

	again := b.charge(t, cust.ID, "Idempotency-Key", "k")
	require.Equal(t, "pending", as[Payment](t, http.StatusCreated, again).Status, "what was committed with the payment is what is stored")

	problem(t, 400, "header_malformed", "Prefer", b.charge(t, cust.ID, "Prefer", "wait=soon"))
}

func TestASubscriptionsPaymentIsACommand(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.newSubscription(t, b.test)
	txn := as[Payment](t, 201, b.charge(t, sub.CustomerID))
	b.engine.onCommand = func(_ context.Context, _ contract.SubscriptionStart, cmd contract.Command) (contract.CommandResult, error) {
		return contract.CommandResult{TransactionID: txn.ID}, nil
	}
	got := as[Payment](t, 201, b.ask(t, b.test, "POST", "/api/payments", map[string]any{"subscriptionId": sub.ID, "amount": 1900}, "Idempotency-Key", "k"))
	require.Equal(t, txn.ID, got.ID)
	cmd := b.engine.commands[0]
	require.Equal(t, contract.CommandPay, cmd.Name)
	require.EqualValues(t, 1900, *cmd.Amount)
	require.Equal(t, &contract.IdempotencyRef{Route: "POST /payments", Key: "k"}, cmd.Idempotency)

	b.engine.onCommand = func(context.Context, contract.SubscriptionStart, contract.Command) (contract.CommandResult, error) {
		return contract.CommandResult{Refusal: &contract.Refusal{Kind: "conflict", Code: "nothing_to_pay", Detail: "nothing is open"}}, nil
	}
	problem(t, 409, "nothing_to_pay", "", b.ask(t, b.test, "POST", "/api/payments", map[string]any{"subscriptionId": sub.ID}))
}

// finish cancels a subscription for good, as its workflow's last activity does.
func (b *bench) finish(t *testing.T, subscriptionID string) {
	t.Helper()
	require.Equal(t, 200, b.ask(t, b.test, "POST", "/api/subscriptions/"+subscriptionID+"/cancel", `{"immediateEffect":true}`).Status)
	b.write(t, func(ctx context.Context, tx *db.Tx) error {
		loaded, err := tx.LoadSubscription(ctx, b.test.environmentID, subscriptionID, true)
		if err != nil {
			return err
		}
		loaded.Subscription.FinishedAt = b.clock()
		return tx.SaveSubscription(ctx, b.test.environmentID, loaded.Subscription)
	})
	b.engine.onCommand = func(context.Context, contract.SubscriptionStart, contract.Command) (contract.CommandResult, error) {
		return contract.CommandResult{}, contract.ErrFinished
	}
}

func TestWhatACanceledSubscriptionLeftOpenIsPaidByTheSameCommand(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.newSubscription(t, b.test)
	b.newInvoice(t, b.test, sub.ID)
	txn := as[Payment](t, 201, b.charge(t, sub.CustomerID))
	b.finish(t, sub.ID)
	b.engine.commands = nil
	b.engine.onCommand = func(_ context.Context, in contract.SubscriptionStart, _ contract.Command) (contract.CommandResult, error) {
		require.Equal(t, "canceled", in.Status)
		return contract.CommandResult{TransactionID: txn.ID}, nil
	}
	got := as[Payment](t, 201, b.ask(t, b.test, "POST", "/api/payments", map[string]any{"subscriptionId": sub.ID}))
	require.Equal(t, txn.ID, got.ID)
	require.Equal(t, contract.CommandPay, b.engine.commands[0].Name)
}

func TestNobodyCommandsAFinishedSubscription(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.newSubscription(t, b.test)
	b.finish(t, sub.ID)
	for _, path := range []string{"/cancel", "/reactivate"} {
		problem(t, 409, "subscription_canceled", "", b.ask(t, b.test, "POST", "/api/subscriptions/"+sub.ID+path, `{}`))
	}
}
