package subscription

import (
	"time"

	"perennial/billing/collection"
	"perennial/billing/dunning"
	"perennial/billing/period"
)

// Next says what happens to the subscription by itself, and when: its next boundary, the notice before the end of a
// trial, the next automatic attempt of the invoice in collection (state; nil: none), the end of patience with a
// past-due one, or the end of its pause. Of two at the same instant the attempt comes first, since it belongs to the
// older period. Finished subscriptions wait for nothing, and nor do paused ones whose pause has no end and that owe
// nothing.
func (s Subscription) Next(state *collection.State, settings Settings) (Action, time.Time) {
	if s.Status == Canceled {
		return ActionNone, time.Time{}
	}
	retries := state != nil && state.Phase == collection.Scheduled && !s.CollectionPaused()
	if s.Status == Paused { // what is collected is of the time before
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
	return action, at
}

// pauseAction names what ends a pause.
func (s Subscription) pauseAction() Action {
	if s.ResumesAt.IsZero() {
		return ActionNone
	}
	return ActionResume
}

// boundaryAction names what the next boundary brings.
func (s Subscription) boundaryAction() Action {
	switch {
	case s.Unbegun():
		return ActionBegin
	case s.CancelAtPeriodEnd:
		return ActionCancel
	case s.Status == Trialing:
		return ActionTrialEnd
	default:
		return ActionRenewal
	}
}

// PastDueEnd returns when a past-due subscription is canceled; ok is false where it is not.
func (s Subscription) PastDueEnd(settings Settings) (at time.Time, ok bool) {
	if s.Status != PastDue || settings.Dunning.Final != dunning.Cancel {
		return time.Time{}, false
	}
	return period.AddDays(s.PastDueAt, s.Schedule().Location, settings.Dunning.CancelAfterDays), true
}
