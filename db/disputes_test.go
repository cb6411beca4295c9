package db_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/payment"
	"perennial/db"
	"perennial/internal/id"
)

// Each filter picks one dispute among two that differ in nothing else that is asked.
func TestDisputes_Filters(t *testing.T) {
	t.Parallel()
	b := setup(t)
	older, newer := b.charge(""), b.charge("")
	other := newCustomer("")
	newer.CustomerID, newer.SubscriptionID = other.ID, ""
	dispute := func(state payment.DisputeState, at time.Time) payment.Disputes {
		d := payment.Dispute{
			ID: id.New(id.Dispute, wall), Ref: "du_1", State: state, Amount: 1500, Currency: eur, OpenedAt: at,
			EvidenceDueAt: at.Add(time.Hour),
		}
		if state.Closed() {
			d.ClosedAt = at
		}
		return payment.Disputes{d}
	}
	older.Disputes = dispute(payment.DisputeOpen, wall)
	newer.Disputes = dispute(payment.DisputeLost, wall.Add(time.Hour))
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.InsertCustomer(ctx, b.env, other))
		require.NoError(t, tx.InsertTransaction(ctx, b.env, older))
		require.NoError(t, tx.InsertTransaction(ctx, b.env, newer))
		require.NoError(t, tx.SaveTransaction(ctx, b.env, older)) // again: one row a dispute
	})
	all, more, err := b.store.Disputes(t.Context(), b.env, db.DisputeFilter{}, db.Page{})
	require.NoError(t, err)
	require.False(t, more)
	require.Equal(t, []string{newer.Disputes[0].ID, older.Disputes[0].ID}, []string{all[0].ID, all[1].ID}, "newest first")
	for _, f := range []db.DisputeFilter{
		{CustomerID: b.customer.ID}, {ChargeID: older.ID}, {Status: payment.DisputeOpen}, {OpenedTo: wall.Add(time.Hour)},
		{OpenedFrom: wall, OpenedTo: wall.Add(time.Second)},
	} {
		found, _, err := b.store.Disputes(t.Context(), b.env, f, db.Page{})
		require.NoError(t, err)
		require.Len(t, found, 1, f)
		require.Equal(t, [2]string{older.Disputes[0].ID, older.ID}, [2]string{found[0].ID, found[0].Charge.ID})
	}
	found, _, err := b.store.Disputes(t.Context(), b.env, db.DisputeFilter{OpenedFrom: wall.Add(time.Second)}, db.Page{})
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.Equal(t, newer.ID, found[0].Charge.ID)

	unanswered, err := b.store.UnansweredDisputes(t.Context(), 10)
	require.NoError(t, err)
	require.Equal(t, []db.UnansweredDispute{{
		Ref: db.Ref{EnvironmentID: b.env, ID: older.Disputes[0].ID}, ChargeID: older.ID, DueAt: wall.Add(time.Hour),
	}}, unanswered)
}
