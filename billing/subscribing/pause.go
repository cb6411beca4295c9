package subscribing

import (
	"slices"
	"time"

	"perennial/billing/collection"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/subscription"
)

// MaxPauseDays bounds a pause with an end at two years: a later end is a typing error.
const MaxPauseDays = 730

// Pausing is a request to pause a subscription.
type Pausing struct {
	// ResumesAt is the automatic end of the pause; zero: a command ends it.
	ResumesAt time.Time
	// CreditUnused credits the rest of the paid current period to the customer's balance. Otherwise it is lost.
	CreditUnused bool
	At           time.Time // that is credited from here on, at most now; zero: now
}

// The refusals of pauses.
var (
	ErrPaused = fault.New(fault.Conflict, "subscription_paused",
		"The subscription is paused. Resume it first.")
	ErrNotPaused = fault.New(fault.Conflict, "subscription_not_paused",
		"The subscription is not paused, so there is nothing to resume.")
	ErrTrialNotPaused = fault.New(fault.Conflict, "subscription_in_trial",
		"A trial cannot be paused. Move its end with `trialEndsAt`, or cancel the subscription.")
	ErrInvoiceOpen = fault.New(fault.Conflict, "subscription_invoice_open",
		"The subscription has an open invoice. Pay it, void it or mark it uncollectible, then pause the subscription.")
	ErrInvoiceDraft = fault.New(fault.Conflict, "subscription_invoice_draft",
		"The invoice of the current period is a draft. Finalize and settle it, then pause the subscription.")
	ErrSameInstant = fault.New(fault.Conflict, "period_just_begun",
		"A period of the subscription began in this very second, and no two begin at once. Repeat the request a second "+
			"later.").
		After(time.Second)
	// ErrPausedElsewhere refuses to credit time that was not paid here.
	ErrPausedElsewhere = fault.New(fault.Conflict, "period_paid_elsewhere",
		"The current period was paid before the subscription was moved to Perennial, so its unused time has no price here. "+
			"Pause without `credit`, and credit the customer's balance.")
	ErrEnding = fault.New(fault.Conflict, "cancellation_scheduled",
		"The subscription ends with its current period. Withdraw the cancellation first, or cancel it now.")
)

// Pause ends the current period now and opens no other until the subscription resumes. Meanwhile it bills only usage
// from before. Changes and lines that wait for the next period or invoice continue to wait. For a paused subscription
// it only moves the end of the pause. Faults: subscription_canceled, subscription_in_trial, subscription_invoice_open,
// cancellation_scheduled, change_pending, subscription_invoice_draft, subscription_paused, resumes_at_out_of_range,
// renewal_due, amount_too_large.
func (s Situation) Pause(in Pausing, now time.Time) (Decision, error) {
	if err := permit(s.Status, pause); err != nil {
		return Decision{}, err
	}
	at := now.UTC().Truncate(time.Second)
	resumesAt, err := in.end(at, s.Schedule().Location)
	switch {
	case err != nil:
		return Decision{}, err
	case s.Status == subscription.Paused && in.CreditUnused:
		return Decision{}, ErrPaused
	case s.Status == subscription.Paused:
		return s.resumeLater(resumesAt, now), nil
	case s.CancelAtPeriodEnd:
		return Decision{}, ErrEnding
	case s.PendingChange != nil: // its invoice is open, and only paying it or withdrawing the change settles that
		return Decision{}, ErrChangePending
	case len(s.Facts.Open) > 0:
		return Decision{}, ErrInvoiceOpen
	case len(s.Facts.Drafts) > 0:
		return Decision{}, ErrInvoiceDraft
	}
	if !in.CreditUnused {
		return s.pausedAt(at, subscription.PauseRequested, resumesAt, now), nil
	}
	credited, err := since(in.At, s.CurrentPeriod, now)
	if err != nil {
		return Decision{}, err
	}
	issue, err := s.creditUnused(credited)
	if err != nil {
		return Decision{}, err
	}
	d := s.pausedAt(at, subscription.PauseRequested, resumesAt, now)
	d.Issue = issue
	d.Subscription.LimitPaid(credited)
	return d, nil
}

// end returns the end of the pause, in whole seconds.
func (in Pausing) end(now time.Time, location *time.Location) (time.Time, error) {
	if in.ResumesAt.IsZero() {
		return time.Time{}, nil
	}
	at := in.ResumesAt.UTC().Truncate(time.Second)
	if !at.After(now) || at.After(period.AddDays(now, location, MaxPauseDays)) {
		return at, fault.InvalidParam("resumesAt", "resumes_at_out_of_range",
			"`resumesAt` must be after now, and at most %d days from now. Omit it to pause until the subscription is resumed.",
			MaxPauseDays)
	}
	return at, nil
}

// resumeLater moves or removes the end of a pause.
func (s Situation) resumeLater(at, now time.Time) Decision {
	if at.Equal(s.ResumesAt) {
		return Decision{Subscription: s.Subscription}
	}
	s.ResumesAt = at
	return Decision{Subscription: s.Subscription, Events: []event.Event{s.Updated(now, "resumesAt")}}
}

