package subscription

import (
	"slices"
	"sort"
	"time"

	"perennial/billing/event"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/proration"
)

// Change asks for another plan that is sold in the subscription's currency, another quantity, other add-ons, or several
// of these: now, with proration, or at the period's end.
type Change struct {
	Plan        *plan.Plan // nil: as it is
	Quantity    int64      // 0: as it is
	AddOns      *[]Chosen  // all of them; nil: as they are
	AtPeriodEnd bool
	// Proration says what becomes of a change now; empty: InvoiceNow. A change that restarts the period is invoiced now,
	// whatever it says, and so is one with NextInvoice where the current period is unpaid or maxWaiting lines wait.
	Proration ProrationBehavior
	At        time.Time // from when a change now is prorated, at most now; zero: now
	On        time.Time // the date that it waits for; zero: it does not, see ScheduleChange
}

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
	if _, err := s.Facts.first(to); err != nil {
		return Decision{}, err
	}
	next := proposal.renewsOn(c, to)
	if err := s.Facts.aligned(next); err != nil {
		return Decision{}, err
	}
	// Nothing may stop a renewal later: neither what waits for the period's end, nor what it meets there.
	if err := s.renewable(next); err != nil {
		return Decision{}, err
	}
	if to.of(s.Subscription) || c.AtPeriodEnd {
		return Decision{Subscription: proposal.Subscription,
			Events: []event.Event{proposal.updated(now, proposal.fields...)}}, nil
	}
	if err := s.Facts.aligned(to); err != nil {
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
func (s proposal) changeNow(what target, at, now time.Time) (Decision, error) {
	was, to := s.Subscription, what.plan
	s.Quantity, s.AddOns = what.quantity, what.addOns
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
		updated := s.updated(now, fields...)
		if s.PlanID == was.PlanID {
			return []event.Event{updated}
		}
		return []event.Event{s.planChanged(was.PlanID, now), updated}
	}
	items := s.itemsOn(to)
	if s.PeriodIndex == 0 { // nothing is billed yet: the first period will be, on the new plan
		s.setPlan(to.Ref())
		s.Interval, s.Items = to.Interval, items
		if s.unbegun() {
			s.beginAt(s.CurrentPeriod.Start)
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
func (s *proposal) exchange(to plan.Plan, items []Item, now time.Time) ([]invoice.Draft, error) {
	if !s.CurrentPeriod.Contains(now) {
		return nil, ErrRenewalDue
	}
	restarts := s.restarts || to.Interval != s.Interval
	billed := s.Facts.free(s.Items, s.Facts.Plan) || s.covered()
	unbilled := !billed && s.Status == PastDue // see below
	if s.how == NoProration && !restarts {
		s.keepBilled(to, items, !unbilled)
		return nil, nil
	}
	open := s.Facts.openFor(s.PeriodIndex)
	left, added, err := s.creditRemoved(items, restarts, now)
	if err != nil {
		return nil, err
	}
	s.UnproratedIndex = 0
	s.setPlan(to.Ref())
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
	if charge, err = s.discounted(left.lines, charge); err != nil {
		return nil, err
	}
	lines := append(left.lines, charge...)
	if s.how == NextInvoice && !restarts && open == nil && len(lines) <= maxWaiting {
		return nil, s.wait(lines, to)
	}
	s.PendingLines = nil
	issue := s.drafts(invoice.Update, rest, lines)
	for i := range issue {
		issue[i].Replaces, issue[i].Creditable = left.replaces, left.creditable
		if _, err := issue[i].Sums(); err != nil {
			return nil, err
		}
	}
	if len(issue) == 0 && s.Facts.free(items, to) && s.Status == Active {
		s.paidUntil(s.CurrentPeriod.End)
	}
	return issue, nil
}

// charged is what items cost from now on, and the time that it is for: what is left of the current period, or all of
// the one that a restart begins.
func (s *proposal) charged(
	to plan.Plan, added []Item, restarts bool, now time.Time,
) (of period.Period, lines []invoice.Line, err error) {
	if restarts {
		s.restart(to.Interval, s.Facts.Settings.measure(to), now)
		lines, err = s.wholePeriod(added, to)
		return s.CurrentPeriod, lines, err
	}
	lines, err = s.restOfPeriod(added, to, now)
	return period.Period{Start: now, End: s.CurrentPeriod.End}, lines, err
}

// keepBilled puts the subscription on a plan with items, and leaves the current period billed as it is.
func (s *proposal) keepBilled(to plan.Plan, items []Item, billed bool) {
	s.setPlan(to.Ref())
	s.Items = items
	if billed {
		s.UnproratedIndex = s.PeriodIndex
	}
}

// creditRemoved credits the items that are removed, and returns which of the added ones are to be charged. After a
// change that was not prorated all are: what is billed of the period is of other items. Faults: period_paid_elsewhere,
// payment_in_progress.
func (s *proposal) creditRemoved(
	items []Item, restarts bool, now time.Time,
) (left unusedTime, added []Item, err error) {
	switch {
	case s.how == NoProration && s.restarts:
		return s.withoutCredit(), items, nil
	case s.paidElsewhere():
		return unusedTime{}, nil, ErrPaidElsewhere
	case s.paymentInProgress():
		return unusedTime{}, nil, ErrPaymentPending
	}
	rest, err := s.rest(now)
	if err != nil {
		return unusedTime{}, nil, err
	}
	removed, added := s.Items, items
	if !restarts && s.UnproratedIndex != s.PeriodIndex {
		removed, added = except(s.Items, items), except(items, s.Items)
	}
	left, err = s.unusedTime(removed, rest, now)
	return left, added, err
}

// except returns the items that others does not have, with this quantity.
func except(items, others []Item) []Item {
	return slices.DeleteFunc(slices.Clone(items), func(i Item) bool { return slices.Contains(others, i) })
}

// unusedTime has the lines of the new invoice that take unused time back, and the open invoice that it replaces.
type unusedTime struct {
	lines      []invoice.Line
	replaces   string
	credit     money.Minor        // of the lines: the unused time that they take back now, before taxes
	creditable invoice.Creditable // the most that may go back, with taxes
}

// unusedTime values the unused time of items, as far as it is billed: on paid invoices, on the open one that the new
// invoice takes in, which the caller must be able to withdraw, and by lines that wait for an invoice, which it takes in
// as well. All that is unpaid of the period is then on one invoice, so a total below zero, which becomes credit or a
// refund, is never more than was paid.
func (s Period) unusedTime(removed []Item, unused proration.Span, now time.Time) (unusedTime, error) {
	out := unusedTime{lines: slices.Clone(s.PendingLines)}
	if open := s.Facts.openFor(s.PeriodIndex); open != nil {
		if open.Credited != (invoice.Credited{}) {
			return unusedTime{}, invoice.ErrHasCreditNotes
		}
		out.replaces, out.lines = open.ID, append(out.lines, open.Lines...)
	}
	kept := s.retained().Total + s.credited(out.lines).Total
	out.creditable = s.creditable(out.lines)
	issued := s.issued()
	credits, err := s.credits(issued, removed, unused, now)
	if err != nil {
		return unusedTime{}, err
	}
	for _, credit := range credits {
		if s.Facts.GivenBack > 0 || s.Facts.noted() {
			if credit, err = afforded(out.lines, credit, reversed(issued, credit), -kept); err != nil {
				return unusedTime{}, err
			}
		}
		out.credit -= credit.Amount
		out.lines = append(out.lines, credit) // also one of nothing: the line that it reverses is not credited later
	}
	return out, nil
}

// afforded is what a credit of what was billed may be where money of the period went back already: so much that all
// lines with it, discounts and taxes included, come to no less than least.
func afforded(lines []invoice.Line, credit, billed invoice.Line, least money.Minor) (invoice.Line, error) {
	without, err := invoice.Draft{Lines: lines, Creditable: unbound}.Sums()
	if err != nil {
		return credit, err
	}
	total := func(credit invoice.Line) money.Minor {
		var with invoice.Sums
		if with, err = (invoice.Draft{Lines: append(slices.Clone(lines), credit), Creditable: unbound}).Sums(); err != nil {
			return least
		}
		return with.Total
	}
	with := total(credit)
	if err != nil || with >= least {
		return credit, err
	}
	worth := money.Part(-credit.Amount, 0, int64(max(without.Total-least, 0)), int64(without.Total-with))
	out := credit.TakeBack(billed, worth)
	if len(billed.Discounts) > 0 && total(out) < least { // rounded twice: find the most that can be afforded
		fits := func(less int) bool { return total(credit.TakeBack(billed, worth-money.Minor(less))) >= least }
		out = credit.TakeBack(billed, worth-money.Minor(sort.Search(int(worth), fits)))
	}
	return out, err
}
