package metering

import (
	"slices"
	"time"

	"perennial/billing/invoice"
	"perennial/billing/metered"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/subscription"
	"perennial/billing/tax"
	"perennial/billing/usage"
)

// Change is the effect of a decision on a subscription, with its plans before and after. Every decision passes through
// it, so that no command and no occurrence can forget the usage before it.
type Change struct {
	Before, After subscription.Subscription
	Was, Is       plan.Plan
	// WasAddOns and IsAddOns are the known versions of add-ons before and after.
	WasAddOns, IsAddOns []plan.Plan
	Passed              []Opened  // periods that had ended when the decision opened them
	At                  time.Time // the time of the change, if no field of After has it
}

// Follow returns the subscription after the change, with the start of its metered prices, and the segments that the
// change closes. A segment continues if the prices charge the same. A subscription that ends without its first payment
// owes no usage. Fault: period_empty.
func (c Change) Follow() (subscription.Subscription, []Segment, error) {
	s, since, counts := c.After, c.Before.MeteredSince, c.counts()
	if since.IsZero() && !counts {
		return s, nil, nil
	}
	if s.NeverPaid() {
		s.MeteredSince = time.Time{}
		return s, nil, nil
	}
	if !since.IsZero() && counts && !c.opens() && c.samePrices() {
		return s, nil, nil
	}
	var closed []Segment
	cut := c.Cut()
	if cut.Before(since) { // a change that waited for a payment, after a later one
		cut = since
	}
	// The same after a change that ended all counting, and with it the segment.
	if last := c.Before.LateUsageUntil.Add(-usage.MaxAge); !c.Before.LateUsageUntil.IsZero() && cut.Before(last) {
		cut = last
	}
	if !since.IsZero() && since.Before(cut) {
		of := Opened{c.Before.PeriodIndex, c.Before.CurrentPeriod, c.Before.Whole()}
		one, err := segment(c.Before, of, since, cut)
		if err != nil {
			return s, nil, err
		}
		closed = append(closed, one)
	}
	if s.MeteredSince = (time.Time{}); counts {
		s.MeteredSince = cut
		for _, p := range c.Passed {
			one, err := segment(s, p, p.Period.Start, p.Period.End)
			if err != nil {
				return s, nil, err
			}
			one.Discounts = c.Before.Discounts // those of After lack the coupons that have ended
			closed = append(closed, one)
		}
	}
	for _, one := range closed {
		if late := one.End.Add(usage.MaxAge); late.After(s.LateUsageUntil) {
			s.LateUsageUntil = late
		}
	}
	return s, closed, nil
}

// counts reports whether metered prices count after the change. Usage of a trial and of a pause costs nothing.
func (c Change) counts() bool { return Counts(c.After, c.Is, c.IsAddOns) }

// Counts reports whether prices after a period count for a subscription: its plan, or one of its add-ons, has some.
func Counts(s subscription.Subscription, on plan.Plan, addOns []plan.Plan) bool {
	running := s.Status == subscription.Active || s.Status == subscription.PastDue ||
		s.Status == subscription.Incomplete // until it is paid, or ends and owes nothing
	return running && s.PeriodIndex > 0 && pricesOf(on, s.Quantity, s.AddOns, addOns) != nil
}

// opens reports whether the change opens a period.
func (c Change) opens() bool { return c.After.PeriodIndex != c.Before.PeriodIndex }

func (c Change) samePrices() bool {
	was := pricesOf(c.Was, c.Before.Quantity, c.Before.AddOns, c.WasAddOns)
	is := pricesOf(c.Is, c.After.Quantity, c.After.AddOns, c.IsAddOns)
	same := was.Same(is) && was.SameCommitment(is) && was.SameMinimum(is)
	return same && (c.holderIsNothing() || slices.Equal(
		holders(c.Was, c.Before.Quantity, c.Before.AddOns, c.WasAddOns),
		holders(c.Is, c.After.Quantity, c.After.AddOns, c.IsAddOns)))
}

// holderIsNothing reports whether lines of usage depend on no plan or add-on: no coupon is limited to plans, all plans
// have the same tax category, and no interim invoice of the period bills by price ids.
func (c Change) holderIsNothing() bool {
	forSome := slices.ContainsFunc(c.Before.Discounts, func(d subscription.Discount) bool { return len(d.PlanIDs) > 0 })
	interim := slices.ContainsFunc(c.Before.Thresholds(c.Was.Metered), func(t metered.Threshold) bool { return t.Invoice })
	categories := map[tax.Category]bool{}
	for _, p := range slices.Concat([]plan.Plan{c.Was, c.Is}, c.WasAddOns, c.IsAddOns) {
		categories[p.TaxCategory] = true
	}
	return !forSome && !interim && len(categories) == 1
}

// holders returns the ids of the plan and the add-ons with prices after each period.
func holders(on plan.Plan, quantity int64, sold subscription.AddOns, known []plan.Plan) (ids []string) {
	if on.AfterPeriod(quantity) != nil {
		ids = append(ids, on.ID)
	}
	for a, version := range versionsOf(sold, known) {
		if version.AfterPeriod(a.Quantity) != nil {
			ids = append(ids, a.ID)
		}
	}
	slices.Sort(ids)
	return ids
}

// ends reports whether the change ends the subscription.
func (c Change) ends() bool {
	return c.After.Status == subscription.Canceled && c.Before.Status != subscription.Canceled
}

