package db_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/customer"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/metadata"
	"perennial/billing/payment"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
	"perennial/db"
	"perennial/internal/id"
)

func TestErasure_LeavesNothingPersonal(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.customer.Metadata = metadata.Pairs{"note": "lives in Mukono"}
	kept := newCustomer("") // another customer, untouched
	txn := b.pendingCharge(t, "")
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Customers.Save(ctx, b.env, b.customer))
		require.NoError(t, tx.Customers.Insert(ctx, b.env, kept))
		done := txn
		done.Status, done.CompletedAt, done.FailureReason, done.ProviderResponse = payment.Failed, now, "Ada's card",
			[]byte(`{"name": "Ada"}`)
		require.NoError(t, tx.Payments.SaveTransaction(ctx, b.env, done))
		call := db.ProviderCall{
			ID: id.New(id.ProviderCall, wall), TransactionID: txn.ID, Operation: db.CallCharge, StartedAt: wall,
		}
		require.NoError(t, tx.Payments.InsertProviderCall(ctx, b.env, call))
		call.Outcome, call.EndedAt, call.Response = "declined", wall, []byte(`{"name": "Ada"}`)
		require.NoError(t, tx.Payments.FinishProviderCall(ctx, b.env, call))
		for key, owner := range map[string]string{"k1": b.customer.ID, "k2": kept.ID} {
			require.NoError(t, tx.InsertAnsweredIdempotency(ctx, b.env, db.IdempotencyKey{
				Route: "POST /api/customers", Key: key, Fingerprint: []byte("f"), StatusCode: 201, Response: []byte("Ada"),
				CustomerID: owner,
			}))
		}
	})
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		for _, about := range []event.Subscription{
			event.OfSubscription(b.subscription.ID, b.customer.ID), {ID: kept.ID, CustomerID: kept.ID},
		} {
			for i, data := range []event.Data{
				event.SubscriptionCanceled{Subscription: about, CancelReason: "Ada moves away"},
				event.SubscriptionCanceled{Subscription: about, CancelReason: "past_due_expired"},
				event.SubscriptionCanceled{Subscription: about, CancelReason: "customer_deleted"},
				event.PaymentFailed{
					Payment: event.Payment{ID: txn.ID, CustomerID: about.CustomerID}, FailureReason: "Ada's card",
					FailureCode: "DECLINED",
				},
			} {
				require.NoError(t, tx.Emit(ctx, b.env, event.New(data, now.Add(time.Duration(i)*time.Minute))))
			}
		}
	})
	eraseIt := func(ctx context.Context, tx *db.Tx) error { return erase(ctx, tx, b.env, b.customer.ID) }
	require.NoError(t, b.try(t, eraseIt))
	type reasons struct{ CancelReason, FailureReason, FailureCode string }
	told := func(customerID string) (data []reasons) { // newest first
		events, _, err := b.store.Webhooks.Events(t.Context(), b.env, db.EventFilter{CustomerID: customerID}, db.Page{})
		require.NoError(t, err)
		for _, e := range events {
			var told reasons
			require.NoError(t, json.Unmarshal(e.Data, &told))
			data = append(data, told)
		}
		return data
	}
	require.Equal(t, []reasons{
		{}, // the deletion
		{FailureCode: "DECLINED"}, {CancelReason: "customer_deleted"}, {CancelReason: "past_due_expired"}, {},
	}, told(b.customer.ID))
	require.Equal(t, []reasons{
		{FailureReason: "Ada's card", FailureCode: "DECLINED"}, {CancelReason: "customer_deleted"},
		{CancelReason: "past_due_expired"},
		{CancelReason: "Ada moves away"},
	}, told(kept.ID))
	b.write(t, func(ctx context.Context, tx *db.Tx) { // rendered before, stored after
		k := db.IdempotencyKey{Route: "POST /api/subscriptions/sub_1/cancel", Key: "late", Fingerprint: []byte("f")}
		require.NoError(t, tx.ReserveIdempotency(ctx, b.env, k))
		k.StatusCode, k.Response, k.CustomerID = 200, []byte("Ada"), b.customer.ID
		require.NoError(t, tx.AnswerIdempotency(ctx, b.env, k))
	})
	answered, _, err := b.store.IdempotencyKey(t.Context(), b.env, "POST /api/subscriptions/sub_1/cancel", "late")
	require.NoError(t, err)
	require.Nil(t, answered.Response)
	require.False(t, answered.ErasedAt.IsZero())

	got, err := b.store.Customers.Get(t.Context(), b.env, b.customer.ID)
	require.NoError(t, err)
	require.Equal(t, customer.Customer{
		ID: b.customer.ID, Metadata: metadata.Pairs{}, TestClockID: b.clock.ID, ErasedAt: wall, CreatedAt: now, Revision: 3,
	}, got)
	stored, err := b.store.Payments.Transaction(t.Context(), b.env, txn.ID)
	require.NoError(t, err)
	require.Equal(t, payment.Failed, stored.Status)
	require.EqualValues(t, 1500, stored.Amount)
	require.Zero(t, stored.Method)
	require.Nil(t, stored.ProviderResponse)
	require.Empty(t, stored.FailureReason)
	require.Empty(t, stored.Description)
	calls, err := b.store.Payments.ProviderCalls(t.Context(), b.env, txn.ID)
	require.NoError(t, err)
	require.Nil(t, calls[0].Response)
	answer, _, err := b.store.IdempotencyKey(t.Context(), b.env, "POST /api/customers", "k1")
	require.NoError(t, err)
	require.Nil(t, answer.Response)
	require.Equal(t, wall, answer.ErasedAt)
	require.Equal(t, 201, answer.StatusCode)

	other, err := b.store.Customers.Get(t.Context(), b.env, kept.ID)
	require.NoError(t, err)
	require.Equal(t, kept, other)
	answer, _, err = b.store.IdempotencyKey(t.Context(), b.env, "POST /api/customers", "k2")
	require.NoError(t, err)
	require.Equal(t, []byte("Ada"), answer.Response)
	list, _, err := b.store.Customers.List(t.Context(), b.env, db.CustomerFilter{}, db.Page{})
	require.NoError(t, err)
	require.Equal(t, []customer.Customer{kept}, list)

	requireFault(t, b.try(t, eraseIt), fault.NotFound, "customer_not_found")
	got.Email = "back@example.com"
	err = b.try(t, func(ctx context.Context, tx *db.Tx) error { return tx.Customers.Save(ctx, b.env, got) })
	requireFault(t, err, fault.Unavailable, "customer_changed")
}

