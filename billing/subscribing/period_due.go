package subscribing

import (
	"slices"
	"time"

	"perennial/billing/event"
	"perennial/billing/invoice"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/proration"
	"perennial/billing/subscription"
)

// OpenPeriod starts the next period: the first one, the one after a trial, or a renewal; or ends the subscription where
// its cancellation was put off until now, or where its trial must not end without a payment method. A plan change that
// waited for the boundary takes effect. It opens one period,
// also when several have passed: the caller asks again; but see begins. Faults: subscription_canceled, period_not_due.
func (s Situation) OpenPeriod(now time.Time) (Decision, error) {
	begin := s.Unbegun() // what was put off to the end of a period waits for the end of this one
	if err := permit(s.Status, periodDue); err != nil && !begin {
		return Decision{}, err
	}
	start := s.Boundary()
	if now.Before(start) {
		return Decision{}, ErrPeriodNotDue
	}
	if s.CancelAtPeriodEnd && !begin {
		return endOnTime(s, now), nil
	}
	if !s.Facts.CanPay && s.StopsAtTrialEnd() {
		return s.withoutMethod(now), nil
	}
	return s.openNext(opening{start: start, begin: begin, first: s.first(), renews: true}, now)
}

// opening is how the next period is opened.
type opening struct {
	start time.Time // where it begins
	begin bool      // it is the first of a subscription without a trial
	first bool      // no period was billed before
	// renews: it is opened by the schedule, so that nobody is there who has just asked for it.
	renews bool
}

// first reports whether the next period is the first that is billed.
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
		s.open(s.Facts.Settings.Measure(bill))
	}
	if err != nil {
		return Decision{}, err
	}
	s.RenewedFrom, s.RenewedIndex = s.CurrentPeriod.Start, s.PeriodIndex
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
	if !begin { // the first period without a trial was announced when the subscription was created
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
	}
	switch {
	case len(d.Issue) == 0:
		s.Complete() // there is nothing to pay
	case s.Status == subscription.Incomplete:
		s.AwaitPayment(now) // also where it begins late
	}
	if len(d.Issue) == 0 && s.Status == subscription.Active {
		s.Subscription, d.Events = s.freePeriod(d.Events, now)
	}
	d.Subscription = s.Subscription
	return d, nil
}

// becomeNext lets what waited for a period's end take effect, and returns the plan of the period that begins.
func (s *Situation) becomeNext(start time.Time) plan.Plan {
	next := s.Upcoming()
	if s.PendingQuantity == 0 && s.Facts.Pending == nil && s.PendingAddOns == nil {
		return next.Plan
	}
	s.Quantity, s.AddOns = next.Quantity, next.AddOns
	s.SetPlan(next.Plan.Ref())
	s.ForgetPending()
	s.Items = s.ItemsOn(next.Plan)
	if next.Plan.Interval != s.Interval {
		s.Interval, s.AnchorAt, s.NextPeriod = next.Plan.Interval, start, 0
	}
	return next.Plan
}

// open makes the next period the current one.
func (s *Situation) open(by proration.Measure) {
	s.CurrentPeriod = s.Schedule().Period(s.NextPeriod)
	s.NextPeriod++
	s.count(by)
}

// count gives the current period its index. It is divided by one measure from its start to its end, or its parts would
// not sum to the whole, so that a measure which is chosen meanwhile waits for the period after it.
func (s *Situation) count(by proration.Measure) {
	s.ProrationMeasure = by
	s.PeriodIndex++
	s.Discounts = s.Discounts.Holding(s.PeriodIndex)
}

// restart opens a period with another interval now. The time that is left of the current one must be credited.
func (s *Situation) restart(every period.Interval, by proration.Measure, now time.Time) {
	s.Interval, s.AnchorAt, s.NextPeriod = every, now, 0
	s.open(by)
	s.LimitPaid(s.CurrentPeriod.End)
}

// freePeriod covers a period that costs nothing: it counts as paid.
func (s Situation) freePeriod(events []event.Event, now time.Time) (subscription.Subscription, []event.Event) {
	s.ExtendPaid(s.CurrentPeriod.End)
	if s.ActivatedAt.IsZero() {
		s.ActivatedAt = now
		events = append(events, s.Activated(now))
	}
	return s.Subscription, events
}
