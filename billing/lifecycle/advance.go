package lifecycle

import (
	"slices"
	"time"

	"perennial/billing/collection"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/metering"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
)

// maxSteps bounds the due actions of one decision. A renewal that is a year behind needs several decisions.
const maxSteps = 12

// Advance performs all actions that are due by now, oldest first: boundaries, retries, the end of a past-due
// subscription or of a pause, a new payment method. A repetition performs nothing twice. Changes.Unfinished reports
// that more is due than one call performs.
func Advance(s State, at Moment) (State, Changes, error) {
	d := Begin(s, at)
	if err := d.CatchUp(); err != nil {
		return State{}, Changes{}, err
	}
	return d.Finish()
}

// CatchUp performs all actions that are due by now.
func (d *Decision) CatchUp() error { return d.owner().catchUp(d) }

// holdsUp reports whether an attempt to collect open invoice i would delay an overdue change at a date within the
// current period: on time, no attempt would have delayed it.
func (ofSubscription) holdsUp(d *Decision, i int) bool {
	s := d.Subscription
	if len(s.Scheduled) == 0 || i < 0 || d.Open[i].PeriodIndex != s.PeriodIndex {
		return false
	}
	at, ok := d.situation().ChangeAt()
	return ok && !d.Now.Before(at) && at.Before(s.CurrentPeriod.End)
}

// endErased ends the subscription of an erased customer, in the first decision about it. Earlier due invoices are
// neither billed nor collected, nor are waiting lines: an invoice would have no recipient.
func (ofSubscription) endErased(d *Decision) error {
	for len(d.Drafts) > 0 {
		d.discard(0)
	}
	if d.Subscription.Status == subscription.Canceled {
		return nil
	}
	d.Subscription.PendingLines = nil
	d.Subscription.MeteredSince, d.Subscription.LateUsageUntil = time.Time{}, time.Time{}
	cancel := subscribing.Cancellation{Reason: subscribing.ReasonCustomerDeleted, Immediate: true}
	return d.decide(d.situation().Cancel(cancel, d.Now))
}

// perform performs one due action.
func (ofSubscription) perform(d *Decision, action subscription.Action) error {
	s := d.Subscription
	switch action {
	case subscription.ActionPaymentRetry:
		return d.Step(d.IndexOpen(s.CollectingInvoiceID), collection.RetryDue)
	case subscription.ActionInvoiceOverdue:
		return d.overdue(d.IndexOpen(s.CollectingInvoiceID))
	case subscription.ActionFinalize:
		ready := func(inv invoice.Invoice) bool { return !inv.AwaitsUsage() }
		return d.finalizeAlone(slices.IndexFunc(d.Drafts, ready)) // the one whose grace ends first
	case subscription.ActionPastDueEnd:
		return d.decide(d.situation().ExpirePastDue(d.Now))
	case subscription.ActionIncompleteEnd:
		return d.decide(d.situation().ExpireIncomplete(attemptsLate(d), d.Now))
	case subscription.ActionPendingChangeEnd:
		return expireChange(d)
	case subscription.ActionTrialNotice:
		return d.decide(d.situation().AnnounceTrialEnd(d.Now))
	case subscription.ActionRenewalReminder:
		return d.decide(d.situation().AnnounceRenewal(d.Now))
	case subscription.ActionResume:
		return d.decide(d.situation().Resume(s.ResumesAt, d.Now))
	case subscription.ActionScheduledChange:
		return d.decide(d.situation().MakeChange(d.Now))
	case subscription.ActionBillUsage: // without a draft: existing ones are not performed here
		return billLate(d)
	case subscription.ActionBegin, subscription.ActionTrialEnd, subscription.ActionRenewal, subscription.ActionCancel:
		return d.decide(d.situation().OpenPeriod(d.Now))
	default:
		return fault.New(fault.Internal, "action_unknown",
			"Subscription %s waits for the unknown action %q.", s.ID, action)
	}
}

// attemptsLate reports whether a payment is in progress whose answer a late decision should wait for. A test clock
// passes its times one by one: nothing of it is late.
func attemptsLate(d *Decision) bool { return d.ClockNow.IsZero() && len(d.Pending) > 0 }

// decide applies a decision of the subscription's rules, or returns its refusal.
func (d *Decision) decide(made subscribing.Decision, err error) error {
	if err != nil {
		return err
	}
	return d.carryOut(made)
}

// carryOut applies a decision of the subscription's rules.
func (d *Decision) carryOut(made subscribing.Decision) error {
	change := metering.Change{Before: d.Subscription, Was: d.Plan, WasAddOns: d.AddOns, At: d.due}
	if err := d.followPlans(made.Subscription); err != nil {
		return err
	}
	change.Is, change.IsAddOns = d.Plan, d.AddOns
	made, closed, err := meter(change, made)
	if err != nil {
		return err
	}
	d.Subscription, change.After = made.Subscription, made.Subscription
	d.Changes.AsksThresholds = d.Changes.AsksThresholds || asksThresholds(change)
	d.Changes.Segments = append(d.Changes.Segments, closed...)
	d.Changes.Events = append(d.Changes.Events, made.Events...)
	d.Changes.Unredeemed = append(d.Changes.Unredeemed, made.Unused...)
	if made.Withdrawn != nil {
		if err := withdrawChange(d, *made.Withdrawn); err != nil {
			return err
		}
	}
	for _, draft := range made.Issue {
		if err := d.issue(draft); err != nil {
			return err
		}
	}
	if made.Withdraw {
		if err := withdrawAll(d); err != nil {
			return err
		}
	}
	if made.StopCollection {
		return d.stop()
	}
	return nil
}

// withdrawAll voids the open invoices. Later payments for them are refunded.
func withdrawAll(d *Decision) error {
	for len(d.Open) > 0 {
		inv, err := void(d, 0, "", true)
		if err != nil {
			return err
		}
		givenUp(d, inv)
	}
	return nil
}
