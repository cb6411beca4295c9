package api

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/payment"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/testkit/wait"
)

// askPayer lets a pending charge wait for its payer.
func (b *bench) askPayer(t *testing.T, chargeID string) {
	t.Helper()
	b.write(t, func(ctx context.Context, tx *db.Tx) error {
		txn, err := tx.Payments.LockTransaction(ctx, b.test.environmentID, chargeID)
		require.NoError(t, err)
		txn.FirstSentAt = b.clock()
		txn.Action = payment.Action{Token: confirmToken, URL: banksPage, ExpiresAt: b.clock().Add(time.Hour)}
		return tx.Payments.SaveTransaction(ctx, b.test.environmentID, txn)
	})
}

// A caller that waits for the first payment gets the payer's link as soon as the bank asks for the payer.
func TestCreateSubscription_PreferWaitEndsWithTheLink(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.config.PublicURL = "https://billing.example"
	b.Server = b.newServer(t)
	form := map[string]any{"customerId": b.newCustomer(t, b.test).ID, "planId": b.newPlan(t, b.test).ID}
	started := make(chan string, 1)
	b.engine.onStart = func(_ context.Context, in contract.SubscriptionStart) error {
		started <- in.Input.Ref.ID
		return nil
	}
	answered := make(chan response, 1)
	r := b.request(t, "POST", "/api/subscriptions", form, "Prefer", "wait=30", "Authorization", "Bearer "+b.test.key)
	begun := time.Now()
	go func() { answered <- b.serve(r) }()
	attempt := b.begin(t, <-started)
	b.askPayer(t, attempt)

	sub := as[Subscription](t, 201, <-answered)

	require.Less(t, time.Since(begun), 20*time.Second)
	require.Zero(t, sub.PaidThrough)
	latest := sub.LatestInvoice
	require.Equal(t, [2]any{"open", latest.Total}, [2]any{latest.Status, latest.AmountDue})
	require.Equal(t, attempt, latest.Payment.ID)
	require.True(t, latest.Payment.RequiresAction)
	require.Equal(t, "https://billing.example/confirm/"+confirmToken, latest.Payment.ConfirmURL)
	path := "/api/subscriptions/" + sub.ID
	require.Nil(t, as[Subscription](t, 200, b.ask(t, b.test, "GET", path, nil)).LatestInvoice)
	shown := as[Subscription](t, 200, b.ask(t, b.test, "GET", path+"?expand=latestInvoice", nil)).LatestInvoice
	require.Equal(t, latest, shown)
	problem(t, 422, "value_unknown", "expand", b.ask(t, b.test, "GET", path+"?expand=customer", nil))
	trial := b.newSubscription(t, b.test)
	require.Nil(t, as[Subscription](t, 200,
		b.ask(t, b.test, "GET", "/api/subscriptions/"+trial.ID+"?expand=latestInvoice", nil)).LatestInvoice)
}

// A change answers with the invoice that it made, and with Prefer: wait with what became of its payment.
func TestUpdateSubscription_AnswersWithItsInvoice(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	team := as[Plan](t, 201, b.ask(t, b.test, "POST", "/api/plans",
		`{"name":"Team","currency":"USD","interval":"month","prices":[{"model":"per_unit","unitAmount":"1000"}]}`))
	sub := as[Subscription](t, 201, b.ask(t, b.test, "POST", "/api/subscriptions",
		map[string]any{"customerId": b.newCustomer(t, b.test).ID, "planId": team.ID}))
	b.succeed(t, b.begin(t, sub.ID))
	path := "/api/subscriptions/" + sub.ID

	more := as[Subscription](t, 200, b.ask(t, b.test, "PATCH", path, `{"quantity":3}`))
	made := more.LatestInvoice
	require.Equal(t, "open", made.Status)
	require.Equal(t, made.AmountDue, made.Payment.Amount)
	require.Equal(t, "pending", made.Payment.Status)
	b.succeed(t, made.Payment.ID)
	none := as[Subscription](t, 200, b.ask(t, b.test, "PATCH", path, `{"quantity":2,"effective":"period_end"}`))
	require.Nil(t, none.LatestInvoice, "it bills nothing now")

	answered := make(chan response, 1)
	r := b.request(t, "PATCH", path, `{"quantity":5}`, "Prefer", "wait=30", "Authorization", "Bearer "+b.test.key)
	go func() { answered <- b.serve(r) }()
	var attempt Payment
	require.Eventually(t, func() bool {
		pending := as[struct{ Data []Payment }](t, 200, b.ask(t, b.test, "GET", "/api/payments?status=pending", nil)).Data
		if len(pending) == 1 {
			attempt = pending[0]
		}
		return len(pending) == 1
	}, wait.Patience, 10*time.Millisecond)
	b.succeed(t, attempt.ID)
	paid := as[Subscription](t, 200, <-answered).LatestInvoice
	require.Equal(t, [2]string{"paid", "success"}, [2]string{paid.Status, paid.Payment.Status})
	require.Equal(t, attempt.InvoiceID, paid.ID)
}
