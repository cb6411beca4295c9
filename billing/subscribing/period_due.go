package subscribing

import (
	"slices"
	"time"

	"perennial/billing/costing"
	"perennial/billing/event"
	"perennial/billing/invoice"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/proration"
	"perennial/billing/subscription"
)

// OpenPeriod opens one period: the first one, the one after a trial, or a renewal. A plan change at the boundary takes
// effect. It ends the subscription instead where a cancellation is due, and ends or pauses it where its trial must not
// end without a payment method. Where several periods have passed, the caller calls it again; for those before the
// first, see begins. Faults: subscription_canceled, period_not_due.
func (s Situation) OpenPeriod(now time.Time) (Decision, error) {
	begin := s.Unbegun() // a change at the end of the period waits for the end of the first one
	if err := permit(s.Status, periodDue); err != nil && !begin {
		return Decision{}, err
	}
	start := s.Boundary()
	if now.Before(start) {
		return Decision{}, ErrPeriodNotDue
	}
	if s.Ends() && !begin {
		return endOnTime(s, start, now)
	}
	if !s.Facts.CanPay && s.StopsAtTrialEnd() {
		return s.withoutMethod(now), nil
	}
	return s.openNext(opening{start: start, begin: begin, first: s.first(), renews: true}, now)
}

// opening has the details of opening the next period.
type opening struct {
	start time.Time // of the period
	begin bool      // the first period of a subscription without a trial
	first bool      // no earlier period was billed
	// renews: the schedule opens it, so no customer is present.
	renews bool
}

// first reports whether the next period is the first billed one.
func (s Situation) first() bool { return s.PeriodIndex == 0 && s.ActivatedAt.IsZero() }

// openNext opens the next period, and bills it.
func (s Situation) openNext(o opening, now time.Time) (Decision, error) {
	begin, waited := o.begin, s.Waiting()
	bill := s.Facts.Plan
	was := s.Subscription
	var d Decision
	var lines []invoice.Line
	var err error
	if begin {
		lines, d.Passed, err = s.begins()
	} else {
		bill = s.becomeNext(o.start)
		d.Events = anchorAt(&s, bill, o.start, now)
		s.open(s.Facts.Settings.Measure(bill))
		s.Join(was.Items)
		if renewed(&s, bill); s.RenewedIndex < s.PeriodIndex { // an own period that continues is divided by one measure
			s.ProrationMeasure = was.ProrationMeasure
		}
	}
	if err != nil {
		return Decision{}, err
	}
	if s.Status == subscription.Trialing {
		s.Status, s.TrialNoticeAt = subscription.Active, time.Time{}
	}
	d.Events = append(d.Events, s.LeftPlan(was.Plan(), now)...)
	if s.Quantity != was.Quantity {
		d.Events = append(d.Events, s.Updated(now, "quantity"))
	}
	if !slices.Equal(s.AddOns, was.AddOns) {
		d.Events = append(d.Events, s.Updated(now, "addOns"))
	}
	if !begin { // the creation of the subscription announced a first period without a trial
		d.Events = append(d.Events, event.New(event.SubscriptionRenewed{
			Subscription: s.Announced(), Status: string(s.Status), PlanID: s.PlanID,
			CurrentPeriodStart: s.CurrentPeriod.Start.Unix(), CurrentPeriodEnd: s.CurrentPeriod.End.Unix(),
		}, now))
	}
	accrues := s.Facts.Settings.PastDueBilling == subscription.AccruePastDue && !s.CollectionPaused()
	if s.Status != subscription.PastDue || accrues {
		reason := invoice.Cycle
		if o.first {
			reason = invoice.Create
		}
		of := s.CurrentPeriod
		if begin {
			of.Start = was.CurrentPeriod.Start
		} else if lines, err = s.Opened(bill, o.first, waited.Lines); err != nil {
			return Decision{}, err
		}
		d.Issue = s.Billed(reason, of, lines, waited)
		for i := range d.Issue {
			d.Issue[i].Waits = o.renews && !o.first
		}
		noteFree(&s, d.Issue)
	}
	switch {
	case len(d.Issue) == 0:
		s.Complete() // there is no invoice to pay
	case s.Status == subscription.Incomplete:
		s.AwaitPayment(now) // also where the period begins late
	}
	keepsPaid(&s)
	if len(d.Issue) == 0 && s.Status == subscription.Active {
		s.Subscription, d.Events = s.freePeriod(d.Events, now)
	}
	d.Subscription = s.Subscription
	return d, nil
}

// noteFree notes that the current period is billed, where it costs nothing and no invoice shows it.
func noteFree(s *Situation, issue []invoice.Draft) {
	if len(issue) == 0 && !s.Covered() {
		s.FreeIndex = s.PeriodIndex
	}
}

