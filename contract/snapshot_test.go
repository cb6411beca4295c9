package contract

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/lifecycle"
	"perennial/billing/payment"
)

// A workflow rests when an activity about an attempt changed nothing that it can see. The look-up before a late first
// send changes only that the send may go out now, so the snapshot must show it: else each late send waits for a minute.
func TestSnapshotOf_LookedUpBeforeTheFirstSend(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	attempt := payment.Transaction{
		ID: "txn_1", Type: payment.Charge, Status: payment.Pending, NextCheckAt: now.Add(-time.Hour),
	}
	protocol := payment.Protocol{Window: time.Hour, LookupByKey: true, AbsenceAfter: time.Hour, AbsenceGap: time.Minute}
	live := func() Attempt {
		return *SnapshotOf(lifecycle.State{Pending: []payment.Transaction{attempt}}, false).Live
	}
	require.Equal(t, Attempt{TransactionID: "txn_1"}, live(), "not tried yet")
	attempt, absent := protocol.Absent(attempt, now)
	require.False(t, absent)
	require.Equal(t, Attempt{TransactionID: "txn_1", CheckAt: now}, live())
	attempt = protocol.Sending(attempt, now.Add(time.Second))
	require.True(t, live().Sent)
}

// A payment that needs review is not followed, but shown.
func TestSnapshotOf_InReview(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	parked := payment.Transaction{ID: "txn_1", Type: payment.Charge, Status: payment.Pending, ParkedAt: now}
	got := SnapshotOf(lifecycle.State{Pending: []payment.Transaction{parked}}, false)
	require.Nil(t, got.Live)
	require.Equal(t, "txn_1", got.InReview)
	parked.ParkedAt = time.Time{}
	require.Empty(t, SnapshotOf(lifecycle.State{Pending: []payment.Transaction{parked}}, false).InReview)
}
