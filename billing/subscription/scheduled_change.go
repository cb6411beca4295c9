package subscription

import (
	"slices"
	"time"

	"perennial/billing/plan"
)

// MaxScheduledChanges bounds the changes at dates that a subscription has at a time.
const MaxScheduledChanges = 20

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

// With returns the changes and one more, in the order of their dates.
func (c ScheduledChanges) With(one ScheduledChange) ScheduledChanges {
	at := slices.IndexFunc(c, func(other ScheduledChange) bool { return other.At.After(one.At) })
	if at < 0 {
		at = len(c)
	}
	return slices.Insert(slices.Clone(c), at, one)
}

// Without returns the changes but for one.
func (c ScheduledChanges) Without(at int) ScheduledChanges {
	if len(c) == 1 {
		return nil
	}
	return slices.Delete(slices.Clone(c), at, at+1)
}

// AllChanges returns the scheduled changes in the order in which they take effect, with that at the end of the period.
func (s Subscription) AllChanges() ScheduledChanges {
	one, waits := s.WaitingChange()
	if !waits {
		return s.Scheduled
	}
	return s.Scheduled.With(one)
}

// WaitingChange is the change that waits for the end of the period, if one does.
func (s Subscription) WaitingChange() (c ScheduledChange, waits bool) {
	return ScheduledChange{
		ID: AtPeriodEnd, At: s.Boundary(), Plan: s.PendingPlan(), Quantity: s.PendingQuantity, AddOns: s.PendingAddOns,
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
