package subscribing

import (
	"slices"
	"time"

	"perennial/billing/costing"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/subscription"
)

// ErrLongAddOn refuses another interval of the plan at the end of its period beside an add-on that is paid for longer:
// all periods would begin anew then, and cut that of the add-on short.
var ErrLongAddOn = fault.New(fault.Conflict, "add_ons_other_interval",
	"The subscription has an add-on whose interval is longer than the plan's, so that another interval of the plan cannot "+
		"wait for the end of the period. Make the change now, which credits the add-on's unused time, or remove the add-on "+
		"first.").In("addOns")

// renewable refuses a target of a later period that could not be billed in the subscription's periods after the present
// one. Faults:
// add_ons_other_interval, usage_interval_mismatch.
func renewable(s Situation, present, next costing.Target) error {
	now := s.Facts.Plan.Interval
	if next.Plan.Interval == now {
		_, err := s.Counts(next, s.PeriodIndex == 0)
		return err
	}
	end := s.PlanEnd()
	longer := func(a subscription.AddOn) bool {
		every := s.Facts.AddOn(a.Ref).Interval
		return subscription.LongerThan(s.Facts.Plan, s.Facts.AddOn(a.Ref)) ||
			spansOver(s, every, end)
	}
	waits := s.PendingPlanID == next.Plan.ID // otherwise the plan is changed now, which begins all periods anew
	if err := s.Facts.Aligned(next); err != nil {
		return err
	}
	if waits && s.PeriodIndex > 0 && slices.ContainsFunc(present.AddOns, longer) {
		return ErrLongAddOn
	}
	return nil
}

// paysPlan returns the end of the plan's own period where an invoice pays for it; zero: it does not, or that period is
// the current one.
func paysPlan(s Situation, paid invoice.Invoice) (end time.Time) {
	if !s.Longer(s.PlanInterval) {
		return time.Time{}
	}
	if own := s.PlanPeriod(); slices.ContainsFunc(paid.Lines, func(l invoice.Line) bool {
		return billsPlan(s, l) && l.Period.End.Equal(own.End)
	}) {
		return own.End
	}
	return time.Time{}
}

// owesPlan reports whether only invoices that are owed, or were given up, bill the plan's own period, which is a longer
// one. Then the payment of other items does not pay for it: seats of a month give no access to a plan whose year is not
// paid.
func owesPlan(s Situation) bool {
	if !s.Longer(s.PlanInterval) || !s.PaidThrough.Before(s.PlanEnd()) {
		return false
	}
	end := s.PlanEnd()
	bills := func(inv invoice.Invoice) bool {
		return slices.ContainsFunc(inv.Lines, func(l invoice.Line) bool {
			return billsPlan(s, l) && l.Period.End.Equal(end)
		})
	}
	return !slices.ContainsFunc(s.Facts.Paid, bills) &&
		slices.ContainsFunc(slices.Concat(s.Facts.Open, s.Facts.Drafts, s.Facts.WrittenOff), bills)
}

// billsPlan reports whether a line bills time of the plan.
func billsPlan(s Situation, l invoice.Line) bool {
	return l.PlanID == s.PlanID && l.Kind.BillsTime()
}

// keepsPlan notes what stays paid where the subscription becomes past due for add-ons with a shorter interval than its
// plan: the plan, whose own period is paid, and the add-ons that keepsPaid leaves.
func keepsPlan(s *Situation, now time.Time) {
	unpaid := slices.IndexFunc(s.Facts.Open, func(inv invoice.Invoice) bool { return inv.ID == s.CollectingInvoiceID })
	if s.PaidFor != nil || unpaid < 0 || !s.Longer(s.PlanInterval) || s.PaidThrough.Before(s.PlanEnd()) ||
		!now.Before(s.PlanEnd()) {
		return
	}
	if slices.ContainsFunc(s.Facts.Open[unpaid].Lines, func(l invoice.Line) bool { return billsPlan(*s, l) }) {
		return
	}
	s.PaidFor = &subscription.PaidFor{
		Plan: s.Plan(), Quantity: s.Quantity, AddOns: s.AddOns, PeriodIndex: s.Facts.Open[unpaid].PeriodIndex,
	}
}
