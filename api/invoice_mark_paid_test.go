package api

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/api/httpkit"
)

// An invoice that was paid outside is paid once, however often the request is repeated, with a payment that is never
// sent and a record of the actor.
func TestMarkPaid_SettlesOnceAndIsKept(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub, in := b.overdue(t, b.clock().Add(time.Hour))
	path := "/api/invoices/" + in + "/mark-paid"
	problem(t, 422, "paid_in_future", "paidAt", b.ask(t, b.test, "POST", path,
		map[string]any{"method": "cash", "paidAt": b.clock().Add(time.Hour).Unix()}))
	problem(t, 422, "paid_before_invoice", "paidAt", b.ask(t, b.test, "POST", path,
		map[string]any{"method": "cash", "paidAt": 5}))
	came := b.clock().AddDate(0, -1, 0).Unix()
	form := map[string]any{
		"method": "bank_transfer", "reference": "2026-42", "note": "November's statement", "paidAt": came,
	}
	got := as[Invoice](t, 200, b.ask(t, b.test, "POST", path, form, "Idempotency-Key", "k"))
	require.Equal(t, [2]any{"paid", got.AmountDue}, [2]any{got.Status, got.AmountPaid})
	require.Zero(t, got.NextAttemptAt)
	require.Equal(t, got, as[Invoice](t, 200, b.ask(t, b.test, "POST", path, form, "Idempotency-Key", "k")))
	problem(t, 409, "invoice_not_open", "", b.ask(t, b.test, "POST", path, form))

	paid := as[httpkit.List[Payment]](t, 200,
		b.ask(t, b.test, "GET", "/v1/payments?status=success&invoiceId="+in, nil)).Data
	require.Len(t, paid, 1)
	require.Equal(t, [5]any{"charge", "external", "2026-42", got.AmountDue, came},
		[5]any{paid[0].Type, paid[0].Provider, paid[0].ProviderRef, paid[0].Amount, paid[0].CompletedAt})
	problem(t, 409, "payment_external", "", b.ask(t, b.test, "POST", "/api/payments/"+paid[0].ID+"/refund", nil))
	require.Equal(t, 1, b.count(t, `select count(*) from decisions where transaction_id = $1 and reason = 'paid_outside'
		and actor_kind = 'key' and note = 'November''s statement'`, paid[0].ID))
	require.Equal(t, 1, b.count(t, "select count(*) from settlements where invoice_id = $1 and transaction_id = $2", in,
		paid[0].ID))
	require.Equal(t, "active", as[Subscription](t, 200, b.ask(t, b.test, "GET", "/api/subscriptions/"+sub, nil)).Status)
}

// An invoice that was given up is paid by money that comes after all.
func TestMarkPaid_Uncollectible(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	_, in := b.overdue(t, b.clock().Add(time.Hour))
	given := as[Invoice](t, 200, b.ask(t, b.test, "POST", "/api/invoices/"+in+"/mark-uncollectible", nil))
	got := as[Invoice](
		t, 200, b.ask(t, b.test, "POST", "/api/invoices/"+in+"/mark-paid", map[string]any{"method": "cash"}),
	)
	require.Equal(t, [3]any{"paid", got.AmountDue, given.UncollectibleAt},
		[3]any{got.Status, got.AmountPaid, got.UncollectibleAt})
}
