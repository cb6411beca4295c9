package api

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// seatPaid returns a subscription that has paid for one seat of 1000.
func (b *bench) seatPaid(t *testing.T) (sub Subscription, path string) {
	t.Helper()
	team := as[Plan](t, 201, b.ask(t, b.test, "POST", "/api/plans",
		`{"name":"Team","currency":"USD","interval":"month","prices":[{"model":"per_unit","unitAmount":"1000"}]}`))
	sub = as[Subscription](t, 201, b.ask(t, b.test, "POST", "/api/subscriptions",
		map[string]any{"customerId": b.newCustomer(t, b.test).ID, "planId": team.ID}))
	b.succeed(t, b.begin(t, sub.ID))
	return sub, "/api/subscriptions/" + sub.ID
}

// A change that waits for its payment is shown with its invoice, refuses others, and is made once it is paid.
func TestUpdateSubscription_WaitsForItsPayment(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub, path := b.seatPaid(t)
	preview := as[SubscriptionPreview](t, 200,
		b.ask(t, b.test, "POST", path+"/preview", `{"quantity":3,"paymentBehavior":"pending"}`))
	require.EqualValues(t, 1, preview.Subscription.Quantity)
	require.EqualValues(t, 3, preview.Subscription.PendingChange.Quantity)
	problem(t, 409, "preview_outdated", "", b.ask(t, b.test, "PATCH", path,
		map[string]any{"quantity": 3, "previewToken": preview.PreviewToken}))

	asked := as[Subscription](t, 200, b.ask(t, b.test, "PATCH", path,
		map[string]any{"quantity": 3, "paymentBehavior": "pending", "previewToken": preview.PreviewToken}))

	require.EqualValues(t, 1, asked.Quantity)
	waits := asked.PendingChange
	require.Equal(t, asked.LatestInvoice.ID, waits.InvoiceID)
	require.Equal(t, preview.Invoices[0].AmountDue, asked.LatestInvoice.AmountDue)
	require.Equal(t, []any{int64(3), ""}, []any{waits.Quantity, waits.PlanID})
	require.Greater(t, waits.ExpiresAt, sub.CreatedAt)
	require.Equal(t, "pending_change_end", asked.NextAction)
	problem(t, 409, "change_pending", "", b.ask(t, b.test, "PATCH", path, `{"quantity":4}`))
	problem(t, 409, "change_pending", "",
		b.ask(t, b.test, "POST", "/api/invoices/"+waits.InvoiceID+"/mark-uncollectible", `{}`))
	problem(t, 422, "fields_exclusive", "paymentBehavior",
		b.ask(t, b.test, "PATCH", path, `{"quantity":4,"paymentBehavior":"pending","effective":"period_end"}`))

	b.succeed(t, asked.LatestInvoice.Payment.ID)

	made := as[Subscription](t, 200, b.ask(t, b.test, "GET", path, nil))
	require.EqualValues(t, 3, made.Quantity)
	require.Nil(t, made.PendingChange)
}

// So does a move to another version of the plan, also by its preview and with metadata.
func TestUpdateSubscription_VersionWaitsForItsPayment(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub, path := b.seatPaid(t)
	as[Plan](t, 201, b.ask(t, b.test, "POST", "/api/plans/"+sub.PlanID+"/versions",
		`{"prices":[{"model":"per_unit","unitAmount":"4000"}]}`))
	problem(t, 422, "fields_exclusive", "paymentBehavior",
		b.ask(t, b.test, "PATCH", path, `{"planVersion":2,"paymentBehavior":"pending","effective":"period_end"}`))
	preview := as[SubscriptionPreview](t, 200,
		b.ask(t, b.test, "POST", path+"/preview", `{"planVersion":2,"paymentBehavior":"pending"}`))
	require.Equal(t, [2]int{1, 2}, [2]int{preview.Subscription.PlanVersion, preview.Subscription.PendingChange.PlanVersion})

	asked := as[Subscription](t, 200, b.ask(t, b.test, "PATCH", path, map[string]any{
		"planVersion": 2, "paymentBehavior": "pending", "metadata": map[string]any{"a": 1}, "previewToken": preview.PreviewToken,
	}))

	require.Equal(t, 1, asked.PlanVersion)
	require.Equal(t, sub.PlanID, asked.PendingChange.PlanID)
	require.Len(t, asked.Metadata, 1)
	b.succeed(t, asked.LatestInvoice.Payment.ID)
	made := as[Subscription](t, 200, b.ask(t, b.test, "GET", path, nil))
	require.Equal(t, 2, made.PlanVersion)
	require.Nil(t, made.PendingChange)
}

// A change that waits is withdrawn with its invoice, and what it changed is nothing.
func TestWithdrawScheduledChange_ThatWaitsForItsPayment(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	_, path := b.seatPaid(t)
	asked := as[Subscription](t, 200, b.ask(t, b.test, "PATCH", path, `{"quantity":3,"paymentBehavior":"pending"}`))
	b.decline(t, asked.LatestInvoice.Payment.ID)

	left := as[Subscription](t, 200,
		b.ask(t, b.test, "DELETE", path+"/scheduled-changes/"+asked.PendingChange.ID, nil))

	require.Nil(t, left.PendingChange)
	require.EqualValues(t, 1, left.Quantity)
	gone := as[Invoice](t, 200, b.ask(t, b.test, "GET", "/api/invoices/"+asked.LatestInvoice.ID, nil))
	require.Equal(t, []string{"void", ""}, []string{gone.Status, gone.ReplacedBy})
	again := as[Subscription](t, 200, b.ask(t, b.test, "PATCH", path, `{"quantity":3}`))
	require.EqualValues(t, 3, again.Quantity)
}

// Access follows what is paid for: after an upgrade that is not paid, the plan before it.
func TestAccess_FollowsThePlanThatIsPaid(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	feature := func(amount int, limit string) Plan {
		return as[Plan](t, 201, b.ask(t, b.test, "POST", "/api/plans", map[string]any{
			"name": "Plan " + limit, "currency": "USD", "interval": "month", "amount": amount,
			"features": []map[string]any{{"key": "projects", "limit": map[string]int{"few": 3, "many": 30}[limit]}},
		}))
	}
	few, many := feature(1000, "few"), feature(3000, "many")
	customer := b.newCustomer(t, b.test)
	sub := as[Subscription](t, 201, b.ask(t, b.test, "POST", "/api/subscriptions",
		map[string]any{"customerId": customer.ID, "planId": few.ID}))
	b.succeed(t, b.begin(t, sub.ID))
	access := func() (plan string, limit int64) {
		t.Helper()
		got := as[Access](t, 200, b.ask(t, b.test, "GET", "/api/customers/"+customer.ID+"/access?feature=projects", nil))
		require.True(t, got.Allowed)
		return got.PlanID, *got.Feature.Limit
	}

	asked := as[Subscription](t, 200, b.ask(t, b.test, "PATCH", "/api/subscriptions/"+sub.ID,
		map[string]any{"planId": many.ID}))
	require.Equal(t, many.ID, asked.PlanID)
	b.decline(t, asked.LatestInvoice.Payment.ID)
	plan, limit := access()
	require.Equal(t, []any{few.ID, int64(3)}, []any{plan, limit})

	pay := as[Payment](t, 201, b.ask(t, b.test, "POST", "/api/invoices/"+asked.LatestInvoice.ID+"/pay", nil))
	b.succeed(t, pay.ID)
	plan, limit = access()
	require.Equal(t, []any{many.ID, int64(30)}, []any{plan, limit})
}
