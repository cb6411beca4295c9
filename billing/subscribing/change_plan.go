package subscribing

import (
	"cmp"
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

// Change is a request for another plan that is sold in the subscription's currency, another quantity, other add-ons, or
// several of these: now, with proration, or at the period's end.
type Change struct {
	Plan        *plan.Plan             // nil: no change
	Quantity    int64                  // 0: no change
	AddOns      *[]subscription.Chosen // all of them; nil: no change
	AtPeriodEnd bool
	// Proration is the treatment of a change now; empty: InvoiceNow. A change is invoiced now in any case where it
	// restarts the period, and, with NextInvoice, where the current period is unpaid or maxWaiting lines wait.
	Proration subscription.ProrationBehavior
	At        time.Time // a change now is prorated from here on, at most now; zero: now
	On        time.Time // the date of a scheduled change; zero: none, see ScheduleChange
	// Behavior is the treatment of a change now that costs something; empty: Activate.
	Behavior subscription.PaymentBehavior
	ID       string // of a change that waits for its payment
}

// maxWaiting bounds the waiting lines, since the subscription's row holds them.
const maxWaiting = 100

// ErrPaidElsewhere refuses a change whose price depends on a payment in another system.
var ErrPaidElsewhere = fault.New(fault.Conflict, "period_paid_elsewhere",
	"The current period was paid in the system that the subscription was imported from, so that no invoice here can "+
		"credit its unused time. Send `effective: \"period_end\"`, or `prorationBehavior: \"none\"` where the interval "+
		"stays.")

// ChangePlan changes the plan, the quantity or the add-ons. During a trial it charges nothing. A change of interval
// restarts the period now. Unused time that was paid is credited; unused time that is billed but unpaid is reversed by
// an invoice that replaces the open one. Unchanged items keep their lines. With PendPayment a change that costs
// something waits until its invoice is paid. Faults: subscription_canceled, change_pending, plan_is_add_on,
// plan_inactive, currency_mismatch, plan_unchanged, quantity_unchanged, quantity_out_of_range, add_ons_unchanged,
// add_ons_other_interval, usage_interval_mismatch, those of Sell, payment_in_progress, renewal_due,
// period_paid_elsewhere, amount_too_large, those of realignable and of checkLonger; with PendPayment those of
// checkBehavior and of pend.
func (s Situation) ChangePlan(c Change, now time.Time) (Decision, error) {
	if err := c.checkBehavior(s.Subscription); err != nil {
		return Decision{}, err
	}
	if err := changeable(s, changePlan); err != nil {
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
	present := to
	if c.AtPeriodEnd {
		present = s.Present()
	}
	if err := renewable(proposal.Situation, present, next); err != nil {
		return Decision{}, err
	}
	// Nothing may stop a renewal later: neither the waiting change, nor its sum with other waiting changes.
	if err := s.Renewable(next); err != nil {
		return Decision{}, err
	}
	if to.Of(s.Subscription) || c.AtPeriodEnd {
		return Decision{Subscription: proposal.Subscription,
			Events: []event.Event{proposal.Updated(now, proposal.fields...)}}, nil
	}
	at := from(c.At, now)
	made, err := proposal.changeNow(to, at, now)
	if err != nil || !c.Behavior.Waits() {
		return made, err
	}
	return pend(s, c, to, made, at, now)
}

// changeable refuses a change by the status, and beside one that waits for its payment, whose price it would change.
// Faults: change_pending and those of the status.
func changeable(s Situation, in input) error {
	if err := permit(s.Status, in); err != nil {
		return err
	}
	if s.PendingChange != nil {
		return ErrChangePending
	}
	return nil
}

// from returns the time from which a command credits and bills time: at, or now where that is zero, in whole seconds.
func from(at, now time.Time) time.Time { return cmp.Or(at, now).UTC().Truncate(time.Second) }

// since is from, of the current period. Fault: renewal_due, where that has begun after at.
func since(at time.Time, current period.Period, now time.Time) (time.Time, error) {
	if !at.IsZero() && at.Before(current.Start) {
		return at, ErrRenewalDue
	}
	return from(at, now), nil
}

// changeNow bills the subscription for other items from a time on.
func (s proposal) changeNow(what costing.Target, at, now time.Time) (Decision, error) {
	was, to := s.Subscription, what.Plan
	first := s.PeriodIndex == 0
	restarts := s.restartsOn(to)
	every, err := s.Counts(what, restarts || first)
	if err != nil {
		return Decision{}, err
	}
	s.Quantity, s.AddOns = what.Quantity, what.AddOns
	items := s.ItemsOn(to)
	if first { // no period is billed yet: the first one will be, on the new plan
		s.SetPlan(to.Ref())
		s.Items = items
		s.CountBy(every, to.Interval)
		if s.Unbegun() {
			s.BeginAt(s.CurrentPeriod.Start)
		}
		return Decision{Subscription: s.Subscription, Events: changed(s.Situation, was, now)}, nil
	}
	if !restarts {
		if err := realignable(s, every); err != nil {
			return Decision{}, err
		}
		realign(&s.Situation, every, to, at)
	}
	if s.goesOn(to, items) {
		s.SetPlan(to.Ref())
		s.Items = items
		return Decision{Subscription: s.Subscription, Events: changed(s.Situation, was, now)}, nil
	}
	issue, err := s.exchange(to, items, at)
	if err != nil {
		return Decision{}, err
	}
	s.owes(was, issue)
	return Decision{Subscription: s.Subscription, Issue: issue, Events: changed(s.Situation, was, now)}, nil
}

// changed returns the events of a change from was, which has changed also other fields.
func changed(s Situation, was subscription.Subscription, now time.Time, others ...string) []event.Event {
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
	updated := s.Updated(now, append(fields, others...)...)
	if s.PlanID == was.PlanID {
		return []event.Event{updated}
	}
	return []event.Event{s.PlanChanged(was.PlanID, now), updated}
}

// owes notes whether a change from was is to be paid before it gives access: by its invoice, or in past due by that of
// the recovery. Without proration, or where its lines wait for the next invoice, there is nothing to be paid for it
// now. What is paid for in past due stays until the recovery: such a change pays for nothing else.
func (s *proposal) owes(was subscription.Subscription, issue []invoice.Draft) {
	switch {
	case len(issue) > 0, s.Status == subscription.PastDue && !s.Covered():
		s.OwesChange(was)
	case s.Status != subscription.PastDue && s.how != subscription.NoProration && len(s.PendingLines) == 0:
		s.PaidFor = nil
	}
}

// goesOn reports whether items on a plan are those that the subscription has, billed or not: flat prices ignore the
// quantity, and another version of the plan or an add-on may repeat all prices. Plans without prices in advance both
// have no items, but a change between them is a change of plan.
func (s proposal) goesOn(to plan.Plan, items []subscription.Item) bool {
	if to.Ref() == s.Plan() && slices.Equal(items, s.Items) {
		return true
	}
	return to.ID == s.PlanID && !s.restartsOn(to) && alike(items, s.Items)
}

// restartsOn reports whether the period restarts with a change to a plan.
func (s proposal) restartsOn(to plan.Plan) bool {
	return s.restarts || to.Interval != s.Facts.Plan.Interval
}

// realign makes the subscription count by an interval that is as long as its own, or shorter: the current period
// becomes the one around a time, counted from the same anchor. Longer items stay billed for their own periods.
func realign(s *Situation, every period.Interval, to plan.Plan, at time.Time) {
	if !every.SameLength(s.Interval) && s.CurrentPeriod.Contains(at) {
		s.Realign(every, to.Interval, at)
	}
}

// ErrShortFirst refuses a shorter interval in a first period that is cut short: its periods would be counted back from
// the anchor.
var ErrShortFirst = fault.New(fault.Conflict, "first_period_short",
	"The first period ends at `billingAnchor`, before which the subscription cannot count by a shorter interval. Send "+
		"`effective: \"period_end\"`.").In("addOns")

// realignable refuses a shorter interval where the current period could not be divided. Faults: first_period_short,
// proration_none_unsupported.
func realignable(s proposal, every period.Interval) error {
	switch {
	case every.SameLength(s.Interval):
		return nil
	case s.Short():
		return ErrShortFirst
	case s.UnproratedIndex == s.PeriodIndex:
		return ErrLongUnprorated
	}
	return nil
}

// ErrLongUnprorated refuses to leave a long period billed as it is: later changes could not tell what its lines bill.
var ErrLongUnprorated = fault.New(fault.Conflict, "proration_none_unsupported",
	"The change concerns an item that is billed by a longer interval than others, whose period cannot stay billed as it "+
		"is. Send another `prorationBehavior`, or `effective: \"period_end\"`.").In("prorationBehavior")

// ErrLongPastDue refuses to change a long period while the current period is not billed: on recovery it would be billed
// with the new items, and nothing would be credited.
var ErrLongPastDue = fault.New(fault.Conflict, "subscription_past_due",
	"The subscription is past due, and its current period is not billed. Pay its open invoice first: the change concerns "+
		"an item that is billed by a longer interval than others.")

// checkLonger refuses what cannot be billed right of items with longer own periods. Faults: proration_none_unsupported,
// subscription_past_due, subscription_invoice_open, period_paid_elsewhere.
func (s proposal) checkLonger(to plan.Plan, items []subscription.Item, restarts, unbilled bool) error {
	removed, added := s.LongerItems(s.Items, s.Facts.Plan), []subscription.Item(nil)
	if !restarts {
		removed, added = except(removed, items), s.LongerItems(except(items, s.Items), to)
	}
	switch {
	case len(removed) == 0 && len(added) == 0:
		return nil
	case s.how == subscription.NoProration && !restarts:
		return ErrLongUnprorated
	case unbilled:
		return ErrLongPastDue
	case s.how == subscription.NoProration && s.restarts: // the anchor moves, and nothing is credited
		return nil
	}
	return s.CheckCreditable(removed)
}

// exchange puts the subscription on a plan with items, and returns the invoice: it credits the unused time of removed
// and changed items, and charges the remaining time of added ones.
func (s *proposal) exchange(to plan.Plan, items []subscription.Item, now time.Time) ([]invoice.Draft, error) {
	if !s.CurrentPeriod.Contains(now) {
		return nil, ErrRenewalDue
	}
	restarts := s.restartsOn(to)
	billed := s.Facts.Free(s.Items, s.Facts.Plan) || s.Covered()
	unbilled := !billed && s.Status == subscription.PastDue // see below
	if err := s.checkLonger(to, items, restarts, unbilled); err != nil {
		return nil, err
	}
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
	// A period that cost something but has no invoice (it began while past due) is billed in full on recovery, with the
	// new items.
	if unbilled {
		return nil, nil
	}
	if charge, err = s.Charged(to, left, charge); err != nil {
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
	noteFree(&s.Situation, issue)
	if len(issue) == 0 && s.Facts.Free(items, to) && s.Status == subscription.Active {
		s.ExtendPaid(s.CurrentPeriod.End)
	}
	return issue, nil
}

// charged returns the lines of items from now on, and the time that they pay for: the rest of the current period, or
// all of the period that a restart begins.
func (s *proposal) charged(
	to plan.Plan, added []subscription.Item, restarts bool, now time.Time,
) (of period.Period, lines []invoice.Line, err error) {
	if restarts {
		s.restart(to, now)
		lines, err = s.WholePeriod(added, to)
		return s.CurrentPeriod, lines, err
	}
	lines, err = s.RestOfPeriod(added, to, now)
	return period.Period{Start: now, End: s.CurrentPeriod.End}, lines, err
}

// keepBilled puts the subscription on a plan with items, and keeps the invoices of the current period.
func (s *proposal) keepBilled(to plan.Plan, items []subscription.Item, billed bool) {
	s.SetPlan(to.Ref())
	s.Items = items
	if billed {
		s.UnproratedIndex = s.PeriodIndex
	}
}

// creditRemoved credits the removed items, and returns the added ones that must be charged. After a change without
// proration these are all: the period's invoice bills other items. Faults: period_paid_elsewhere, payment_in_progress.
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
	if !restarts {
		removed, added = changedItems(s, items)
	}
	left, err = s.UnusedTime(removed, rest, now)
	return left, added, err
}

// changedItems returns the items that a change credits and charges: those that it changes, and, after a change without
// proration, all that are billed with the current period.
func changedItems(s *proposal, items []subscription.Item) (removed, added []subscription.Item) {
	removed, added = except(s.Items, items), except(items, s.Items)
	if s.UnproratedIndex != s.PeriodIndex {
		return removed, added
	}
	to := s.Facts.Plan
	stay := except(s.LongerItems(items, to), added)
	return except(s.Items, stay), except(items, stay)
}

// except returns the items without those that others has with the same quantity.
func except(items, others []subscription.Item) []subscription.Item {
	return slices.DeleteFunc(slices.Clone(items), func(i subscription.Item) bool {
		return slices.ContainsFunc(others, i.Alike)
	})
}

// alike reports whether both are the same items with the same quantities, apart from the ids of their prices.
func alike(items, others []subscription.Item) bool {
	return len(except(items, others)) == 0 && len(except(others, items)) == 0
}
