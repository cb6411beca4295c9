package moving

import (
	"fmt"
	"slices"
	"time"

	"perennial/billing/costing"
	"perennial/billing/fault"
	"perennial/billing/plan"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
)

// ScheduledChange is a change of a subscription at a date. Absent fields do not change.
type ScheduledChange struct {
	At                Time                           `json:"at"`
	Plan              string                         `json:"plan,omitempty"` // id, key or name of a plan here
	PlanVersion       int                            `json:"planVersion,omitempty"`
	Quantity          int64                          `json:"quantity,omitempty"`
	AddOns            *[]AddOn                       `json:"addOns,omitempty"` // all of them
	ProrationBehavior subscription.ProrationBehavior `json:"prorationBehavior,omitempty"`
	// Anchor: a period begins then, from which all later ones are counted; with ProrationBehavior alone.
	Anchor bool `json:"anchor,omitempty"`
}

// behaviors are the proration behaviors that a record may have.
var behaviors = []subscription.ProrationBehavior{
	"", subscription.InvoiceNow, subscription.NextInvoice, subscription.NoProration,
}

// check refuses a record that the API would not take: import_proration_unknown, import_anchor_with_others,
// import_change_empty.
func (c ScheduledChange) check() error {
	switch {
	case !slices.Contains(behaviors, c.ProrationBehavior), c.Anchor && c.ProrationBehavior == subscription.NextInvoice:
		return fault.InvalidParam("prorationBehavior", "import_proration_unknown",
			"`prorationBehavior` cannot be %.40q. Send it as the API takes it.", string(c.ProrationBehavior))
	case c.Anchor && (c.Plan != "" || c.PlanVersion != 0 || c.Quantity != 0 || c.AddOns != nil):
		return fault.InvalidParam("anchor", "import_anchor_with_others",
			"`anchor` moves the anchor and changes nothing else. Send the other fields in a change of their own.")
	case !c.Anchor && c.Plan == "" && c.Quantity == 0 && c.AddOns == nil:
		return fault.InvalidParam("at", "import_change_empty",
			"Nothing changes at this time. Send `plan`, `quantity`, `addOns` or `anchor`, or leave the change out.")
	default:
		return nil
	}
}

// Movable returns the scheduled changes that can be made where the record is imported. Until the period ends, which is
// paid before, one that is prorated has no invoice there to credit: an import refuses it with its subscription.
func (r Subscription) Movable() []ScheduledChange {
	return slices.DeleteFunc(slices.Clone(r.ScheduledChanges), func(c ScheduledChange) bool {
		return r.Status == subscription.Active && c.At.Before(r.CurrentPeriodEnd.Time) &&
			c.ProrationBehavior != subscription.NoProration
	})
}

// Planned has what a scheduled change leads to, as it is here.
type Planned struct {
	Plan   *plan.Plan             // nil: it stays
	AddOns *[]subscription.Chosen // nil: they stay
}

// plans returns the plans and add-ons of scheduled changes.
func plansOf(planned []Planned) (all []plan.Plan) {
	for _, p := range planned {
		if p.Plan != nil {
			all = append(all, *p.Plan)
		}
		if p.AddOns != nil {
			all = append(all, subscription.PlansOf(*p.AddOns)...)
		}
	}
	return all
}

// Scheduled returns the plans and add-ons that the subscription's scheduled changes lead to.
func (in Setting) Scheduled() []plan.Plan { return plansOf(in.Planned) }

// sellable returns the plan and add-ons of a change as if they were on sale: they were when it was scheduled.
func (p Planned) sellable() Planned {
	if p.Plan != nil {
		to := *p.Plan
		to.Active, p.Plan = true, &to
	}
	if p.AddOns != nil {
		chosen := slices.Clone(*p.AddOns)
		for i := range chosen {
			chosen[i].AddOn.Active = true
		}
		p.AddOns = &chosen
	}
	return p
}

// schedule gives a subscription the scheduled changes of its record. Faults: those of check, and of
// subscribing.Situation.ScheduleChange and subscribing.ScheduleAnchor, in the fields of the record.
func (r Subscription) schedule(s *subscription.Subscription, in Setting, now time.Time) error {
	for i, c := range r.ScheduledChanges {
		field := fmt.Sprintf("scheduledChanges[%d]", i)
		if err := c.check(); err != nil {
			return fault.From(err).Within(field)
		}
		situation := subscribing.With(*s, costing.Facts{
			Plan: in.Plan, Pending: in.Pending, AddOns: slices.Concat(in.Known(), in.Scheduled()), Scheduled: in.Scheduled(),
			Settings: in.Settings, ItemID: func(priceID string) string { return in.ItemID(*s, priceID) },
		})
		var done subscribing.Decision
		var err error
		if c.Anchor {
			done, err = subscribing.ScheduleAnchor(situation, c.ProrationBehavior, c.At.Time, in.ChangeID(), now)
		} else {
			to := in.Planned[i].sellable()
			done, err = situation.ScheduleChange(subscribing.Change{
				Plan: to.Plan, Quantity: c.Quantity, AddOns: to.AddOns, Proration: c.ProrationBehavior, On: c.At.Time,
			}, in.ChangeID(), now)
		}
		if err != nil {
			f := fault.From(err)
			if f.Param == "effectiveAt" || f.Param == "billingAnchor" || f.Param == "" {
				return f.In(field + ".at")
			}
			return f.Within(field)
		}
		*s = done.Subscription
	}
	return nil
}
