package lifecycle_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/subscription"
)

// unrated records that the first waiting draft could not be rated.
func (l *life) unrated() *invoice.UsageFailure {
	draft, waits := l.awaiting()
	require.True(l.t, waits)
	g := l.load(false)
	state, changes, err := lifecycle.UsageUnrated(g.state, draft.ID, "amount_too_large", "Too large.", l.moment())
	require.NoError(l.t, err)
	l.write(g, state, changes)
	draft, _ = l.awaiting()
	return draft.UsageFailure
}

// A failed rating is retried after minutes, increasing up to ten. The row's next action has its time, and earlier due
// actions come first.
func TestUsageUnrated_Rests(t *testing.T) {
	t.Parallel()
	l := calling(t, 0)
	end := l.sub().CurrentPeriod.End
	l.until(end)
	for n := 1; n <= 12; n++ {
		failure := l.unrated()
		require.Equal(t, invoice.UsageFailure{
			Code: "amount_too_large", Detail: "Too large.", Times: n, Since: end,
			RetryAt: l.now.Add(time.Duration(min(n, 10)) * time.Minute),
		}, *failure)
		require.Equal(t, [2]any{subscription.ActionBillUsage, failure.RetryAt},
			[2]any{l.sub().NextAction, l.sub().NextActionAt})
		_, due := l.store.load(false).UsageDraft(failure.RetryAt.Add(-1))
		require.False(t, due)
		l.until(failure.RetryAt)
		require.True(t, l.store.load(false).UsageDue(l.now))
	}
	l.now = l.sub().CurrentPeriod.End.Add(-time.Minute)
	l.real = l.now
	l.unrated()
	require.Equal(t, [2]any{subscription.ActionRenewal, l.sub().CurrentPeriod.End},
		[2]any{l.sub().NextAction, l.sub().NextActionAt}, "it comes before the retry")
}

// A draft that could not be rated is rated again at a person's request, and issued on success.
func TestUsageUnrated_IsHastened(t *testing.T) {
	t.Parallel()
	l := calling(t, 0)
	l.until(l.sub().CurrentPeriod.End)
	l.call(created, 10)
	l.unrated()
	l.pass(10 * time.Second)
	require.False(t, l.store.load(false).UsageDue(l.now))
	draft, _ := l.awaiting()
	l.must(lifecycle.FinalizeInvoice{InvoiceID: draft.ID})
	require.True(t, l.store.load(false).UsageDue(l.now))
	require.Equal(t, 1, l.store.drafts[0].UsageFailure.Times)

	issued := l.issue()

	require.Nil(t, issued.UsageFailure)
	require.Equal(t, int64(30), int64(meteredOf(issued.Lines)))
}

// On a test clock, where a month passes in an instant, the interval is days.
func TestUsageUnrated_OnATestClock(t *testing.T) {
	t.Parallel()
	l := calling(t, 0)
	l.until(l.sub().CurrentPeriod.End)
	draft, _ := l.awaiting()
	s := l.store.load(false)
	s.ClockNow = l.now
	for n, days := range []int{1, 2, 4, 8, 16, 30, 30} {
		state, _, err := lifecycle.UsageUnrated(s, draft.ID, "internal", "", l.moment())
		require.NoError(t, err)
		failure := state.Unrated().UsageFailure
		require.Equal(t, [2]any{n + 1, l.now.AddDate(0, 0, days)}, [2]any{failure.Times, failure.RetryAt})
		s = state
	}
}
