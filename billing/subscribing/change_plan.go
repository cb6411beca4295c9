package subscribing

import (
	"slices"
	"time"

	"perennial/billing/costing"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/subscription"
)

// Change asks for another plan that is sold in the subscription's currency, another quantity, other add-ons, or several
// of these: now, with proration, or at the period's end.
type Change struct {
	Plan        *plan.Plan             // nil: as it is
	Quantity    int64                  // 0: as it is
	AddOns      *[]subscription.Chosen // all of them; nil: as they are
	AtPeriodEnd bool
	// Proration says what becomes of a change now; empty: InvoiceNow. A change that restarts the period is invoiced now,
	// whatever it says, and so is one with NextInvoice where the current period is unpaid or maxWaiting lines wait.
	Proration subscription.ProrationBehavior
	At        time.Time // from when a change now is prorated, at most now; zero: now
	On        time.Time // the date that it waits for; zero: it does not, see ScheduleChange
}

// maxWaiting bounds the lines that wait, since they are part of the subscription's row.
const maxWaiting = 100

// ErrPaidElsewhere refuses a change whose price depends on what was paid in another system.
var ErrPaidElsewhere = fault.New(fault.Conflict, "period_paid_elsewhere",
	"The current period was paid in the system that the subscription was imported from, so that no invoice here can "+
		"credit its unused time. Send `effective: \"period_end\"`, or `prorationBehavior: \"none\"` where the interval "+
		"stays.")

// ChangePlan changes what the subscription is billed for. During a trial nothing is charged. A change of interval
// restarts the period now. Unused time that was paid is credited; unused time that is billed but unpaid is reversed by
// an invoice that replaces the open one. Items that stay as they are keep their lines. Faults: subscription_canceled,
// plan_is_add_on, plan_inactive, currency_mismatch, plan_unchanged, quantity_unchanged, quantity_out_of_range,
// add_ons_unchanged, add_ons_other_interval, those of Sell, payment_in_progress, renewal_due, period_paid_elsewhere,
// amount_too_large.
func (s Situation) ChangePlan(c Change, now time.Time) (Decision, error) {
	if err := permit(s.Status, changePlan); err != nil {
		return Decision{}, err
	}
	to, proposal, err := s.propose(c)
	if err != nil {
		return Decision{}, err
	}
	if _, err := s.Facts.FirstCost(to); err != nil {
		return Decision{}, err
	}
	next := proposal.renewsOn(c, to)
	if err := s.Facts.Aligned(next); err != nil {
		return Decision{}, err
	}
	// Nothing may stop a renewal later: neither what waits for the period's end, nor what it meets there.
	if err := s.Renewable(next); err != nil {
		return Decision{}, err
	}
	if to.Of(s.Subscription) || c.AtPeriodEnd {
		return Decision{Subscription: proposal.Subscription,
			Events: []event.Event{proposal.Updated(now, proposal.fields...)}}, nil
	}
	if err := s.Facts.Aligned(to); err != nil {
		return Decision{}, err
	}
	return proposal.changeNow(to, c.at(now), now)
}

// at is when the change takes effect, in whole seconds.
func (c Change) at(now time.Time) time.Time {
	if !c.At.IsZero() {
		now = c.At
	}
	return now.UTC().Truncate(time.Second)
}

// changeNow bills the subscription for other items from a time on.
func (s proposal) changeNow(what costing.Target, at, now time.Time) (Decision, error) {
	was, to := s.Subscription, what.Plan
	s.Quantity, s.AddOns = what.Quantity, what.AddOns
	events := func() []event.Event {
		var fields []string
		if s.PlanID != was.PlanID {
			fields = append(fields, "planId")
		}
		if s.PlanID == was.PlanID && s.PlanVersion != was.PlanVersion {
			fields = append(fields, "planVersion")
		}
		if s.Quantity != was.Quantity {
			fields = append(fields, "quantity")
		}
		if !slices.Equal(s.AddOns, was.AddOns) {
			fields = append(fields, "addOns")
		}
		if len(s.PendingLines) != len(was.PendingLines) {
			fields = append(fields, "pendingLines")
		}
		updated := s.Updated(now, fields...)
		if s.PlanID == was.PlanID {
			return []event.Event{updated}
		}
		return []event.Event{s.PlanChanged(was.PlanID, now), updated}
	}
	items := s.ItemsOn(to)
	if s.PeriodIndex == 0 { // nothing is billed yet: the first period will be, on the new plan
		s.SetPlan(to.Ref())
		s.Interval, s.Items = to.Interval, items
		if s.Unbegun() {
			s.BeginAt(s.CurrentPeriod.Start)
		}
		return Decision{Subscription: s.Subscription, Events: events()}, nil
	}
	if slices.Equal(items, s.Items) { // flat prices ignore the quantity
		return Decision{Subscription: s.Subscription, Events: events()}, nil
	}
	issue, err := s.exchange(to, items, at)
	if err != nil {
		return Decision{}, err
	}
	return Decision{Subscription: s.Subscription, Issue: issue, Events: events()}, nil
}

