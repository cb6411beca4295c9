package subscription

import (
	"time"

	"perennial/billing/collection"
	"perennial/billing/dunning"
	"perennial/billing/period"
)

// Next returns the next automatic action and its time. It is the first of: the next boundary, the notice before the end
// of a trial, the next automatic attempt of the invoice in collection (state; nil: none), the end of a past-due
// subscription, of a pause, and of the time to pay for a change. At the same instant the attempt comes first, since it
// belongs to the older period. Finished subscriptions have none, nor do paused ones whose pause has no end and that owe
// nothing.
func (s Subscription) Next(state *collection.State, settings Settings) (Action, time.Time) {
	if s.Status == Canceled {
		return ActionNone, time.Time{}
	}
	retries := state != nil && state.Phase == collection.Scheduled && !s.CollectionPaused()
	if s.Status == Paused { // only invoices of the time before the pause are collected
		if retries && (s.ResumesAt.IsZero() || !state.RetryAt.After(s.ResumesAt)) {
			return ActionPaymentRetry, state.RetryAt
		}
		return s.pauseAction(), s.ResumesAt
	}
	if s.Status == Incomplete && !s.Unbegun() {
		if retries && state.RetryAt.Before(s.IncompleteUntil) {
			return ActionPaymentRetry, state.RetryAt
		}
		return ActionIncompleteEnd, s.IncompleteUntil
	}
	action, at := s.boundaryAction(), s.Boundary()
	if end, ok := s.PastDueEnd(settings); ok && !end.After(at) {
		action, at = ActionPastDueEnd, end
	}
	if !s.TrialNoticeAt.IsZero() && s.TrialNoticeAt.Before(at) {
		action, at = ActionTrialNotice, s.TrialNoticeAt
	}
	if retries && !state.RetryAt.After(at) {
		action, at = ActionPaymentRetry, state.RetryAt
	}
	if c := s.PendingChange; c != nil && !c.Until.After(at) { // before what it must not overlap
		action, at = ActionPendingChangeEnd, c.Until
	}
	return action, at
}

// pauseAction returns the action that ends a pause.
func (s Subscription) pauseAction() Action {
	if s.ResumesAt.IsZero() {
		return ActionNone
	}
	return ActionResume
}

// boundaryAction returns the action at the next boundary.
func (s Subscription) boundaryAction() Action {
	switch {
	case s.Unbegun():
		return ActionBegin
	case s.Ends():
		return ActionCancel
	case s.Status == Trialing:
		return ActionTrialEnd
	default:
		return ActionRenewal
	}
}

// PastDueEnd returns the time at which a past-due subscription is canceled; ok is false where it never is.
func (s Subscription) PastDueEnd(settings Settings) (at time.Time, ok bool) {
	if s.Status != PastDue || settings.Dunning.Final != dunning.Cancel {
		return time.Time{}, false
	}
	return period.AddDays(s.PastDueAt, s.Schedule().Location, settings.Dunning.CancelAfterDays), true
}
