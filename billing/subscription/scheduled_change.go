package subscription

import (
	"slices"
	"time"

	"perennial/billing/plan"
)

// MaxScheduledChanges bounds the scheduled changes of a subscription at a time.
const MaxScheduledChanges = 20

// AtPeriodEnd is the id of the change at the end of the period. A subscription has one at most.
const AtPeriodEnd = "period_end"

// ScheduledChange is a change at a date. Fields that it does not set keep their values.
type ScheduledChange struct {
	ID        string            `json:"id"`
	At        time.Time         `json:"at"`               // whole seconds
	Plan      plan.Ref          `json:"plan,omitzero"`    // zero: no change
	Quantity  int64             `json:"quantity"`         // 0: no change
	AddOns    *AddOns           `json:"addOns,omitempty"` // all of them; nil: no change
	Proration ProrationBehavior `json:"prorationBehavior"`
	// Anchor: a period begins at the date, and all later ones are counted from there. Nothing else changes.
	Anchor bool `json:"anchor,omitempty"`
}

// before reports whether a change is made before another one. At one instant the anchor moves last: what else changes
// at a boundary is part of the period that begins there.
func (c ScheduledChange) before(other ScheduledChange) bool {
	return c.At.Before(other.At) || c.At.Equal(other.At) && other.Anchor && !c.Anchor
}

// ScheduledChanges are those of one subscription, in the order of their dates.
type ScheduledChanges []ScheduledChange

// With returns the changes with another one, in the order of their dates.
func (c ScheduledChanges) With(one ScheduledChange) ScheduledChanges {
	at := slices.IndexFunc(c, one.before)
	if at < 0 {
		at = len(c)
	}
	return slices.Insert(slices.Clone(c), at, one)
}

// Without returns the changes without one of them.
func (c ScheduledChanges) Without(at int) ScheduledChanges {
	if len(c) == 1 {
		return nil
	}
	return slices.Delete(slices.Clone(c), at, at+1)
}

// AllChanges returns the scheduled changes and the one at the end of the period, in the order of their dates.
func (s Subscription) AllChanges() ScheduledChanges {
	one, waits := s.WaitingChange()
	if !waits {
		return s.Scheduled
	}
	return s.Scheduled.With(one)
}

// AnchorAt reports whether the anchor moves to a time, and returns the other changes.
func (c ScheduledChanges) AnchorAt(at time.Time) (others ScheduledChanges, moves bool) {
	others = slices.DeleteFunc(slices.Clone(c), func(one ScheduledChange) bool { return one.Anchor && one.At.Equal(at) })
	if len(others) == 0 {
		others = nil
	}
	return others, len(others) < len(c)
}

// WaitingChange returns the change at the end of the period, if there is one.
func (s Subscription) WaitingChange() (c ScheduledChange, waits bool) {
	return ScheduledChange{
		ID: AtPeriodEnd, At: s.changesAt(), Plan: s.PendingPlan(), Quantity: s.PendingQuantity, AddOns: s.PendingAddOns,
	}, s.PendingPlanID != "" || s.PendingQuantity != 0 || s.PendingAddOns != nil
}

// changesAt returns the time of the change at the end of the period: with another plan or quantity, the end of the
// plan's own period, so that paid time is not cut short.
func (s Subscription) changesAt() time.Time {
	if s.PendingPlanID != "" || s.PendingQuantity != 0 {
		return s.PlanEnd()
	}
	return s.Boundary()
}

// PendingDue reports whether the change at the end of the period is made with the next period.
func (s Subscription) PendingDue() bool {
	_, waits := s.WaitingChange()
	return waits && !s.changesAt().After(s.Boundary())
}

// ScheduledRefs returns the versions of plans and add-ons of scheduled changes, each once.
func (s Subscription) ScheduledRefs() []plan.Ref {
	var refs []plan.Ref
	add := func(r plan.Ref) {
		if r.ID != "" && !slices.Contains(refs, r) {
			refs = append(refs, r)
		}
	}
	all := s.Scheduled
	if s.PendingChange != nil {
		all = append(slices.Clone(all), s.PendingChange.ScheduledChange)
	}
	for _, c := range all {
		add(c.Plan)
		if c.AddOns != nil {
			for _, a := range *c.AddOns {
				add(a.Ref)
			}
		}
	}
	return refs
}