// waited reports whether the change opens a period that began when it was billed, before it was paid.
func (c Change) waited() bool {
	one := c.Before.PendingChange
	return one != nil && c.After.PendingChange == nil && c.After.CurrentPeriod.Start.Equal(one.At)
}

// pauses reports whether the change pauses the subscription.
func (c Change) pauses() bool {
	return c.After.Status == subscription.Paused && c.Before.Status != subscription.Paused
}

// Cut returns the end of the time before the change. A cancellation counts usage up to its instant, also if the period
// ended before, as in an outage: records until then are accepted, and no other invoice has them. The same holds for the
// instant of a segment's start if the subscription ends in it, as on a test clock that does not move. A change that
// waited for its payment begins its period when it was billed; until it is paid, usage is the plan's before it.
func (c Change) Cut() time.Time {
	switch s := c.After; {
	case s.Status == subscription.Canceled && s.CanceledAt.Equal(c.Before.MeteredSince):
		return s.CanceledAt.Add(time.Microsecond)
	case s.Status == subscription.Canceled:
		return s.CanceledAt
	case s.Status == subscription.Paused:
		return s.PausedAt
	case c.opens() && !c.waited():
		return s.CurrentPeriod.Start
	default:
		return c.At.UTC().Truncate(time.Second)
	}
}

// Bill adds the draft that bills the usage of closed segments to a decision's drafts, where a period or the
// subscription ends, or a pause begins, which may have no end. It is the renewal's draft, or else one of usage only. A
// first invoice bills none. s is the subscription after Follow.
func (c Change) Bill(s subscription.Subscription, issue []invoice.Draft) []invoice.Draft {
	if s.LateUsageUntil.IsZero() || c.Before.PeriodIndex == 0 || !c.opens() && !c.ends() && !c.pauses() {
		return issue
	}
	cut := c.Cut()
	if !c.attach(issue, cut) {
		of := period.Period{Start: c.Before.CurrentPeriod.Start, End: cut}
		if !of.End.After(of.Start) && !c.ends() { // no other invoice bills records after the end
			return issue
		}
		draft := invoice.Draft{Reason: invoice.Usage, Period: of, PeriodIndex: s.PeriodIndex, UsageUntil: cut}
		switch { // the same start may be billed again
		case c.pauses(): // at the end of the pause
			draft.After = "pause"
		case c.waited(): // at the end of the period that began when the change was billed
			draft.After = "pending_change"
		}
		issue = append(issue, draft)
	}
	return issue
}

// lateSlack is the time after the end of late usage in which all transactions with records in time have ended.
const lateSlack = 5 * time.Minute

// BillLate returns the draft of a paused subscription for late records of the time before, after the pause was billed.
// at is its due time: no more records may come then, since the pause may have no end. ok is false where there is none.
func BillLate(s subscription.Subscription) (draft invoice.Draft, at time.Time, ok bool) {
	if s.Status != subscription.Paused || s.LateUsageUntil.IsZero() {
		return draft, at, false
	}
	of := period.Period{Start: s.CurrentPeriod.Start, End: s.PausedAt}
	if !of.End.After(of.Start) { // it was paused at the start of its period: the records are of the former one
		of.End = of.Start.Add(time.Second)
	}
	return invoice.Draft{
		Reason: invoice.Usage, Period: of, PeriodIndex: s.PeriodIndex, UsageUntil: s.LateUsageUntil, After: "late",
	}, s.LateUsageUntil.Add(lateSlack), true
}

// Billed returns the subscription after usage up to a time is billed. If no more may come, it has no late usage any
// more. A draft of a time before the end that is issued later bills nothing that the draft of the end lacks.
func Billed(s subscription.Subscription, until time.Time) subscription.Subscription {
	switch ended := s.Status == subscription.Canceled; {
	case ended:
		return Closed(s, until)
	case !until.Before(s.LateUsageUntil):
		s.LateUsageUntil = time.Time{}
	}
	return s
}

// Closed returns the subscription before the usage up to a time is counted. If that is the usage up to its end, it
// accepts no more records: its end becomes the end of its late usage.
func Closed(s subscription.Subscription, until time.Time) subscription.Subscription {
	if BillsEnd(s, until) && s.LateUsageUntil.After(s.CanceledAt) {
		s.LateUsageUntil = s.CanceledAt
	}
	return s
}

// BillsEnd reports whether an invoice of usage up to a time bills the usage up to the subscription's end.
func BillsEnd(s subscription.Subscription, until time.Time) bool {
	return s.Status == subscription.Canceled && !until.Before(s.CanceledAt)
}

// Late returns the time until which a segment includes records after its end, as of its end; zero: the next segment
// bills them. A subscription that was canceled at once may have records with a time slightly ahead, and those accepted
// during the cancellation.
func Late(s subscription.Subscription, of Segment) time.Time {
	if s.Status != subscription.Canceled || of.End.Before(s.CanceledAt) {
		return time.Time{}
	}
	return of.End.Add(2 * usage.MaxAhead) // clocks differ, and the cancellation takes some time
}

// Last reports whether no later invoice would bill records that the count for this invoice misses.
func Last(s subscription.Subscription, until time.Time) bool {
	return BillsEnd(s, until) || !Billed(s, until).LateUsageUntil.Equal(s.LateUsageUntil)
}

// attach makes the invoice of a renewal, which may be a draft, bill the usage before it.
func (c Change) attach(issue []invoice.Draft, cut time.Time) bool {
	for i := range issue {
		if issue[i].Waits {
			issue[i].UsageUntil = cut
			return true
		}
	}
	return false
}
