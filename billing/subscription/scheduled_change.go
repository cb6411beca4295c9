package subscription

import (
	"slices"
	"time"

	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/plan"
)

// MaxScheduledChanges bounds the changes at dates that a subscription has at a time.
const MaxScheduledChanges = 20

// maxScheduledYears bounds how far ahead a change may be: later is a typing error.
const maxScheduledYears = 5

// AtPeriodEnd is the id of the change that waits for the end of the period, of which there is one at most.
const AtPeriodEnd = "period_end"

// ScheduledChange is a change that takes effect at a date. What it does not name stays.
type ScheduledChange struct {
	ID        string            `json:"id"`
	At        time.Time         `json:"at"`               // whole seconds
	Plan      plan.Ref          `json:"plan,omitzero"`    // zero: it stays
	Quantity  int64             `json:"quantity"`         // 0: it stays
	AddOns    *AddOns           `json:"addOns,omitempty"` // all of them; nil: they stay
	Proration ProrationBehavior `json:"prorationBehavior"`
}

// ScheduledChanges are those of one subscription, in the order of their dates.
type ScheduledChanges []ScheduledChange

// The refusals of scheduled changes.
var (
	ErrTooManyChanges = fault.New(fault.Conflict, "scheduled_changes_limit",
		"The subscription has %d scheduled changes, which is the most. Withdraw one first.", MaxScheduledChanges)
	ErrEffectiveAt = fault.InvalidParam("effectiveAt", "effective_at_out_of_range",
		"`effectiveAt` must be in the future, at most %d years from now. Omit it to make the change now.", maxScheduledYears)
	ErrAfterEnd = fault.New(fault.Conflict, "effective_at_after_end",
		"The subscription ends before that. Reactivate it first, or choose an earlier time.").In("effectiveAt")
	ErrMoveWaits = fault.New(fault.Conflict, "migration_scheduled",
		"Only a move to another version waits for the end of the period. Move the subscription to its present version, "+
			"which takes that back.")
	ErrChangeNotFound = fault.New(fault.NotFound, "scheduled_change_not_found",
		"The subscription has no scheduled change with this id. It may have taken effect.")
)

// ScheduleChange notes a change for a date. The changes that are there stay, and so does it when something changes now:
// at its date it changes what it names. It is checked against what will be there by then as far as that is known.
// Faults: subscription_canceled, effective_at_out_of_range, effective_at_after_end, scheduled_changes_limit,
// period_paid_elsewhere, plan_is_add_on, plan_inactive, currency_mismatch, quantity_out_of_range, those of Sell,
// add_ons_other_interval, amount_too_large.
func (s Situation) ScheduleChange(c Change, id string, now time.Time) (Decision, error) {
	if err := permit(s.Status, changePlan); err != nil {
		return Decision{}, err
	}
	one := ScheduledChange{ID: id, At: c.On.UTC().Truncate(time.Second), Quantity: c.Quantity, Proration: c.Proration}
	switch {
	case !one.At.After(now) || one.At.After(now.AddDate(maxScheduledYears, 0, 0)):
		return Decision{}, ErrEffectiveAt
	case s.CancelAtPeriodEnd && !one.At.Before(s.boundary()):
		return Decision{}, ErrAfterEnd
	case len(s.Scheduled) >= MaxScheduledChanges:
		return Decision{}, ErrTooManyChanges
	}
	if s.paidElsewhere() && one.At.Before(s.boundary()) && one.Proration != NoProration {
		return Decision{}, ErrPaidElsewhere
	}
	before := s.plannedAt(one.At)
	if c.Plan != nil {
		if err := s.offered(*c.Plan); err != nil {
			return Decision{}, err
		}
		one.Plan, before.plan = c.Plan.Ref(), *c.Plan
	}
	if c.Quantity != 0 {
		if err := CheckQuantity(c.Quantity); err != nil {
			return Decision{}, err
		}
	}
	if c.AddOns != nil {
		addOns, err := s.AddOns.choose(s.Facts.addOn, *c.AddOns, before.plan)
		if err != nil {
			return Decision{}, err
		}
		one.AddOns = &addOns
	}
	s.Scheduled = s.Scheduled.with(one)
	if err := s.plannable(); err != nil {
		return Decision{}, err
	}
	return Decision{Subscription: s.Subscription, Events: []event.Event{s.updated(now, "scheduledChanges")}}, nil
}

