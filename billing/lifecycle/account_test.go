package lifecycle_test

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"perennial/billing/event"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/proration"
	"perennial/billing/subscription"
)

// account is kept like an app's account: from the events alone. It has the customer's usage, and thus the sum of all
// invoices.
type account struct {
	plans    map[plan.Ref]plan.Plan
	settings subscription.Settings

	status subscription.Status
	plan   plan.Plan
	anchor time.Time                      // at the creation
	upTo   subscription.ProrationBehavior // for the time up to it
	period period.Period
	index  int // of the period
	units  int64
	addOns subscription.AddOns
	begun  bool // a period is open
	billed bool // the current period is billed
	uses   []use
	used   money.Minor
	events map[event.Type]int
	spells int // of being past due
	paused bool

	stretches []stretch                      // with prices that are billed after a period
	measure   proration.Measure              // of the period
	how       subscription.ProrationBehavior // of the next change
	refunding bool                           // the next cancellation or pause credits unused time
	due       *subscription.ScheduledChange  // the scheduled change that is made now
	pended    *subscription.PendingChange    // that waited for its payment before the decision
}

// follow reads events. s is the subscription after all of them: it has the periods that the event of a plan change does
// not carry.
func (a *account) follow(events []event.Event, s subscription.Subscription, now time.Time) {
	// without a trial the creation announced the period
	unpaid := a.status == subscription.Incomplete
	if !a.begun && (a.status == subscription.Active || unpaid) && s.PeriodIndex > 0 {
		a.begins(s)
	}
	for i, e := range events {
		a.events[e.Type()]++
		switch data := e.Data.(type) {
		case event.SubscriptionCreated:
			a.status = subscription.Status(data.Status)
		case event.SubscriptionRenewed:
			a.renewed(data, s)
		case event.SubscriptionUpdated:
			a.paused = a.paused && !slices.Contains(data.Changed, "collectionPaused")
			if slices.Contains(data.Changed, "billingAnchor") {
				if !slices.Contains(data.Changed, "scheduledChanges") { // else the period that begins anyway has it
					a.restarted(s, now.Truncate(time.Second))
				}
				continue
			}
			put, moved := slices.Contains(data.Changed, "quantity"), slices.Contains(data.Changed, "planVersion")
			put = put || slices.Contains(data.Changed, "addOns")
			apart := a.due != nil && s.PeriodIndex > a.index+1      // the change began its own period
			if (put || moved) && !apart && a.renews(events[i+1:]) { // it had waited for the renewal
				a.units, a.addOns = s.Quantity, s.AddOns
				if moved {
					a.plan = a.plans[s.Plan()]
				}
				continue
			}
			if data.PlanID != a.plan.ID || put || moved {
				at := now.Truncate(time.Second)
				used := at // its usage until then is of the plan before
				switch {
				case a.due != nil:
					at, a.how = a.due.At, a.due.Proration
					used = at
				case a.pended != nil && slices.Contains(data.Changed, "pendingChange"):
					at, a.how = a.pended.At, ""
				}
				a.changed(a.plans[s.Plan()], s.Quantity, s.AddOns, s.CurrentPeriod, at, used)
			}
		case event.SubscriptionPastDue:
			a.status, a.paused = subscription.PastDue, data.CollectionPaused
			a.spells++
		case event.SubscriptionActivated:
			if a.status == subscription.PastDue && !a.billed && now.Before(a.period.End) {
				a.bill(a.period.Start)
			}
			a.status, a.paused = subscription.Active, false
		case event.SubscriptionPaused:
			a.status = subscription.Paused
			a.stops(now.Truncate(time.Second))
			if a.refunding {
				a.refunded(now)
			}
			a.refunding = false
		case event.SubscriptionResumed:
			a.status = subscription.Active
		case event.SubscriptionCanceled:
			if a.refunding && a.status != subscription.Paused {
				a.refunded(now)
			}
			if a.status == subscription.Incomplete { // its invoice is void
				a.uses, a.used, a.billed, a.stretches = nil, 0, false, nil
			}
			a.status = subscription.Canceled
			if n := len(a.stretches); n > 0 && a.stretches[n-1].from.Equal(now) {
				now = now.Add(time.Microsecond) // usage at the instant of both start and end is billed
			}
			a.stops(now)
		default:
		}
	}
}

// renews reports whether a later event of the same decision begins a period.
func (a *account) renews(later []event.Event) bool {
	return slices.ContainsFunc(later, func(e event.Event) bool { return e.Type() == event.TypeSubscriptionRenewed })
}

func (a *account) renewed(e event.SubscriptionRenewed, s subscription.Subscription) {
	start := time.Unix(e.CurrentPeriodStart, 0).UTC()
	if a.plan.ID != e.PlanID {
		a.plan = a.plans[s.Plan()]
	}
	a.status = subscription.Status(e.Status)
	a.period = period.Period{Start: start, End: time.Unix(e.CurrentPeriodEnd, 0).UTC()}
	a.opened()
}

// grid returns the grid of boundaries at the creation.
func (a *account) grid() period.Schedule {
	return period.Schedule{Anchor: a.anchor, Location: paris, Interval: a.plan.Interval}
}

// short reports whether the period is a first one that ends at the anchor.
func (a *account) short() bool {
	return a.index == 1 && a.period.Start.Before(a.anchor) && a.period.End.Equal(a.anchor)
}

// divided returns the whole period that a short one is a part of.
func (a *account) divided() period.Period {
	if a.short() {
		return a.grid().Period(-1)
	}
	return a.period
}