// renewed notes since when the own periods of all items run: with the current period, where they begin with it, else
// with the first one that bills one of them. So decisions read no more invoices than of the longest own period, also
// where own periods never begin together.
func renewed(s *Situation, on plan.Plan) {
	if s.RenewedIndex == 0 || s.BeginsAnew(on) {
		s.RenewedFrom, s.RenewedIndex, s.EndedDiscounts = s.CurrentPeriod.Start, s.PeriodIndex, nil
	} else if index, from := s.RunsSince(on); index > s.RenewedIndex {
		s.RenewedFrom, s.RenewedIndex = from, index
	}
}

// becomeNext applies the change at the period's end, as far as it is due, and returns the plan of the next period. The
// interval becomes longer only where a period of it begins.
func (s *Situation) becomeNext(start time.Time) plan.Plan {
	next, eventual := s.NextTarget(), s.Upcoming()
	if s.PendingDue() {
		was := s.Facts.Plan
		s.Quantity, s.AddOns = next.Quantity, next.AddOns
		s.SetPlan(next.Plan.Ref())
		s.ForgetPending()
		s.PendingAddOns = subscription.PendingAddOns(s.AddOns, eventual.AddOns)
		s.Items = s.ItemsOn(next.Plan)
		if next.Plan.Interval != was.Interval {
			s.CountAnew(next, start)
			return next.Plan
		}
	} else if s.PendingAddOns != nil {
		s.AddOns = next.AddOns
		s.PendingAddOns = subscription.PendingAddOns(s.AddOns, eventual.AddOns)
		s.Items = s.ItemsOn(next.Plan)
	}
	begins := s.Schedule().Every(s.Facts.Shortest(next)).Around(start).Start.Equal(start)
	every, err := s.Counts(next, begins) // refused when it was asked for: nothing stops a renewal
	if err == nil && !every.SameLength(s.Interval) {
		was := s.Schedule()
		s.CountBy(every, next.Plan.Interval)
		s.NextPeriod = s.Schedule().IndexAt(start)
		s.RecountDiscounts(was, s.PeriodIndex+1, start)
	}
	return next.Plan
}

// continuesAt reports whether the own period of an item of a target began before a boundary and ends after it.
func continuesAt(s Situation, t costing.Target, start time.Time) bool {
	return spansOver(s, t.Plan.Interval, start) || slices.ContainsFunc(t.AddOns, func(a subscription.AddOn) bool {
		return spansOver(s, s.Facts.AddOn(a.Ref).Interval, start)
	})
}

// spansOver reports whether an own period of a longer interval began before an instant and ends after it.
func spansOver(s Situation, every period.Interval, at time.Time) bool {
	return s.Longer(every) && s.Schedule().Every(every).Around(at).Start.Before(at)
}

// anchorAt moves the anchor to the start of the next period, where that is scheduled, and returns the events. Where an
// own period continues, the anchor cannot move with the boundary: the change is made after it, or dropped.
func anchorAt(s *Situation, on plan.Plan, start, now time.Time) []event.Event {
	others, moves := s.Scheduled.AnchorAt(start)
	if !moves || continuesAt(*s, costing.Target{Plan: on, AddOns: s.AddOns}, start) {
		return nil
	}
	s.Scheduled, s.AnchorAt, s.NextPeriod = others, start, 0
	return []event.Event{s.Updated(now, "billingAnchor", "scheduledChanges")}
}

// open makes the next period the current one.
func (s *Situation) open(by proration.Measure) {
	s.CurrentPeriod = s.Schedule().Period(s.NextPeriod)
	s.NextPeriod++
	s.count(by)
}

// count gives the current period its index and its measure. One measure divides the whole period, since otherwise its
// parts would not sum to the whole. A new measure therefore waits for the next period.
func (s *Situation) count(by proration.Measure) {
	s.ProrationMeasure = by
	s.PeriodIndex++
	s.EndDiscounts(mixed(*s))
}

// restart opens a period on a plan now, with the subscription's add-ons, from which all own periods are counted. The
// caller credits the unused time of the current ones.
func (s *Situation) restart(on plan.Plan, now time.Time) {
	s.CountAnew(costing.Target{Plan: on, AddOns: s.AddOns}, now)
	s.open(s.Facts.Settings.Measure(on))
	s.EndedDiscounts = nil
	s.LimitPaid(s.CurrentPeriod.End)
}

// freePeriod marks a period that costs nothing as paid.
func (s Situation) freePeriod(events []event.Event, now time.Time) (subscription.Subscription, []event.Event) {
	owes := owesPlan(s)
	if !owes {
		s.ExtendPaid(s.CurrentPeriod.End)
	}
	paysChange(&s, s.PeriodIndex, "")
	if s.ActivatedAt.IsZero() && !owes {
		s.ActivatedAt = now
		events = append(events, s.Activated(now))
	}
	return s.Subscription, events
}
