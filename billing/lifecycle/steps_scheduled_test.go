package lifecycle_test

import (
	"errors"
	"slices"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/event"
	"perennial/billing/lifecycle"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
)

// scheduled records the scheduled change that a decision made: a removed one without an event that it was dropped.
func (a *account) scheduled(before, after subscription.Subscription, events []event.Event) {
	for i, was := range before.Scheduled {
		stays := slices.ContainsFunc(after.Scheduled, func(is subscription.ScheduledChange) bool { return is.ID == was.ID })
		dropped := slices.ContainsFunc(events, func(e event.Event) bool {
			data, ok := e.Data.(event.SubscriptionChangeDropped)
			return ok && data.ScheduledChangeID == was.ID
		})
		if !stays && !dropped && !was.At.After(after.UpdatedAt) {
			a.due = &before.Scheduled[i]
			return
		}
	}
}

// forget ends the decision that made a scheduled change.
func (a *account) forget() {
	if a.due != nil {
		a.due, a.how = nil, ""
	}
}

// someChange draws a change of plan, quantity, add-ons, or several of these.
func (l *life) someChange(draw chance) (cmd lifecycle.ChangePlan) {
	every := l.sub().Interval
	if draw(2, "plan") == 0 {
		to := l.anyPlan(draw)
		cmd.Plan, every = &to, to.Interval
	}
	if draw(2, "quantity") == 0 {
		cmd.Quantity = int64(1 + draw(6, "quantity"))
	}
	if cmd.Plan == nil && cmd.Quantity == 0 || draw(3, "add-ons") == 0 {
		asked := someChosen(draw, l.addOns(), every)
		cmd.AddOns = &asked
	}
	return cmd
}

// scheduleChange requests a change at a date, sometimes at the end of the period. An account follows one at a time.
func (l *life) scheduleChange(draw chance) {
	had := l.sub()
	if l.behind() || len(had.Scheduled) > 0 {
		return
	}
	on, how := l.now.Add(time.Duration(1+draw(40*86400, "seconds"))*time.Second), l.how
	if draw(4, "at the boundary") == 0 && had.CurrentPeriod.End.After(l.now) {
		on = had.CurrentPeriod.End
	}
	l.how = ""
	var cmd lifecycle.Command
	if draw(4, "the anchor") == 0 {
		cmd = lifecycle.MoveAnchor{On: on, Proration: how}
	} else {
		change := l.someChange(draw)
		change.On, change.Proration = on, how
		cmd = change
	}
	invoices := len(l.store.invoices)
	_, err := l.apply(cmd)
	s, at := l.sub(), on.Truncate(time.Second)
	switch {
	case err == nil:
		require.Len(l.t, s.Scheduled, 1)
		require.Len(l.t, l.store.invoices, invoices, "nothing is billed before its date")
		require.False(l.t, s.NextActionAt.After(s.Scheduled[0].At) && l.live("") == nil)
	case errors.Is(err, subscribing.ErrAnchorInTrial):
		require.False(l.t, s.Status != subscription.Trialing || at.After(s.TrialEndsAt))
	case errors.Is(err, subscribing.ErrEnding):
		require.True(l.t, had.CancelAtPeriodEnd)
	case s.Status == subscription.Canceled:
		require.Equal(l.t, subscribing.ErrCanceled, err)
	case s.Status == subscription.Paused:
		require.Equal(l.t, subscribing.ErrPaused, err)
	case errors.Is(err, subscribing.ErrAfterEnd):
		require.True(l.t, had.CancelAtPeriodEnd)
	case errors.Is(err, subscribing.ErrEffectiveAt), errors.Is(err, subscribing.ErrAnchorDate): // in the present second
		require.Less(l.t, on.Sub(l.now), 2*time.Second)
	default:
		require.True(l.t, errors.Is(err, subscription.ErrAddOnsStay) || errors.Is(err, subscription.ErrAddOnInterval), err)
	}
}

// oneWaits withdraws a scheduled change that waits for a payment after its date if another change follows. The answer
// would make both in one decision, which an account cannot separate.
func (l *life) oneWaits() {
	s := l.sub()
	if len(s.Scheduled) > 0 && len(s.AllChanges()) > 1 && s.Scheduled[0].At.Before(l.decided()) {
		if _, err := l.apply(lifecycle.WithdrawChange{ID: s.Scheduled[0].ID}); err != nil {
			require.ErrorIs(l.t, err, subscribing.ErrPaused)
		}
	}
}

// withdrawChange withdraws a scheduled change, if there is one.
func (l *life) withdrawChange(draw chance) {
	if l.behind() {
		return
	}
	all, id := l.sub().AllChanges(), "chg_none"
	if len(all) > 0 {
		id = all[draw(len(all), "which change")].ID
	}
	_, err := l.apply(lifecycle.WithdrawChange{ID: id})
	switch {
	case err == nil:
		s := l.sub()
		if moves := s.PendingPlanID == s.PlanID || s.PendingAddOns != nil; moves && id == subscription.AtPeriodEnd {
			all = all[1:]
			require.Zero(l.t, s.PendingQuantity)
			require.Len(l.t, s.AllChanges(), len(all)+1)
			return
		}
		require.Len(l.t, s.AllChanges(), len(all)-1)
	case errors.Is(err, subscribing.ErrMoveWaits):
		require.Equal(l.t, subscription.AtPeriodEnd, id)
	case l.sub().Status == subscription.Canceled:
		require.Equal(l.t, subscribing.ErrCanceled, err)
	case l.sub().Status == subscription.Paused:
		require.Equal(l.t, subscribing.ErrPaused, err)
	default:
		require.Equal(l.t, subscribing.ErrChangeNotFound, err)
		require.Empty(l.t, all)
	}
}
