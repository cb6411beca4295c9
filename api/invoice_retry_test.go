package api

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// overdue is a subscription whose first attempt to pay has failed: a retry is scheduled.
func (b *bench) overdue(t *testing.T, at time.Time) (subscriptionID, invoiceID string) {
	t.Helper()
	sub := b.newSubscription(t, b.test)
	invoiceID = b.newInvoice(t, b.test, sub.ID)
	_, err := b.pool.Exec(t.Context(), `update invoices
		set phase = 'scheduled', attempts = 1, automatic_attempts = 1, retry_at = $2 where id = $1`, invoiceID, at)
	require.NoError(t, err)
	_, err = b.pool.Exec(t.Context(), `update subscriptions set status = 'active', trial_ends_at = null,
		trial_notice_at = null, next_period = 1, collecting_invoice_id = $2, next_action = 'payment_retry', next_action_at = $3
		where id = $1`, sub.ID, invoiceID, at)
	require.NoError(t, err)
	return sub.ID, invoiceID
}

func TestSkipRetry_ThenRetryNow(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	at := b.clock().Add(time.Hour).Truncate(time.Second)
	sub, in := b.overdue(t, at)

	got := as[Invoice](t, 200, b.ask(t, b.test, "POST", "/api/invoices/"+in+"/skip-retry", nil, "Idempotency-Key", "k"))
	require.GreaterOrEqual(t, got.NextAttemptAt, at.AddDate(0, 0, 2).Unix(), "the second gap after the skipped retry")
	require.Equal(t, 1, got.AttemptCount)
	again := as[Invoice](t, 200, b.ask(t, b.test, "POST", "/api/invoices/"+in+"/skip-retry", nil, "Idempotency-Key", "k"))
	require.Equal(t, got, again, "a repeat skips nothing more")
	require.Equal(
		t, got.NextAttemptAt, as[Subscription](t, 200, b.ask(t, b.test, "GET", "/api/subscriptions/"+sub, nil)).NextActionAt,
	)

	paid := as[Payment](t, 201, b.ask(t, b.test, "POST", "/api/invoices/"+in+"/retry", nil))
	require.Equal(t, "pending", paid.Status)
	require.Equal(t, in, paid.InvoiceID)
	require.Equal(t, 2, paid.AttemptNumber)
	problem(t, 409, "payment_in_progress", "", b.ask(t, b.test, "POST", "/api/invoices/"+in+"/skip-retry", nil))
	problem(t, 409, "payment_in_progress", "", b.ask(t, b.test, "POST", "/api/invoices/"+in+"/retry", nil))
	problem(t, 409, "collection_not_paused", "",
		b.ask(t, b.test, "POST", "/api/subscriptions/"+sub+"/resume-collection", nil))
}
