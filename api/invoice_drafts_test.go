package api

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/api/httpkit"
	"perennial/billing/lifecycle"
	"perennial/db"
)

// renew opens the next period of a subscription whose first one is paid, as its workflow would when it begins.
func (b *bench) renew(t *testing.T) (sub Subscription) {
	t.Helper()
	sub = as[Subscription](t, http.StatusCreated, b.ask(t, b.test, "POST", "/api/subscriptions",
		map[string]any{"customerId": b.newCustomer(t, b.test).ID, "planId": b.newPlan(t, b.test).ID, "trialDays": 0}))
	b.succeed(t, b.begin(t, sub.ID))
	b.write(t, func(ctx context.Context, tx *db.Tx) error {
		state := b.state(ctx, t, tx, sub.ID)
		at := momentOf(tx)
		at.Now = state.Subscription.CurrentPeriod.End.Add(time.Second)
		state, changes, err := lifecycle.Advance(state, at)
		require.NoError(t, err)
		return tx.Lifecycle.Write(ctx, b.test.environmentID, state, changes)
	})
	return as[Subscription](t, 200, b.ask(t, b.test, "GET", "/api/subscriptions/"+sub.ID, nil))
}

// The invoice of a renewal is a draft for the grace of the settings. Changes of the subscription appear on it, it can
// be neither edited nor paid by hand, and it can be finalized early.
func TestInvoiceDrafts(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	settings := as[Settings](t, 200, b.ask(t, b.test, "PATCH", "/api/settings", `{"invoiceGraceMinutes":60}`))
	require.Equal(t, 60, settings.InvoiceGraceMinutes)
	problem(t, 422, "out_of_range", "invoiceGraceMinutes",
		b.ask(t, b.test, "PATCH", "/api/settings", `{"invoiceGraceMinutes":10081}`))
	sub := b.renew(t)
	require.Equal(t, [2]any{"finalize_invoice", sub.CurrentPeriodStart + 3600}, [2]any{sub.NextAction, sub.NextActionAt})
	drafts := as[httpkit.List[Invoice]](t, 200,
		b.ask(t, b.test, "GET", "/api/invoices?status=draft&subscriptionId="+sub.ID, nil))
	require.Len(t, drafts.Data, 1)
	draft := drafts.Data[0]
	require.Equal(t, [4]any{int64(0), sub.CurrentPeriodStart + 3600, int64(1900), "subscription_cycle"},
		[4]any{draft.Number, draft.FinalizesAt, draft.AmountDue, draft.Reason})
	path := "/api/invoices/" + draft.ID
	for _, refused := range []string{"pay", "void", "mark-uncollectible", "skip-retry"} {
		problem(t, 409, "invoice_is_draft", "", b.ask(t, b.test, "POST", path+"/"+refused, nil))
	}
	problem(t, 409, "invoice_is_draft", "", b.ask(t, b.test, "POST", path+"/mark-paid", `{"method":"cash"}`))
	problem(t, 409, "invoice_of_subscription", "", b.ask(t, b.test, "PATCH", path, `{"memo":"Thanks"}`))
	problem(t, 409, "invoice_of_subscription", "", b.ask(t, b.test, "DELETE", path, nil))
	problem(t, 409, "subscription_invoice_draft", "", b.ask(t, b.test, "POST", "/api/subscriptions/"+sub.ID+"/pause", nil))

	final := as[Invoice](t, 200, b.ask(t, b.test, "POST", path+"/finalize", nil, "Idempotency-Key", "f"))

	require.Equal(t, [3]any{"open", draft.Total, draft.FinalizesAt},
		[3]any{final.Status, final.AmountDue, final.FinalizesAt})
	require.NotZero(t, final.Number)
	require.Equal(t, draft.Lines, final.Lines)
	require.Equal(t, final, as[Invoice](t, 200, b.ask(t, b.test, "POST", path+"/finalize", nil, "Idempotency-Key", "f")))
	problem(t, 409, "invoice_not_draft", "", b.ask(t, b.test, "POST", path+"/finalize", nil))
	paid := as[httpkit.List[Payment]](t, 200,
		b.ask(t, b.test, "GET", "/api/payments?subscriptionId="+sub.ID+"&status=pending", nil))
	require.Len(t, paid.Data, 1)
	require.Equal(t, draft.ID, paid.Data[0].InvoiceID, "it is charged as it would have been then")
}

// A draft that is issued late and taken in by what happens next is written in one transaction: issued, then void.
func TestInvoiceDrafts_IssuedAndTakenInAtOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	require.Equal(
		t, 60, as[Settings](
			t, 200, b.ask(t, b.test, "PATCH", "/api/settings", `{"invoiceGraceMinutes":60}`),
		).InvoiceGraceMinutes,
	)
	sub := b.renew(t)
	drafts := as[httpkit.List[Invoice]](t, 200,
		b.ask(t, b.test, "GET", "/api/invoices?status=draft&subscriptionId="+sub.ID, nil))

	b.write(t, func(ctx context.Context, tx *db.Tx) error {
		state := b.state(ctx, t, tx, sub.ID)
		require.NoError(t, tx.Lifecycle.LockCaptures(ctx, b.test.environmentID, &state))
		at := momentOf(tx)
		at.Now = state.Subscription.CurrentPeriod.Start.Add(2 * time.Hour)
		cancel := lifecycle.Cancel{Immediate: true, RefundUnused: true}
		state, changes, err := lifecycle.Apply(state, cancel, at)
		require.NoError(t, err)
		return tx.Lifecycle.Write(ctx, b.test.environmentID, state, changes)
	})

	was := as[Invoice](t, 200, b.ask(t, b.test, "GET", "/api/invoices/"+drafts.Data[0].ID, nil))
	require.Equal(t, "void", was.Status)
	require.NotZero(t, was.Number)
	require.NotEmpty(t, was.ReplacedBy)
}