// exchange puts the subscription on a plan with items, and makes the invoice of it: the unused time of items that go or
// change is credited, and the time that is left of the added ones is charged.
func (s *proposal) exchange(to plan.Plan, items []subscription.Item, now time.Time) ([]invoice.Draft, error) {
	if !s.CurrentPeriod.Contains(now) {
		return nil, ErrRenewalDue
	}
	restarts := s.restarts || to.Interval != s.Interval
	billed := s.Facts.Free(s.Items, s.Facts.Plan) || s.Covered()
	unbilled := !billed && s.Status == subscription.PastDue // see below
	if s.how == subscription.NoProration && !restarts {
		s.keepBilled(to, items, !unbilled)
		return nil, nil
	}
	open := s.Facts.OpenFor(s.PeriodIndex)
	left, added, err := s.creditRemoved(items, restarts, now)
	if err != nil {
		return nil, err
	}
	s.UnproratedIndex = 0
	s.SetPlan(to.Ref())
	s.Items = items
	rest, charge, err := s.charged(to, added, restarts, now)
	if err != nil {
		return nil, err
	}
	// A period that cost something and that nobody billed (it began while past due) is billed in full on recovery, with
	// the new items.
	if unbilled {
		return nil, nil
	}
	if charge, err = s.Discounted(left.Lines, charge); err != nil {
		return nil, err
	}
	lines := append(left.Lines, charge...)
	if s.how == subscription.NextInvoice && !restarts && open == nil && len(lines) <= maxWaiting {
		return nil, s.Wait(lines, to)
	}
	s.PendingLines = nil
	issue := s.Drafts(invoice.Update, rest, lines)
	for i := range issue {
		issue[i].Replaces, issue[i].Creditable = left.Replaces, left.Creditable
		if _, err := issue[i].Sums(); err != nil {
			return nil, err
		}
	}
	if len(issue) == 0 && s.Facts.Free(items, to) && s.Status == subscription.Active {
		s.ExtendPaid(s.CurrentPeriod.End)
	}
	return issue, nil
}

// charged is what items cost from now on, and the time that it is for: what is left of the current period, or all of
// the one that a restart begins.
func (s *proposal) charged(
	to plan.Plan, added []subscription.Item, restarts bool, now time.Time,
) (of period.Period, lines []invoice.Line, err error) {
	if restarts {
		s.restart(to.Interval, s.Facts.Settings.Measure(to), now)
		lines, err = s.WholePeriod(added, to)
		return s.CurrentPeriod, lines, err
	}
	lines, err = s.RestOfPeriod(added, to, now)
	return period.Period{Start: now, End: s.CurrentPeriod.End}, lines, err
}

// keepBilled puts the subscription on a plan with items, and leaves the current period billed as it is.
func (s *proposal) keepBilled(to plan.Plan, items []subscription.Item, billed bool) {
	s.SetPlan(to.Ref())
	s.Items = items
	if billed {
		s.UnproratedIndex = s.PeriodIndex
	}
}

// creditRemoved credits the items that are removed, and returns which of the added ones are to be charged. After a
// change that was not prorated all are: what is billed of the period is of other items. Faults: period_paid_elsewhere,
// payment_in_progress.
func (s *proposal) creditRemoved(
	items []subscription.Item, restarts bool, now time.Time,
) (left costing.UnusedTime, added []subscription.Item, err error) {
	switch {
	case s.how == subscription.NoProration && s.restarts:
		return s.WithoutCredit(), items, nil
	case s.PaidElsewhere():
		return costing.UnusedTime{}, nil, ErrPaidElsewhere
	case s.paymentInProgress():
		return costing.UnusedTime{}, nil, ErrPaymentPending
	}
	rest, err := s.Rest(now)
	if err != nil {
		return costing.UnusedTime{}, nil, err
	}
	removed, added := s.Items, items
	if !restarts && s.UnproratedIndex != s.PeriodIndex {
		removed, added = except(s.Items, items), except(items, s.Items)
	}
	left, err = s.UnusedTime(removed, rest, now)
	return left, added, err
}

// except returns the items that others does not have, with this quantity.
func except(items, others []subscription.Item) []subscription.Item {
	return slices.DeleteFunc(slices.Clone(items), func(i subscription.Item) bool { return slices.Contains(others, i) })
}