// WithdrawChange takes a scheduled change back, also that at the end of the period. Faults: subscription_canceled,
// scheduled_change_not_found, migration_scheduled.
func (s Situation) WithdrawChange(id string, now time.Time) (Decision, error) {
	if err := permit(s.Status, changePlan); err != nil {
		return Decision{}, err
	}
	at := slices.IndexFunc(s.Scheduled, func(c ScheduledChange) bool { return c.ID == id })
	_, waits := s.waiting()
	switch {
	case id == AtPeriodEnd && waits:
		if !s.withdrawWaiting() {
			return Decision{}, ErrMoveWaits
		}
	case at >= 0:
		s.Scheduled = s.Scheduled.without(at)
	default:
		return Decision{}, ErrChangeNotFound
	}
	return Decision{Subscription: s.Subscription, Events: []event.Event{s.updated(now, "scheduledChanges")}}, nil
}

// withdrawWaiting takes back what waits for the end of the period, but for moves to other versions, which are not of
// whoever asked for the change. It reports whether there was anything.
func (s *Situation) withdrawWaiting() bool {
	had, stays := s.Subscription, s.AddOns
	for _, a := range s.NextAddOns() {
		stays = stays.on(a.Ref)
	}
	s.PendingQuantity, s.PendingAddOns = 0, waitsBeside(s.AddOns, stays)
	if s.PendingPlanID != s.PlanID {
		s.setPendingPlan(plan.Ref{})
	}
	return had.PendingQuantity != 0 || had.PendingPlan() != s.PendingPlan() ||
		had.PendingAddOns != nil && !slices.Equal(had.NextAddOns(), s.NextAddOns())
}

// with returns the changes and one more, in the order of their dates.
func (c ScheduledChanges) with(one ScheduledChange) ScheduledChanges {
	at := slices.IndexFunc(c, func(other ScheduledChange) bool { return other.At.After(one.At) })
	if at < 0 {
		at = len(c)
	}
	return slices.Insert(slices.Clone(c), at, one)
}

// without returns the changes but for one.
func (c ScheduledChanges) without(at int) ScheduledChanges {
	if len(c) == 1 {
		return nil
	}
	return slices.Delete(slices.Clone(c), at, at+1)
}

// AllChanges returns the scheduled changes in the order in which they take effect, with that at the end of the period.
func (s Subscription) AllChanges() ScheduledChanges {
	one, waits := s.waiting()
	if !waits {
		return s.Scheduled
	}
	return s.Scheduled.with(one)
}

// waiting is the change that waits for the end of the period, if one does.
func (s Subscription) waiting() (c ScheduledChange, waits bool) {
	return ScheduledChange{
		ID: AtPeriodEnd, At: s.boundary(), Plan: s.PendingPlan(), Quantity: s.PendingQuantity, AddOns: s.PendingAddOns,
	}, s.PendingPlanID != "" || s.PendingQuantity != 0 || s.PendingAddOns != nil
}

// ScheduledRefs names the versions of plans and add-ons that scheduled changes lead to, each once.
func (s Subscription) ScheduledRefs() []plan.Ref {
	var refs []plan.Ref
	add := func(r plan.Ref) {
		if r.ID != "" && !slices.Contains(refs, r) {
			refs = append(refs, r)
		}
	}
	for _, c := range s.Scheduled {
		add(c.Plan)
		if c.AddOns != nil {
			for _, a := range *c.AddOns {
				add(a.Ref)
			}
		}
	}
	return refs
}

// plannedAt is what will be billed just before a date, as far as it is known.
func (s Situation) plannedAt(at time.Time) target {
	t := s.present()
	for _, c := range s.AllChanges() {
		if !c.At.After(at) {
			t = s.Facts.changed(t, c)
		}
	}
	return t
}

// plannable refuses changes that could not be billed one after the other. Faults: add_ons_other_interval,
// amount_too_large.
func (s Situation) plannable() error {
	t := s.present()
	for _, c := range s.AllChanges() {
		t = s.Facts.changed(t, c)
		if err := s.Facts.aligned(t); err != nil {
			return err
		}
		if err := s.renewable(t); err != nil {
			return err
		}
	}
	return nil
}

// changed is what is billed after a change.
func (f Facts) changed(t target, c ScheduledChange) target {
	if c.Plan.ID != "" && c.Plan.ID != t.plan.ID {
		t.plan = f.version(c.Plan)
	}
	if c.Quantity != 0 {
		t.quantity = c.Quantity
	}
	if c.AddOns != nil {
		t.addOns = *c.AddOns
	}
	return t
}

// version returns one of the versions that are known.
func (f Facts) version(r plan.Ref) plan.Plan {
	if f.Pending != nil && f.Pending.Ref() == r {
		return *f.Pending
	}
	return f.addOn(r)
}
