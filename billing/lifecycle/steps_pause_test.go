package lifecycle_test

import (
	"errors"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
)

// somePause draws a pause, with or without an end.
func (l *life) somePause(draw chance) lifecycle.Pause {
	out := lifecycle.Pause{CreditUnused: draw(2, "credit") == 0}
	if draw(3, "an open end") > 0 {
		out.ResumesAt = l.decided().Add(time.Duration(1+draw(60*86400, "seconds")) * time.Second)
	}
	return out
}

// pause pauses the subscription, or is refused for a visible reason.
func (l *life) pause(draw chance) {
	if l.behind() {
		return
	}
	had, open, balance := l.sub(), len(l.open()), l.store.balance
	_, err := l.apply(l.somePause(draw))
	s := l.sub()
	switch {
	case err == nil:
		require.Equal(l.t, subscription.Paused, s.Status)
		require.GreaterOrEqual(l.t, l.store.balance, balance, "nobody is asked for money")
	case errors.Is(err, subscribing.ErrCanceled):
		require.Equal(l.t, subscription.Canceled, s.Status)
	case errors.Is(err, subscribing.ErrTrialNotPaused):
		require.Equal(l.t, subscription.Trialing, s.Status)
	case errors.Is(err, subscribing.ErrPaused):
		require.Equal(l.t, subscription.Paused, s.Status)
	case errors.Is(err, subscribing.ErrEnding):
		require.True(l.t, had.CancelAtPeriodEnd)
	case errors.Is(err, subscribing.ErrInvoiceDraft):
		require.NotEmpty(l.t, l.store.drafts)
	default:
		require.ErrorIs(l.t, err, subscribing.ErrInvoiceOpen)
		require.Positive(l.t, open)
	}
}

// unpause resumes a paused subscription.
func (l *life) unpause() {
	if l.behind() {
		return
	}
	was, index := l.sub().Status, l.sub().PeriodIndex
	_, err := l.apply(lifecycle.Resume{})
	switch {
	case errors.Is(err, subscribing.ErrSameInstant):
		require.Equal(l.t, l.sub().CurrentPeriod.Start, l.decided().Truncate(time.Second))
	case was == subscription.Paused:
		require.NoError(l.t, err)
		require.NotEqual(l.t, was, l.sub().Status) // active, or past due where nothing can be charged or retried
		require.Equal(l.t, index+1, l.sub().PeriodIndex)
		require.Equal(l.t, l.sub().AnchorAt, l.sub().CurrentPeriod.Start)
	case was == subscription.Canceled:
		require.Equal(l.t, subscribing.ErrCanceled, err)
	default:
		require.Equal(l.t, subscribing.ErrNotPaused, err)
	}
}

// checkPause checks the invariants of a paused subscription.
func (l *life) checkPause(before subscription.Subscription) {
	s := l.sub()
	if s.Status != subscription.Paused {
		return
	}
	for _, inv := range l.open() {
		if inv.Reason != invoice.Usage {
			require.Failf(l.t, "paused, but something else is to be paid than what was used before", "%+v", inv)
		}
	}
	if before.Status == subscription.Paused && (s.PeriodIndex != before.PeriodIndex || s.PaidThrough.After(s.PausedAt)) {
		require.Fail(l.t, "a pause has no period and no paid time")
	}
}
