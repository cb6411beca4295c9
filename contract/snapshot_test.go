package contract_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/lifecycle"
	"perennial/billing/payment"
	"perennial/contract"
)

// A workflow rests for a minute after an activity that did not change its snapshot. The look-up before a late first send
// changes nothing but when to go on, so the snapshot has to show that.
func TestSnapshotOf_ChangesWithTheLookupBeforeALateSend(t *testing.T) {
	t.Parallel()
	now := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	txn := payment.Transaction{ID: "txn_1", Status: payment.Pending, NextCheckAt: now.Add(-time.Minute)}
	before := contract.SnapshotOf(lifecycle.State{Pending: []payment.Transaction{txn}}, false)
	require.Zero(t, before.Live.CheckAt, "it is sent at once")

	asked, proven := txn.Absent(payment.Protocol{Window: time.Hour, AbsenceGap: time.Hour}, now)
	require.False(t, proven)
	after := contract.SnapshotOf(lifecycle.State{Pending: []payment.Transaction{asked}}, false)
	require.NotEqual(t, *before.Live, *after.Live)
	require.Equal(t, now, after.Live.CheckAt)
}
