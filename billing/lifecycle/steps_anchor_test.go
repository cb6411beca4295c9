package lifecycle_test

import (
	"errors"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/lifecycle"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
)

// moveAnchor begins a period now, or is refused for a visible reason.
func (l *life) moveAnchor(how subscription.ProrationBehavior) {
	if l.behind() {
		return
	}
	had, open := l.sub(), len(l.open())+len(l.store.drafts)
	l.account.how = how
	_, err := l.apply(lifecycle.MoveAnchor{Proration: how})
	l.account.how = ""
	s := l.sub()
	switch {
	case err == nil:
		require.Equal(l.t, l.decided().Truncate(time.Second), s.AnchorAt)
		require.Equal(l.t, [2]any{s.AnchorAt, had.PeriodIndex + 1}, [2]any{s.CurrentPeriod.Start, s.PeriodIndex})
	case s.Status == subscription.Canceled:
		require.Equal(l.t, subscribing.ErrCanceled, err)
	case s.Status == subscription.Paused:
		require.Equal(l.t, subscribing.ErrPaused, err)
	case s.Status == subscription.Trialing:
		require.Equal(l.t, subscribing.ErrAnchorInTrial, err)
	case errors.Is(err, subscribing.ErrEnding):
		require.True(l.t, had.CancelAtPeriodEnd)
	case errors.Is(err, subscribing.ErrSameInstant):
		require.Equal(l.t, l.decided().Truncate(time.Second), s.CurrentPeriod.Start)
	case errors.Is(err, subscribing.ErrPeriodUnpaid):
		require.Positive(l.t, open)
	case errors.Is(err, lifecycle.ErrNeedsReview):
		l.requireParked()
	case l.hasNotes(err):
	default:
		require.True(l.t, inProgress(err) && l.live("") != nil && how != subscription.NoProration, err)
	}
}