// A person's words are erased; our own codes say nothing about the person.
func TestErasure_KeepsOwnReasons(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for reason, want := range map[string]string{
		subscribing.ReasonCustomerDeleted: subscribing.ReasonCustomerDeleted,
		subscribing.ReasonPastDueExpired:  subscribing.ReasonPastDueExpired,
		"Ada moves away":                  "",
		"":                                "",
	} {
		owner, sub := newCustomer(""), b.subscription
		sub.ID, sub.CustomerID, sub.TestClockID = id.New(id.Subscription, wall), owner.ID, ""
		sub.Status, sub.CanceledAt, sub.CancelReason = subscription.Canceled, now, reason
		b.write(t, func(ctx context.Context, tx *db.Tx) {
			require.NoError(t, tx.Customers.Insert(ctx, b.env, owner))
			require.NoError(t, tx.Subscriptions.Insert(ctx, b.env, sub))
			require.NoError(t, erase(ctx, tx, b.env, owner.ID))
		})
		got, err := b.store.Subscriptions.Get(t.Context(), b.env, sub.ID)
		require.NoError(t, err)
		require.Equal(t, want, got.CancelReason)
	}
}

func TestMarkMethodChanged(t *testing.T) {
	t.Parallel()
	b := setup(t)
	finished, stranger := b.subscription, newCustomer("")
	finished.ID, finished.Status, finished.CanceledAt, finished.FinishedAt = id.New(id.Subscription,
		wall), "canceled", now, now
	theirs := b.subscription
	theirs.ID, theirs.CustomerID = id.New(id.Subscription, wall), stranger.ID
	var marked []string
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Customers.Insert(ctx, b.env, stranger))
		require.NoError(t, tx.Subscriptions.Insert(ctx, b.env, finished))
		require.NoError(t, tx.Subscriptions.Insert(ctx, b.env, theirs))
		var err error
		marked, err = tx.Subscriptions.MarkMethodChanged(ctx, b.env, b.customer.ID)
		require.NoError(t, err)
	})
	require.Equal(t, []string{b.subscription.ID}, marked)
	got, err := b.store.Subscriptions.Get(t.Context(), b.env, b.subscription.ID)
	require.NoError(t, err)
	require.Equal(t, wall, got.MethodChangedAt)
	require.EqualValues(t, 2, got.Revision, "a workflow that acts on older state must notice")
}