// pausedAt is the only way into Paused.
func (s Situation) pausedAt(at time.Time, why subscription.PauseReason, resumesAt, now time.Time) Decision {
	s.Status, s.PausedAt, s.PauseReason, s.ResumesAt = subscription.Paused, at, why, resumesAt
	s.TrialNoticeAt, s.UnproratedIndex = time.Time{}, 0
	s.LimitPaid(at)
	told := event.SubscriptionPaused{Subscription: s.Announced(), Reason: string(why)}
	if !resumesAt.IsZero() {
		told.ResumesAt = resumesAt.Unix()
	}
	events := append([]event.Event{event.New(told, now)}, s.dropScheduled(ErrPaused.Code, now)...) // dates may pass
	return Decision{Subscription: s.Subscription, Events: events}
}

// creditUnused credits the unused time of the current period, like a change to a free plan. If waiting prorations
// exceed the credit, it waits with them: a pause charges nothing.
func (s *Situation) creditUnused(at time.Time) ([]invoice.Draft, error) {
	switch {
	case !s.CurrentPeriod.Contains(at):
		return nil, nil
	case s.PaidElsewhere():
		return nil, ErrPausedElsewhere
	}
	if err := s.CheckCreditable(s.Items); err != nil {
		return nil, err
	}
	unused, err := s.Unused(at)
	if err != nil {
		return nil, err
	}
	left, err := s.UnusedTime(s.Items, unused, at)
	if err != nil || left.Credit == 0 {
		return nil, err
	}
	given := invoice.Draft{
		Reason: invoice.Update, Period: period.Period{Start: at, End: s.CurrentPeriod.End}, PeriodIndex: s.PeriodIndex,
		Lines: left.Lines, Creditable: left.Creditable,
	}
	sums, err := given.Sums()
	if err != nil {
		return nil, err
	}
	if sums.Total > 0 {
		return nil, s.Wait(left.Lines, s.Facts.Plan)
	}
	s.PendingLines = nil
	return []invoice.Draft{given}, nil
}

// Resume ends the pause: a new period begins at at (at most now), from which all later ones are counted. It is billed
// in full. Faults: subscription_not_paused, subscription_canceled, period_just_begun (only for commands, since
// automatic resumption comes later).
func (s Situation) Resume(at, now time.Time) (Decision, error) {
	if err := permit(s.Status, resume); err != nil {
		return Decision{}, err
	}
	at = at.UTC().Truncate(time.Second)
	if at.Before(s.PausedAt) {
		at = s.PausedAt
	}
	if !at.After(s.CurrentPeriod.Start) { // the ids of invoices are derived from the starts of their periods
		return Decision{}, ErrSameInstant
	}
	first := s.first()
	s.EndPause()
	s.Status, s.AnchorAt, s.NextPeriod = subscription.Active, at, 0
	d, err := s.openNext(opening{start: at, first: first}, now)
	if err != nil {
		return Decision{}, err
	}
	resumed := event.SubscriptionResumed{
		Subscription: s.Announced(), Status: string(d.Subscription.Status), PlanID: d.Subscription.PlanID,
	}
	d.Events = append([]event.Event{event.New(resumed, now)}, d.Events...)
	return s.owing(d, now)
}

// owing makes a resumed subscription past due if, in the pause, the last attempt to collect an invoice failed or a sent
// invoice became overdue.
func (s Situation) owing(d Decision, now time.Time) (Decision, error) {
	i := slices.IndexFunc(s.Facts.Open, func(inv invoice.Invoice) bool {
		waits := inv.Terms.Sent() && inv.OverdueAt.IsZero() // a sent invoice has no attempts
		return inv.Collection.Phase == collection.Exhausted && !waits
	})
	if i < 0 {
		return d, nil
	}
	s.Subscription = d.Subscription
	unpaid, err := s.Unpaid(s.Facts.Settings.Dunning.Final, s.Facts.Open[i].Collection.Attempts, now)
	d.Subscription, d.Events = unpaid.Subscription, append(d.Events, unpaid.Events...)
	return d, err
}

// StopsAtTrialEnd reports whether the subscription is in a trial that must not end without a payment method.
func (s Situation) StopsAtTrialEnd() bool {
	stops := s.Facts.Plan.TrialEnd == plan.TrialEndCancel || s.Facts.Plan.TrialEnd == plan.TrialEndPause
	if s.Status != subscription.Trialing || !stops {
		return false
	}
	first := s.Renewal()
	first.Fees = true
	return first.AsksMethod()
}

// withoutMethod returns the end of a trial that must not end without a payment method.
func (s Situation) withoutMethod(now time.Time) Decision {
	if s.Facts.Plan.TrialEnd == plan.TrialEndCancel {
		return s.end(ReasonNoPaymentMethod, now)
	}
	return s.pausedAt(s.TrialEndsAt, subscription.PauseNoMethod, time.Time{}, now)
}
