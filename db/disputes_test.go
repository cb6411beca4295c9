package db_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
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
	dispute := func(state answer.DisputeState, at time.Time) payment.Disputes {
		d := payment.Dispute{
			ID: id.New(id.Dispute, wall), OpenedAt: at, Dispute: answer.Dispute{
				Ref: "du_1", State: state, Amount: 1500, Currency: eur, EvidenceDueAt: at.Add(time.Hour),
			},
		}
		if state.Closed() {
			d.ClosedAt = at
		}
		return payment.Disputes{d}
	}
	older.Disputes = dispute(answer.DisputeOpen, wall)
	newer.Disputes = dispute(answer.DisputeLost, wall.Add(time.Hour))
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Customers.Insert(ctx, b.env, other))
		require.NoError(t, tx.Payments.InsertTransaction(ctx, b.env, older))
		require.NoError(t, tx.Payments.InsertTransaction(ctx, b.env, newer))
		require.NoError(t, tx.Payments.SaveTransaction(ctx, b.env, older)) // again: one row a dispute
	})
	all, more, err := b.store.Payments.Disputes(t.Context(), b.env, db.DisputeFilter{}, db.Page{})
	require.NoError(t, err)
	require.False(t, more)
	require.Equal(t, []string{newer.Disputes[0].ID, older.Disputes[0].ID}, []string{all[0].ID, all[1].ID}, "newest first")
	for _, f := range []db.DisputeFilter{
		{CustomerID: b.customer.ID}, {ChargeID: older.ID}, {Status: answer.DisputeOpen}, {OpenedTo: wall.Add(time.Hour)},
		{OpenedFrom: wall, OpenedTo: wall.Add(time.Second)},
	} {
		found, _, err := b.store.Payments.Disputes(t.Context(), b.env, f, db.Page{})
		require.NoError(t, err)
		require.Len(t, found, 1, f)
		require.Equal(t, [2]string{older.Disputes[0].ID, older.ID}, [2]string{found[0].ID, found[0].Charge.ID})
	}
	found, _, err := b.store.Payments.Disputes(t.Context(), b.env, db.DisputeFilter{OpenedFrom: wall.Add(time.Second)},
		db.Page{})
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.Equal(t, newer.ID, found[0].Charge.ID)

	unanswered, err := b.store.Payments.UnansweredDisputes(t.Context(), 10)
	require.NoError(t, err)
	require.Equal(t, []db.UnansweredDispute{{
		Ref: db.Ref{EnvironmentID: b.env, ID: older.Disputes[0].ID}, ChargeID: older.ID, DueAt: wall.Add(time.Hour),
	}}, unanswered)
}

// A binary from before disputes had ids writes the fields that it knows, and drops the rest: the disputes and their
// rows are unchanged, and the charge can still be written.
func TestDisputes_WrittenByAnOlderBinary(t *testing.T) {
	t.Parallel()
	b := setup(t)
	charge := b.charge("")
	known := payment.Dispute{
		ID: id.New(id.Dispute, wall), OpenedAt: wall, Dispute: answer.Dispute{
			Ref: "du_1", State: answer.DisputeOpen, Stage: answer.StageChargeback, Reason: "fraudulent", Amount: 1500,
			Currency: eur, Withdrawn: 1500,
		},
	}
	charge.Disputes = payment.Disputes{known}
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Payments.InsertTransaction(ctx, b.env, charge))
	})
	_, err := b.pool.Exec(t.Context(), `
		update transactions set revision = revision + 1, disputes = '[
			{"ref": "du_1", "state": "lost", "amount": 1500, "currency": "EUR", "withdrawn": 1500, "stage": 3},
			{"ref": "du_2", "state": "open", "amount": 200, "currency": "EUR", "withdrawn": 0}]'
		where id = $1`, charge.ID)
	require.NoError(t, err)

	now, err := b.store.Payments.Transaction(t.Context(), b.env, charge.ID)
	require.NoError(t, err)
	require.Len(t, now.Disputes, 2)
	lost, news := now.Disputes[0], now.Disputes[1]
	require.False(t, lost.ClosedAt.IsZero())
	require.WithinDuration(t, wall, lost.OpenedAt, 0)
	known.State, known.Order, known.OpenedAt, known.ClosedAt = answer.DisputeLost, 3, lost.OpenedAt, lost.ClosedAt
	require.Equal(t, known, lost)
	require.True(t, id.Is(id.Dispute, news.ID), news.ID)
	require.False(t, news.OpenedAt.IsZero())

	b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Payments.SaveTransaction(ctx, b.env, now)) })
	rows, _, err := b.store.Payments.Disputes(t.Context(), b.env, db.DisputeFilter{CustomerID: b.customer.ID}, db.Page{})
	require.NoError(t, err)
	require.Len(t, rows, 2)
	require.Equal(t, []string{news.ID, known.ID}, []string{rows[0].ID, rows[1].ID})
	require.Equal(t, answer.DisputeLost, rows[1].State)
}
