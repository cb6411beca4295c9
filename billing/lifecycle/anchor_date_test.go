package lifecycle_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
)

// drops returns the reasons for which scheduled changes were dropped.
func (l *life) drops() (reasons []string) {
	for _, e := range l.store.events {
		if data, ok := e.Data.(event.SubscriptionChangeDropped); ok {
			reasons = append(reasons, data.Reason)
		}
	}
	return reasons
}

// Until the date nothing changes; then the period that runs is credited from there on, and another one begins.
func TestMoveAnchor_AtADate(t *testing.T) {
	t.Parallel()
	for how, total := range map[subscription.ProrationBehavior]money.Minor{"": 500, subscription.NoProration: 1000} {
		l := begun(t, settings) // from 31 January to 28 February
		l.result(answer.Succeeded)
		on := created.AddDate(0, 0, 14)
		l.must(lifecycle.MoveAnchor{On: on, Proration: how})
		require.Equal(t, created, l.sub().AnchorAt)
		require.Equal(t, []money.Minor{1000}, l.totals())

		l.until(on)

		require.Equal(t, []money.Minor{1000, total}, l.totals(), how)
		require.Equal(t, period.Period{Start: on, End: on.AddDate(0, 1, 0)}, l.sub().CurrentPeriod)
		require.Empty(t, l.sub().Scheduled)
		require.Empty(t, l.drops())
		l.result(answer.Succeeded)
		third := l.sub().Schedule().Boundary(2) // 14 April
		l.until(third)
		require.Equal(t, on, l.sub().AnchorAt)
		require.Equal(t, third, l.sub().CurrentPeriod.Start)
	}
}

// At a boundary a whole period ends, and the next one begins, as always: only the later boundaries move. A change of
// quantity at the same instant is part of that period, whichever was scheduled first.
func TestMoveAnchor_AtABoundary(t *testing.T) {
	t.Parallel()
	boundary := created.AddDate(0, 0, 28)
	change := lifecycle.ChangePlan{Plan: &pro, On: boundary}
	for name, commands := range map[string][]lifecycle.Command{
		"alone":             {lifecycle.MoveAnchor{On: boundary}},
		"before the change": {lifecycle.MoveAnchor{On: boundary}, change},
		"after the change":  {change, lifecycle.MoveAnchor{On: boundary}},
	} {
		l := beginWith(t, plans, commands...)
		l.untilPaid(boundary)

		want := []money.Minor{1000, 1000}
		if len(commands) > 1 {
			want[1] = 3000
		}
		require.Equal(t, want, l.totals(), name)
		require.Equal(t, period.Period{Start: boundary, End: boundary.AddDate(0, 1, 0)}, l.sub().CurrentPeriod, name)
		require.Equal(t, boundary.AddDate(0, 1, 0), l.sub().Boundary(), "28 March, not the 31st")
		require.Empty(t, l.sub().Scheduled, name)
		require.Empty(t, l.drops(), name)
	}
}

// What is impossible at the date is dropped, and said.
func TestMoveAnchor_DroppedAtItsDate(t *testing.T) {
	t.Parallel()
	on := created.AddDate(0, 0, 14)
	for reason, before := range map[string]func(l *life, how subscription.ProrationBehavior){
		"cancellation_scheduled": func(l *life, how subscription.ProrationBehavior) {
			l.result(answer.Succeeded)
			l.must(lifecycle.MoveAnchor{On: on, Proration: how})
			l.schedule(lifecycle.Cancel{})
		},
		"subscription_invoice_open": func(l *life, how subscription.ProrationBehavior) {
			l.result(answer.Declined)
			l.must(lifecycle.MoveAnchor{On: on, Proration: subscription.NoProration})
		},
		"payment_in_progress": func(l *life, how subscription.ProrationBehavior) { // until the boundary
			l.must(lifecycle.MoveAnchor{On: on, Proration: how})
		},
	} {
		slow := settings
		slow.Dunning.Retry.Base = 40 * 24 * time.Hour // no retry comes between
		l := begun(t, slow)
		before(l, "")
		l.until(created.AddDate(0, 0, 30))
		require.Equal(t, created, l.sub().AnchorAt, reason)
		require.Empty(t, l.sub().Scheduled, reason)
		require.Equal(t, []string{reason}, l.drops())
	}
}

func TestMoveAnchor_RefusesADate(t *testing.T) {
	t.Parallel()
	trial := newLife(t, plans, settings, team, 14)
	trial.advance()
	ending, waiting := begun(t, settings), begun(t, settings)
	ending.schedule(lifecycle.Cancel{})
	for i := range subscription.MaxScheduledChanges {
		waiting.must(lifecycle.MoveAnchor{On: created.AddDate(0, 0, 1+i)})
	}
	for name, c := range map[string]struct {
		life *life
		on   time.Time
		want error
	}{
		"in the past":          {begun(t, settings), created.Add(-time.Hour), subscribing.ErrAnchorDate},
		"now":                  {begun(t, settings), created, subscribing.ErrAnchorDate},
		"far away":             {begun(t, settings), created.AddDate(5, 0, 1), subscribing.ErrAnchorDate},
		"within the trial":     {trial, created.AddDate(0, 0, 14), subscribing.ErrAnchorInTrial},
		"after the trial":      {trial, created.AddDate(0, 0, 15), nil},
		"before the end":       {ending, created.AddDate(0, 0, 14), subscribing.ErrEnding},
		"at the end":           {ending, created.AddDate(0, 0, 28), subscribing.ErrEnding},
		"beside twenty others": {waiting, created.AddDate(0, 0, 28), subscribing.ErrTooManyChanges},
	} {
		_, err := c.life.apply(lifecycle.MoveAnchor{On: c.on})
		if c.want == nil {
			require.NoError(t, err, name)
			continue
		}
		require.Equal(t, c.want, err, name)
		require.NotEmpty(t, fault.From(err).Code)
	}
}
