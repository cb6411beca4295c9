package lifecycle_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/subscription"
)

// A worker that is late until 30 April, the end of the third month, renews three times in one decision, and leaves
// nothing due.
func TestAdvance_DoesAllThatIsDueAtOnce(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.result(answer.Succeeded)
	at := created.AddDate(0, 2, 30) // 31 January and 2 months would be 31 March
	state, changes, err := lifecycle.Advance(l.load(false).state, lifecycle.Moment{Now: at, Real: at, IDs: l.ids})
	require.NoError(t, err)
	require.False(t, changes.Unfinished)
	require.Equal(t, 4, state.Subscription.PeriodIndex)
	require.Len(t, changes.Invoices.Of(lifecycle.InvoiceCreated), 3)
	for _, inv := range changes.Invoices.Of(lifecycle.InvoiceCreated) {
		require.Equal(t, [2]any{invoice.Cycle, money.Minor(1000)}, [2]any{inv.Reason, inv.Total})
	}
}

// A trial of 14 days ends after three: the same decision bills and charges the first period.
func TestEndTrial_BillsAtOnce(t *testing.T) {
	t.Parallel()
	l := newLife(t, plans, settings, team, 14)
	l.moveTo(created.AddDate(0, 0, 3))
	changes, err := l.apply(lifecycle.EndTrial{At: l.now})
	require.NoError(t, err)
	require.Equal(t, subscription.Active, l.sub().Status)
	require.Len(t, changes.Invoices.Of(lifecycle.InvoiceCreated), 1)
	require.Equal(t, money.Minor(1000), changes.Invoices.Of(lifecycle.InvoiceCreated)[0].AmountDue)
	require.Equal(t, l.now, changes.Invoices.Of(lifecycle.InvoiceCreated)[0].Period.Start)
	require.Equal(t, l.live("").ID, changes.Attempt)
}

// The end moves to a later day: nothing is billed before.
func TestEndTrial_LaterBillsNothingYet(t *testing.T) {
	t.Parallel()
	l := newLife(t, plans, settings, team, 14)
	changes, err := l.apply(lifecycle.EndTrial{At: created.AddDate(0, 0, 20)})
	require.NoError(t, err)
	require.Empty(t, changes.Invoices.Of(lifecycle.InvoiceCreated))
	require.Equal(t, created.AddDate(0, 0, 20), l.sub().TrialEndsAt)
}