// begins accounts for the first period, and for later ones that had ended when the subscription was created.
func (a *account) begins(s subscription.Subscription) {
	grid := a.grid()
	for a.opened(); !a.period.End.After(s.CreatedAt); a.opened() {
		a.period = grid.Period(grid.IndexAt(a.period.End))
	}
}

// opened begins to account for the period.
func (a *account) opened() {
	if !a.begun {
		a.used += a.fees()
	}
	a.begun = true
	a.index++
	a.measured()
	a.counts(a.period.Start, a.sold())
	accrues := a.settings.PastDueBilling == subscription.AccruePastDue && !a.paused
	a.billed = a.status != subscription.PastDue || accrues
	if given := a.short() && a.upTo == subscription.NoProration; a.billed && !given {
		a.bill(a.period.Start)
	}
}

// measured sets the measure of the new period.
func (a *account) measured() {
	a.measure = cmp.Or(a.plan.ProrationMeasure, a.settings.ProrationMeasure)
}

func (a *account) changed(
	to plan.Plan, units int64, addOns subscription.AddOns, current period.Period, at, used time.Time,
) {
	from, free, had := a.plan, a.free(), a.sold()
	was, is := stretch{sold: had}.prices(), stretch{sold: a.with(to, units, addOns)}.prices()
	if a.begun && (!was.Same(is) || !was.SameCommitment(is) || !was.SameMinimum(is)) { // otherwise the stretch continues
		a.counts(used, a.with(to, units, addOns))
	}
	become := func() { a.plan, a.units, a.addOns = to, units, addOns }
	if same := a.with(to, units, addOns); samePrices(had, same) { // flat prices ignore the quantity
		become()
		return
	}
	if a.begun && a.how == subscription.NoProration && to.Interval == from.Interval {
		a.held()
		become()
		return
	}
	if a.begun && a.billed {
		a.usedUntil(at)
	}
	become()
	if !a.begun {
		a.period = current
		return
	}
	a.billed = a.billed || free
	a.period = current
	if to.Interval != from.Interval {
		a.index++
		a.measured()
	}
	if a.billed {
		a.bill(at)
	}
}

// sold returns the present items of the subscription.
func (a *account) sold() []sold { return a.with(a.plan, a.units, a.addOns) }

func (a *account) with(p plan.Plan, units int64, addOns subscription.AddOns) []sold {
	all := []sold{{p, units}}
	for _, of := range addOns {
		all = append(all, sold{a.plans[of.Ref], of.Quantity})
	}
	return all
}

// samePrices reports whether both have the same prices with the same units.
func samePrices(a, b []sold) bool {
	list := func(all []sold) (units []string) {
		each(all, func(of sold, price plan.Price) {
			units = append(units, priced(of.plan, price)+strconv.FormatInt(price.Units(of.units), 10))
		})
		slices.Sort(units) // a plan may have a price twice
		return units
	}
	return slices.Equal(list(a), list(b))
}

// free reports whether all items of the subscription are free.
func (a *account) free() bool {
	free := true
	each(a.sold(), func(_ sold, price plan.Price) { free = free && price.Free() })
	return free
}

// restarted begins a period at a moved anchor. Without proration the former period stays billed.
func (a *account) restarted(s subscription.Subscription, at time.Time) {
	if a.due != nil {
		at, a.how = a.due.At, a.due.Proration
	}
	if a.how != subscription.NoProration && a.billed {
		a.usedUntil(at)
	}
	a.billed = a.billed || a.free()
	a.period = s.Schedule().Period(0)
	a.index++
	a.measured()
	a.counts(at, a.sold())
	if a.billed {
		a.bill(at)
	}
}

// fees returns the amount of the first invoice's one-off prices.
func (a *account) fees() money.Minor {
	first, err := a.plan.First(a.units)
	if err != nil {
		panic(err)
	}
	whole, err := a.plan.Total(a.units)
	if err != nil {
		panic(err)
	}
	return first - whole
}

// held keeps the period as billed. A free period counts as billed, also where it began while past due.
func (a *account) held() {
	if !a.billed && a.free() {
		a.bill(a.period.Start)
	}
	if n := len(a.uses); a.billed && n > 0 {
		a.uses[n-1].held = true
	}
}

// bill adds the rest of the current period, from an instant on, to the customer's debt.
func (a *account) bill(from time.Time) {
	a.billed = true
	u := use{sold: a.sold(), period: a.divided(), index: a.index, from: from, to: a.period.End,
		measure: a.measure, since: a.since(from)}.priced()
	a.uses = append(a.uses, u)
	a.used += u.cost
}

// since returns the start of each price's line, for a use from an instant on: a price that continues keeps its line.
func (a *account) since(from time.Time) map[string]time.Time {
	since := map[string]time.Time{}
	each(a.sold(), func(of sold, price plan.Price) {
		id := priced(of.plan, price)
		since[id] = from
		if n := len(a.uses); n > 0 {
			last := a.uses[n-1]
			goesOn := unitsOf(last.sold, id) == price.Units(of.units)
			if goesOn && !last.held && last.index == a.index && last.to.Equal(from) {
				since[id] = last.since[id]
			}
		}
	})
	return since
}

// usedUntil ends the use of the current plan.
func (a *account) usedUntil(at time.Time) {
	if n := len(a.uses); n > 0 {
		u := &a.uses[n-1]
		a.used -= u.cost
		u.to = at
		*u = u.priced()
		a.used += u.cost
	}
}

// refunded applies a cancellation or a pause with credit for unused time; an ended period was used to its end.
func (a *account) refunded(now time.Time) {
	if n := len(a.uses); n > 0 && a.billed {
		if at := now.Truncate(time.Second); at.Before(a.uses[n-1].to) {
			a.uses[n-1].ended = true
			a.usedUntil(at)
		}
	}
}
