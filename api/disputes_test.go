package api

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/api/httpkit"
	"perennial/billing/answer"
	"perennial/db"
	"perennial/internal/id"
)

// newDispute has the payer of a payment dispute it.
func (b *bench) newDispute(t testing.TB, e opened, paymentID string) string {
	t.Helper()
	disputeID := id.New(id.Dispute, b.clock())
	b.write(t, func(ctx context.Context, tx *db.Tx) error {
		txn, err := tx.Payments.LockTransaction(ctx, e.environmentID, paymentID)
		if err != nil {
			return err
		}
		txn, _ = txn.Captured().Dispute(disputeID, answer.Dispute{
			Ref: "du_1", State: answer.DisputeOpen, Stage: "chargeback", Reason: "fraudulent", Amount: txn.Amount,
			Currency: txn.Currency, EvidenceDueAt: b.clock().Add(time.Hour),
		}, b.clock())
		return tx.Payments.SaveTransaction(ctx, e.environmentID, txn)
	})
	return disputeID
}

func TestDisputes_AreListedAndShownWithTheirPayment(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	customer := b.newCustomer(t, b.test)
	var paid [2]Payment
	for i := range paid {
		paid[i] = as[Payment](t, 201, b.ask(t, b.test, "POST", "/api/payments",
			map[string]any{"customerId": customer.ID, "amount": 500, "currency": "USD"}))
	}
	first, second := b.newDispute(t, b.test, paid[0].ID), b.newDispute(t, b.test, paid[1].ID)
	got := as[Dispute](t, 200, b.ask(t, b.test, "GET", "/api/disputes/"+first, nil))
	require.Equal(t, [6]any{first, paid[0].ID, customer.ID, "open", "chargeback", "fraudulent"},
		[6]any{got.ID, got.ChargeID, got.CustomerID, got.Status, got.Stage, got.Reason})
	require.Equal(t, b.clock().Add(time.Hour).Unix(), got.EvidenceDueAt)
	shown := as[Payment](t, 200, b.ask(t, b.test, "GET", "/v1/payments/"+paid[0].ID, nil))
	require.Equal(t, []Dispute{got}, shown.Disputes)

	list := func(query string) (ids []string) {
		for _, d := range as[httpkit.List[Dispute]](t, 200, b.ask(t, b.test, "GET", "/v1/disputes"+query, nil)).Data {
			ids = append(ids, d.ID)
		}
		return ids
	}
	require.Equal(t, []string{second, first}, list(""))
	require.Equal(t, []string{first}, list("?startingAfter="+second))
	require.Equal(t, []string{second}, list("?chargeId="+paid[1].ID))
	require.Len(t, list("?customerId="+customer.ID+"&status=open"), 2)
	require.Empty(t, list("?status=lost"))
	require.Equal(t, 422, b.ask(t, b.test, "GET", "/v1/disputes?from=2&to=1", nil).Status)
	require.Equal(t, 422, b.ask(t, b.test, "GET", "/v1/disputes?chargeId="+customer.ID, nil).Status)
}
